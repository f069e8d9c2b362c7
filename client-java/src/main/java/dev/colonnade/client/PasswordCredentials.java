package dev.colonnade.client;

import io.grpc.Attributes;
import io.grpc.CallCredentials;
import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.ClientCall;
import io.grpc.ClientInterceptor;
import io.grpc.Grpc;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.SecurityLevel;
import io.grpc.Status;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.concurrent.Executor;

/**
 * Sends a user's name and password with each call: {@code authorization: Basic …}. Only where
 * nobody else can read them: over a connection that is encrypted, or to this machine itself.
 * Thread-safe.
 */
final class PasswordCredentials extends CallCredentials implements ClientInterceptor {

  private final String user;
  private final PasswordSource passwords;

  /**
   * The credentials of a user.
   *
   * @throws IllegalArgumentException if the name is empty or has a colon, which ends it in the
   *     header
   */
  PasswordCredentials(String user, PasswordSource passwords) {
    if (user.isEmpty() || user.indexOf(':') >= 0) {
      throw new IllegalArgumentException(
          "the name of a user is not empty and has no colon; got \"" + user + "\"");
    }
    this.user = user;
    this.passwords = passwords;
  }

  @Override
  public <Q, R> ClientCall<Q, R> interceptCall(
      MethodDescriptor<Q, R> method, CallOptions options, Channel next) {
    return next.newCall(method, options.withCallCredentials(this));
  }

  @Override
  public void applyRequestMetadata(RequestInfo info, Executor executor, MetadataApplier applier) {
    if (info.getSecurityLevel() != SecurityLevel.PRIVACY_AND_INTEGRITY
        && !isThisMachine(info.getTransportAttrs())) {
      applier.fail(
          Status.UNAUTHENTICATED.withDescription(
              "the password of user "
                  + user
                  + " is sent only over TLS, or to a node on this machine: switch TLS on"));
      return;
    }
    try {
      var unused =
          passwords
              .password()
              .whenComplete(
                  (password, failure) -> {
                    if (failure != null) {
                      fail(applier, failure);
                    } else if (password == null || password.isEmpty()) {
                      applier.fail(
                          Status.UNAUTHENTICATED.withDescription(
                              "the password of user " + user + " is empty"));
                    } else {
                      applier.apply(headers(password));
                    }
                  });
    } catch (RuntimeException e) {
      fail(applier, e);
    }
  }

  private static boolean isThisMachine(Attributes connection) {
    SocketAddress remote = connection.get(Grpc.TRANSPORT_ATTR_REMOTE_ADDR);
    return remote instanceof InetSocketAddress address
        && address.getAddress() != null
        && address.getAddress().isLoopbackAddress();
  }

  private Metadata headers(String password) {
    Metadata headers = new Metadata();
    headers.put(
        TokenCredentials.AUTHORIZATION,
        "Basic "
            + Base64.getEncoder()
                .encodeToString((user + ":" + password).getBytes(StandardCharsets.UTF_8)));
    return headers;
  }

  private void fail(MetadataApplier applier, Throwable failure) {
    applier.fail(
        Status.UNAUTHENTICATED
            .withDescription("the client has no password for user " + user)
            .withCause(failure));
  }
}
