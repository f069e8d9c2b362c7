package dev.colonnade.server.service.rpc;

import dev.colonnade.v1.SessionCall;
import dev.colonnade.v1.SessionLimits;
import dev.colonnade.v1.SessionRequest;
import io.grpc.ServerCall;
import io.grpc.Status;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** What all sessions of a node share, and the list of those that are open. Thread-safe. */
final class Sessions {

  /**
   * How long a session without calls is left open after its client was told that the node goes
   * away: for calls that are on their way, over any network.
   */
  private static final Duration LEAVING = Duration.ofSeconds(1);

  private final @Nullable DataCall<?, ?>[] kinds;
  private final RpcContext rpc;
  private final GuardInterceptor guard;
  private final MeteringInterceptor metering;
  private final AccessChecks checks;
  private final Set<SessionStream> open = ConcurrentHashMap.newKeySet();
  private final ReadyError tooLarge;
  private final ReadyError unknownCall;
  private final ReadyError noMemory;
  private volatile boolean goingAway;

  Sessions(
      List<DataCall<?, ?>> calls,
      RpcContext rpc,
      GuardInterceptor guard,
      MeteringInterceptor metering,
      AccessChecks checks) {
    this.rpc = rpc;
    this.checks = checks;
    this.guard = guard;
    this.metering = metering;
    this.kinds =
        new DataCall<?, ?>[calls.stream().mapToInt(DataCall::number).max().orElseThrow() + 1];
    calls.forEach(call -> kinds[call.number()] = call);
    this.tooLarge =
        rpc.errors()
            .ready(
                RequestRefusal.of(
                    Status.Code.INVALID_ARGUMENT,
                    ErrorReasons.REQUEST_TOO_LARGE,
                    null,
                    "a message of a session may have "
                        + limits().maxMessageBytes()
                        + " bytes; make a large call with its unary method"),
                true);
    this.unknownCall =
        rpc.errors()
            .ready(
                RequestRefusal.of(
                    Status.Code.UNIMPLEMENTED,
                    ErrorReasons.UNKNOWN_CALL,
                    "request",
                    "the call sets no request that this node knows; use its unary method"),
                true);
    this.noMemory = rpc.errors().overloaded("the memory for requests and answers");
  }

  /** Starts a session; on the thread that brought it. */
  SessionStream start(ServerCall<SessionRequest, EncodedMessage> call) {
    SessionStream session = new SessionStream(call, this, CallMemory.current());
    open.add(session);
    session.begin();
    if (goingAway) {
      session.goAway();
    }
    return session;
  }

  /** A session has ended. */
  void ended(SessionStream session) {
    open.remove(session);
  }

  /** Tells all clients to begin no more calls on their sessions. Any thread. */
  void goAway() {
    goingAway = true;
    open.forEach(SessionStream::goAway);
  }

  /** Ends sessions that had no call for long. Called periodically. */
  void endIdle() {
    long now = rpc.clock().monotonicNanos();
    for (SessionStream session : open) {
      if (session.isIdle(now, limits().idle())) {
        session.goAway();
      }
    }
  }

  /** Whether no session, after {@link #goAway}, can have calls that are still on their way. */
  boolean haveLeft() {
    long now = rpc.clock().monotonicNanos();
    return open.stream().allMatch(session -> session.hasLeft(now, LEAVING));
  }

  /** The kind of a call; null if there is none of that number. */
  @Nullable DataCall<?, ?> kind(SessionCall call) {
    return kinds[call.getRequestCase().getNumber()];
  }

  /** Why a call's account may not make it; null if it may. */
  @Nullable ReadyError denied(DataCall<?, ?> kind, SessionCall call, OpenCall.SessionOrigin from) {
    if (!checks.looksAtParts()) {
      return null;
    }
    try {
      checks.checkPart(from.caller(), from.address(), kind.name(), kind.inSession().apply(call));
      return null;
    } catch (RequestRefusal denied) {
      return rpc.errors().ready(denied, kind.write());
    }
  }

  RpcContext rpc() {
    return rpc;
  }

  GuardInterceptor guard() {
    return guard;
  }

  MeteringInterceptor metering() {
    return metering;
  }

  RpcSettings.Sessions limits() {
    return rpc.settings().sessions();
  }

  /** The limits as clients are told them. */
  SessionLimits limitsMessage() {
    return SessionLimits.newBuilder()
        .setMaxCalls(limits().maxCalls())
        .setMaxBytes(limits().maxBytes())
        .setMaxMessageBytes(limits().maxMessageBytes())
        .build();
  }

  /** The error of a call in a message that is too large. */
  ReadyError tooLarge() {
    return tooLarge;
  }

  /** Why a session ends with a message that is too large and has very many calls. */
  RequestRefusal tooLargeToAnswer() {
    return RequestRefusal.of(
        Status.Code.INVALID_ARGUMENT,
        ErrorReasons.REQUEST_TOO_LARGE,
        null,
        "a message of a session may have "
            + limits().maxMessageBytes()
            + " bytes; all calls of a larger one with that many calls were ignored");
  }

  /** The error of a call that is none of the known kinds. */
  ReadyError unknownCall() {
    return unknownCall;
  }

  /** The error of a call for which there is no memory. */
  ReadyError noMemory() {
    return noMemory;
  }
}
