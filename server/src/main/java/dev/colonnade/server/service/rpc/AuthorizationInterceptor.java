package dev.colonnade.server.service.rpc;

import dev.colonnade.admin.v1.AccountServiceGrpc;
import dev.colonnade.server.base.env.Scheduler;
import dev.colonnade.server.service.accounts.AccessPolicy;
import dev.colonnade.server.service.accounts.Identity;
import io.grpc.Context;
import io.grpc.Contexts;
import io.grpc.ForwardingServerCall.SimpleForwardingServerCall;
import io.grpc.ForwardingServerCallListener.SimpleForwardingServerCallListener;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerInterceptor;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import org.jspecify.annotations.Nullable;

/**
 * Checks each request against {@link RpcPermissions} before its handler sees it, and what a stream
 * is about again whenever permissions have changed; writes the audit log. It sits between the
 * decoded request and the service.
 */
final class AuthorizationInterceptor implements ServerInterceptor {

  private static final String NO_ONE = "-";

  /** Handlers of this service need the address of a call: they count wrong passwords by it. */
  private static final String ACCOUNTS = AccountServiceGrpc.SERVICE_NAME + "/";

  private final AccessChecks checks;
  private final StatusErrors errors;

  AuthorizationInterceptor(AccessChecks checks, StatusErrors errors) {
    this.checks = checks;
    this.errors = errors;
  }

  @Override
  public <Q, R> ServerCall.Listener<Q> interceptCall(
      ServerCall<Q, R> call, Metadata headers, ServerCallHandler<Q, R> next) {
    String method = call.getMethodDescriptor().getFullMethodName();
    RpcPermissions.Rule rule = RpcPermissions.of(method);
    if (rule != null && !rule.change() && !checks.looksAtParts() && !rule.parts()) {
      return next.startCall(call, headers);
    }
    Checked<Q, R> checked = new Checked<>(call, rule, method, CallIdentity.current());
    if (rule == null && checks.required() && !checked.permits(call)) {
      return new ServerCall.Listener<>() {};
    }
    checked.opened();
    ServerCall.Listener<Q> handler =
        method.startsWith(ACCOUNTS) || (rule != null && rule.parts())
            ? Contexts.interceptCall(
                CallIdentity.from(Context.current(), call.getAttributes()), checked, headers, next)
            : next.startCall(checked, headers);
    return new SimpleForwardingServerCallListener<>(handler) {
      @Override
      public void onMessage(Q message) {
        if (checked.permits(message)) {
          super.onMessage(message);
        }
      }

      @Override
      public void onHalfClose() {
        if (!checked.isRefused()) {
          super.onHalfClose();
        }
      }

      @Override
      public void onCancel() {
        checked.over(Status.Code.CANCELLED);
        super.onCancel();
      }

      @Override
      public void onComplete() {
        checked.over(Status.Code.OK);
        if (checked.isRefused()) {
          // The handler did not end the call, and holds what it needed for the rest of it.
          super.onCancel();
        } else {
          super.onComplete();
        }
      }
    };
  }

  /** A call that ends when its account may not make it any more. */
  private final class Checked<Q, R> extends SimpleForwardingServerCall<Q, R> {
    private final RpcPermissions.@Nullable Rule rule;
    private final String method;
    private final @Nullable Identity caller;
    private final boolean stream;
    private final ServerCall<Q, R> outer;
    private String subject = "";
    private boolean begun;
    private boolean logged;

    // Written before answers begin, and then by the thread that answers.
    private volatile @Nullable Object request;
    private volatile @Nullable AccessPolicy checkedBy;
    private volatile boolean refused;

    private volatile boolean openedLogged;
    private volatile Status.@Nullable Code closedWith;

    // Guarded by this.
    private Scheduler.@Nullable Cancellable end;
    private boolean over;

    Checked(
        ServerCall<Q, R> call,
        RpcPermissions.@Nullable Rule rule,
        String method,
        @Nullable Identity caller) {
      super(call);
      this.outer = call;
      this.rule = rule;
      this.method = method;
      this.caller = caller;
      this.stream = call.getMethodDescriptor().getType() != MethodDescriptor.MethodType.UNARY;
    }

    /** Writes the line of a stream of parts, which have lines of their own. */
    void opened() {
      if (rule != null && rule.parts() && checks.looksAtParts()) {
        openedLogged = true;
        checks.audit().called(account(), address(), method, subject);
      }
    }

    boolean isRefused() {
      return refused;
    }

    /** Whether a request may be served; the call is closed if it may not. */
    boolean permits(Object message) {
      if (refused) {
        return false;
      }
      if (rule != null && rule.parts()) {
        return true;
      }
      if (!stillPermitted()) {
        return false;
      }
      AccessPolicy now = checks.policy();
      String about;
      try {
        about = checks.check(caller, rule, method, message);
      } catch (RequestRefusal denied) {
        refuse(denied);
        return false;
      }
      boolean first = !begun;
      if (first) {
        // The first message of a stream says what all of it is about.
        begun = true;
        subject = about;
        request = stream ? message : null;
        checkedBy = now;
        endWithToken();
      }
      if (first && rule != null && (rule.change() || checks.audit().allCalls())) {
        logged = rule.change();
        checks.audit().called(account(), address(), method, subject);
      }
      return true;
    }

    /** A stream ends with the time of its caller's token, also if it has no message then. */
    private void endWithToken() {
      Identity bearer = caller;
      if (!stream || bearer == null || !bearer.hasEnd() || !checks.required()) {
        return;
      }
      synchronized (this) {
        if (!over) {
          end = checks.whenEnded(bearer, this::tokenEnded);
        }
      }
    }

    /** On a stage, while another thread may answer. */
    private void tokenEnded() {
      synchronized (this) {
        if (over) {
          return;
        }
      }
      Object asked = request;
      if (asked == null || !checks.hasEnded(caller)) {
        // The clock was set back.
        endWithToken();
        return;
      }
      try {
        String unused = checks.check(caller, rule, method, asked);
      } catch (RequestRefusal denied) {
        if (outer instanceof IntakeCall<?, ?> intake) {
          intake.end(refusal(denied));
        } else {
          refuse(denied);
        }
      }
    }

    /** The call has ended, for whatever reason; {@code how} if it was not closed from here. */
    void over(Status.Code how) {
      synchronized (this) {
        over = true;
        if (end != null) {
          end.cancel();
        }
      }
      if (openedLogged) {
        Status.Code code = closedWith;
        checks
            .audit()
            .ended(account(), address(), method, subject, (code == null ? how : code).name());
      }
    }

    private StatusRuntimeException refusal(RequestRefusal denied) {
      refused = true;
      checks.audit().denied(account(), address(), method, denied.text());
      return errors.ofWrite(denied);
    }

    private void refuse(RequestRefusal denied) {
      StatusRuntimeException status = refusal(denied);
      Metadata trailers = status.getTrailers();
      super.close(status.getStatus(), trailers == null ? new Metadata() : trailers);
    }

    private String account() {
      return caller == null ? NO_ONE : caller.account();
    }

    private String address() {
      return CallIdentity.address(getAttributes());
    }

    /** Whether what a stream is about may still be done; the call is closed if it may not. */
    private boolean stillPermitted() {
      Object asked = request;
      AccessPolicy now = checks.policy();
      if (asked != null && !refused && (now != checkedBy || checks.hasEnded(caller))) {
        checkedBy = now;
        try {
          String unused = checks.check(caller, rule, method, asked);
        } catch (RequestRefusal denied) {
          refuse(denied);
        }
      }
      return !refused;
    }

    @Override
    public void sendMessage(R message) {
      if (stillPermitted()) {
        super.sendMessage(message);
      }
    }

    @Override
    public boolean isCancelled() {
      return refused || super.isCancelled();
    }

    @Override
    public void close(Status status, Metadata trailers) {
      if (refused) {
        return;
      }
      closedWith = status.getCode();
      if (logged) {
        checks.audit().ended(account(), address(), method, subject, status.getCode().name());
      }
      super.close(status, trailers);
    }
  }
}
