package dev.colonnade.server.service.rpc;

import dev.colonnade.server.base.async.Errors;
import dev.colonnade.server.base.async.Then;
import dev.colonnade.server.service.accounts.AuthenticationException;
import dev.colonnade.server.service.accounts.Authenticator;
import dev.colonnade.server.service.accounts.Identity;
import io.grpc.Context;
import io.grpc.Contexts;
import io.grpc.ForwardingServerCall.SimpleForwardingServerCall;
import io.grpc.Metadata;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerInterceptor;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Finds out who makes a call before anything of it is read, for every method but those that are
 * open. Credentials that were seen before take no time; a call with others waits, unread, until its
 * password is checked.
 */
final class AuthenticationInterceptor implements ServerInterceptor {

  private final Authenticator authenticator;
  private final StatusErrors errors;

  AuthenticationInterceptor(Authenticator authenticator, StatusErrors errors) {
    this.authenticator = authenticator;
    this.errors = errors;
  }

  @Override
  public <Q, R> ServerCall.Listener<Q> interceptCall(
      ServerCall<Q, R> call, Metadata headers, ServerCallHandler<Q, R> next) {
    RpcPermissions.Rule rule = RpcPermissions.of(call.getMethodDescriptor().getFullMethodName());
    if (rule != null && rule.open()) {
      return next.startCall(call, headers);
    }
    CompletableFuture<Identity> found =
        authenticator.identify(
            headers.get(CallIdentity.AUTHORIZATION),
            CertificateNames.of(call.getAttributes()),
            CallIdentity.address(call.getAttributes()));
    // Nothing behind this needs them, so nothing behind this can tell them.
    headers.discardAll(CallIdentity.AUTHORIZATION);
    Context context = Context.current();
    if (found.isDone() && !found.isCompletedExceptionally()) {
      return Contexts.interceptCall(
          CallIdentity.with(context, found.getNow(null)), call, headers, next);
    }
    Waiting<Q> waiting = new Waiting<>();
    HeldRequests<Q, R> held = new HeldRequests<>(call);
    Then.whenDone(
        found,
        (identity, failure) -> {
          Runnable go =
              () -> {
                if (failure != null) {
                  waiting.refused(() -> close(call, Errors.unwrap(failure)));
                } else {
                  waiting.start(
                      () ->
                          Contexts.interceptCall(
                              CallIdentity.with(context, identity), held, headers, next),
                      refused -> close(call, refused));
                  held.release();
                }
              };
          LoopTurns turns = CallLoops.of(call.getAttributes());
          if (turns == null || turns.isCurrent()) {
            go.run();
          } else {
            turns.later(go);
          }
        });
    return waiting;
  }

  private void close(ServerCall<?, ?> call, Throwable failure) {
    StatusRuntimeException status = errors.ofWrite(refusal(failure));
    Metadata trailers = status.getTrailers();
    call.close(status.getStatus(), trailers == null ? new Metadata() : trailers);
  }

  /** The contract's refusal for what the authenticator says; other failures stay as they are. */
  static Throwable refusal(Throwable failure) {
    return failure instanceof AuthenticationException refused ? translate(refused) : failure;
  }

  private static RequestRefusal translate(AuthenticationException refused) {
    String message = String.valueOf(refused.getMessage());
    return switch (refused.kind()) {
      case MISSING ->
          RequestRefusal.of(
              Status.Code.UNAUTHENTICATED, ErrorReasons.CREDENTIALS_MISSING, null, message);
      case REFUSED ->
          RequestRefusal.of(
              Status.Code.UNAUTHENTICATED, ErrorReasons.CREDENTIALS_REFUSED, null, message);
      case EXPIRED ->
          RequestRefusal.of(Status.Code.UNAUTHENTICATED, ErrorReasons.TOKEN_EXPIRED, null, message);
      case THROTTLED ->
          RequestRefusal.of(
              Status.Code.RESOURCE_EXHAUSTED, ErrorReasons.LOGIN_THROTTLED, null, message);
      case BUSY ->
          RequestRefusal.of(
              Status.Code.RESOURCE_EXHAUSTED,
              ErrorReasons.OVERLOADED,
              null,
              "too many passwords wait to be checked; try again soon");
    };
  }

  /**
   * A call whose handler gets no message before it has begun: on the connection's own thread a
   * request brings the message at once, before there is a listener for it, and what the message is
   * read from is closed when the transport has delivered it.
   */
  private static final class HeldRequests<Q, R> extends SimpleForwardingServerCall<Q, R> {

    // Guarded by this.
    private int held;
    private boolean released;

    HeldRequests(ServerCall<Q, R> call) {
      super(call);
    }

    @Override
    public void request(int messages) {
      synchronized (this) {
        if (!released) {
          held += messages;
          return;
        }
      }
      super.request(messages);
    }

    void release() {
      int messages;
      synchronized (this) {
        released = true;
        messages = held;
      }
      if (messages > 0) {
        super.request(messages);
      }
    }
  }

  /**
   * Receives the events of a call that has not begun, and passes them on once it has. Nothing was
   * requested from the transport, so these are a few at most, and no messages.
   */
  private static final class Waiting<Q> extends ServerCall.Listener<Q> {

    // Guarded by this.
    private final List<Consumer<ServerCall.Listener<Q>>> early = new ArrayList<>(2);
    private ServerCall.@Nullable Listener<Q> target;
    private boolean ended;

    void refused(Runnable close) {
      synchronized (this) {
        if (ended) {
          return;
        }
        ended = true;
      }
      close.run();
    }

    void start(Supplier<ServerCall.Listener<Q>> begin, Consumer<Throwable> failed) {
      synchronized (this) {
        if (ended) {
          return;
        }
      }
      ServerCall.Listener<Q> begun;
      try {
        begun = begin.get();
      } catch (RuntimeException e) {
        refused(() -> failed.accept(e));
        return;
      }
      while (true) {
        Consumer<ServerCall.Listener<Q>> next;
        synchronized (this) {
          if (early.isEmpty()) {
            target = begun;
            return;
          }
          next = early.remove(0);
        }
        next.accept(begun);
      }
    }

    private void pass(Consumer<ServerCall.Listener<Q>> event) {
      ServerCall.Listener<Q> now;
      synchronized (this) {
        now = target;
        if (now == null) {
          if (!ended) {
            early.add(event);
          }
          return;
        }
      }
      event.accept(now);
    }

    @Override
    public void onMessage(Q message) {
      pass(to -> to.onMessage(message));
    }

    @Override
    public void onHalfClose() {
      pass(ServerCall.Listener::onHalfClose);
    }

    @Override
    public void onReady() {
      pass(ServerCall.Listener::onReady);
    }

    @Override
    public void onCancel() {
      end();
      pass(ServerCall.Listener::onCancel);
    }

    @Override
    public void onComplete() {
      end();
      pass(ServerCall.Listener::onComplete);
    }

    /** A call that has gone before it has begun does not begin any more. */
    private synchronized void end() {
      if (target == null && early.isEmpty()) {
        ended = true;
      }
    }
  }
}
