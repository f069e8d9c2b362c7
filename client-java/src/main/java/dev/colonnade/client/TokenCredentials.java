package dev.colonnade.client;

import io.grpc.CallCredentials;
import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.ClientCall;
import io.grpc.ClientInterceptor;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.SecurityLevel;
import io.grpc.Status;
import java.util.concurrent.Executor;

/** Sends a token with each call: {@code authorization: Bearer …}. Thread-safe. */
final class TokenCredentials extends CallCredentials implements ClientInterceptor {

  static final Metadata.Key<String> AUTHORIZATION =
      Metadata.Key.of("authorization", Metadata.ASCII_STRING_MARSHALLER);

  private final TokenSource tokens;

  TokenCredentials(TokenSource tokens) {
    this.tokens = tokens;
  }

  @Override
  public <Q, R> ClientCall<Q, R> interceptCall(
      MethodDescriptor<Q, R> method, CallOptions options, Channel next) {
    return next.newCall(method, options.withCallCredentials(this));
  }

  @Override
  public void applyRequestMetadata(RequestInfo info, Executor executor, MetadataApplier applier) {
    if (info.getSecurityLevel() != SecurityLevel.PRIVACY_AND_INTEGRITY) {
      applier.fail(
          Status.UNAUTHENTICATED.withDescription(
              "the client's token is sent only where the connection is encrypted"));
      return;
    }
    try {
      var unused =
          tokens
              .token()
              .whenComplete(
                  (token, failure) -> {
                    if (failure != null) {
                      fail(applier, failure);
                    } else if (token == null) {
                      // Against the contract, and an exception here would leave the call waiting.
                      fail(applier, new NullPointerException("the token is null"));
                    } else {
                      apply(applier, token);
                    }
                  });
    } catch (RuntimeException e) {
      fail(applier, e);
    }
  }

  /** Says nothing of the token itself: what fails is logged. */
  private static void apply(MetadataApplier applier, String token) {
    if (token.isEmpty() || !token.chars().allMatch(each -> each > ' ' && each < 0x7f)) {
      applier.fail(
          Status.UNAUTHENTICATED.withDescription(
              "the client's token is empty, or has other than visible ASCII characters"));
      return;
    }
    Metadata headers = new Metadata();
    headers.put(AUTHORIZATION, "Bearer " + token);
    applier.apply(headers);
  }

  private static void fail(MetadataApplier applier, Throwable failure) {
    applier.fail(
        Status.UNAUTHENTICATED.withDescription("the client has no token").withCause(failure));
  }
}
