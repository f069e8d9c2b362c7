package dev.colonnade.server.service.rpc;

import dev.colonnade.server.base.env.Scheduler;
import dev.colonnade.server.service.accounts.AccessPolicy;
import dev.colonnade.server.service.accounts.AuditLog;
import dev.colonnade.server.service.accounts.Identity;
import dev.colonnade.server.service.accounts.Permission;
import io.grpc.Status;
import java.util.function.BiFunction;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Decides whether a call may be made, by the row of its method in {@link RpcPermissions} and by
 * what its account was granted. Decided for each call by the permissions of that moment, so that
 * what is revoked ends at once, on sessions and streams, too. Thread-safe.
 */
final class AccessChecks {

  private final Supplier<AccessPolicy> policy;
  private final AuditLog audit;
  private final boolean required;
  private final Predicate<Identity> ended;
  private final BiFunction<Identity, Runnable, Scheduler.Cancellable> whenEnded;

  AccessChecks(ClientAccess access) {
    this.policy = access.accounts()::policy;
    this.audit = access.audit();
    this.required = access.required();
    this.ended = access.authenticator()::hasEnded;
    this.whenEnded = access.authenticator()::whenEnded;
  }

  /** Whether callers must say who they are. */
  boolean required() {
    return required;
  }

  /** Who may do what now; the same object as long as that does not change. */
  AccessPolicy policy() {
    return policy.get();
  }

  AuditLog audit() {
    return audit;
  }

  /** Whether a caller may know that a keyspace exists. */
  boolean sees(@Nullable Identity caller, String keyspace) {
    return !required
        || keyspace.equals("system")
        || (caller != null && policy().sees(caller.account(), keyspace));
  }

  /**
   * Checks a call.
   *
   * @param caller null if the call has no identity, which is refused where one is required
   * @param request of the method's type
   * @return what the call is about, for the audit log
   * @throws RequestRefusal if it is refused
   */
  String check(
      @Nullable Identity caller,
      RpcPermissions.@Nullable Rule rule,
      String method,
      Object request) {
    AccessPolicy now = policy();
    if (required && (rule == null || !rule.open())) {
      requireCaller(caller, now);
    }
    if (rule == null) {
      throw denied(method, "");
    }
    Check check = new Check(now, caller == null ? "" : caller.account());
    rule.demands().accept(request, check);
    return check.subject;
  }

  /** Whether {@link #checkPart} does anything, and calls on data are looked at. */
  boolean looksAtParts() {
    return required || audit.allCalls();
  }

  /**
   * Checks one part of a stream or session, by the row of the method that does the same, and writes
   * the audit log.
   *
   * @param address where the stream comes from
   * @throws RequestRefusal if it is refused
   */
  void checkPart(@Nullable Identity caller, String address, String method, Object request) {
    if (!looksAtParts()) {
      return;
    }
    String account = caller == null ? "-" : caller.account();
    try {
      String subject = check(caller, RpcPermissions.of(method), method, request);
      if (audit.allCalls()) {
        audit.called(account, address, method, subject);
      }
    } catch (RequestRefusal denied) {
      audit.denied(account, address, method, denied.text());
      throw denied;
    }
  }

  /** Whether the time of the token is over that a caller came with. */
  boolean hasEnded(@Nullable Identity caller) {
    return required && caller != null && ended.test(caller);
  }

  /** Runs a task about when the time of a caller's token is over; only for one that has an end. */
  Scheduler.Cancellable whenEnded(Identity caller, Runnable task) {
    return whenEnded.apply(caller, task);
  }

  private void requireCaller(@Nullable Identity caller, AccessPolicy now) {
    if (caller == null) {
      throw RequestRefusal.of(
          Status.Code.UNAUTHENTICATED,
          ErrorReasons.CREDENTIALS_MISSING,
          null,
          "this node answers only callers that say who they are");
    }
    if (ended.test(caller)) {
      throw RequestRefusal.of(
          Status.Code.UNAUTHENTICATED,
          ErrorReasons.TOKEN_EXPIRED,
          null,
          "the time of the token is over with which this stream was opened: open another");
    }
    if (!caller.isCurrent(now)) {
      throw RequestRefusal.of(
          Status.Code.UNAUTHENTICATED,
          ErrorReasons.CREDENTIALS_REFUSED,
          null,
          "the account was dropped, was locked, or has another password since");
    }
  }

  private static RequestRefusal denied(String needs, String on) {
    return RequestRefusal.of(
        Status.Code.PERMISSION_DENIED,
        ErrorReasons.PERMISSION_DENIED,
        null,
        "this needs " + needs + (on.isEmpty() ? "" : " on " + on) + ", which was not granted");
  }

  /** Looks whether one caller may do what a rule states. */
  private final class Check implements RpcPermissions.Demands {
    private final AccessPolicy now;
    private final String account;
    private String subject = "";

    Check(AccessPolicy now, String account) {
      this.now = now;
      this.account = account;
    }

    @Override
    public void needs(Permission permission, String keyspace, String family) {
      if (required && !now.allows(account, permission, keyspace, family)) {
        throw denied("the permission " + permission, place(keyspace, family));
      }
      if (subject.isEmpty()) {
        subject = place(keyspace, family);
      }
    }

    @Override
    public void sees(String keyspace) {
      if (required && !now.sees(account, keyspace)) {
        throw denied("a permission", "the keyspace " + EchoedText.quoted(keyspace));
      }
      if (subject.isEmpty()) {
        subject = keyspace;
      }
    }

    @Override
    public void about(String what) {
      subject = what;
    }
  }

  /** Names what a permission is on; the cluster if both are empty. */
  static String place(String keyspace, String family) {
    return keyspace.isEmpty()
        ? "the cluster"
        : EchoedText.quoted(family.isEmpty() ? keyspace : keyspace + "." + family);
  }
}
