package dev.colonnade.server.service.rpc;

import dev.colonnade.admin.v1.BulkLoadServiceGrpc;
import dev.colonnade.server.base.memory.MemoryPool;
import dev.colonnade.server.base.memory.NodeMemory;
import dev.colonnade.v1.ColumnStoreServiceGrpc;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.ServerBuilder;
import io.grpc.ServerStreamTracer;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;

/**
 * Accounts for the memory that clients make the node hold, call by call, and ends calls that hold
 * it too long because their clients do not take the answers. Thread-safe.
 */
final class ClientMemory {

  /** Calls with fewer unread bytes are not checked. */
  static final long WATCHED_BYTES = 64 << 10;

  /** The time a client has to read when memory is short. */
  private static final Duration SHORT_TIMEOUT = Duration.ofSeconds(10);

  private final NodeMemory memory;
  private final int maxMessageBytes;
  private final LongSupplier nanos;
  private final Duration readerTimeout;

  /** The account for calls of transports that do not report their connections. */
  private final ConnectionMemory together;

  /** The account for administrative calls while connections have little left. */
  private final ConnectionMemory administration;

  private final Set<CallMemory> unread = ConcurrentHashMap.newKeySet();

  /**
   * Starts with nothing held.
   *
   * @param maxMessageBytes the longest message
   * @param nanos the monotonic clock
   * @param readerTimeout how long an answer may wait for its reader
   */
  ClientMemory(NodeMemory memory, int maxMessageBytes, LongSupplier nanos, Duration readerTimeout) {
    this.memory = memory;
    this.maxMessageBytes = maxMessageBytes;
    this.nanos = nanos;
    this.readerTimeout = readerTimeout;
    this.together = ConnectionMemory.of(memory);
    MemoryPool.PoolShare share = memory.administration().share(1);
    this.administration = new ConnectionMemory(share, share);
  }

  /** A call without limits, for work that belongs to no client, as in tests. */
  static CallMemory unboundedCall() {
    ClientMemory memory =
        new ClientMemory(NodeMemory.unbounded(), Integer.MAX_VALUE, () -> 0, Duration.ofDays(1));
    return new CallMemory(memory, memory.together);
  }

  /** Registers a server's connections and calls with this account. */
  void addTo(ServerBuilder<?> builder) {
    builder
        .addTransportFilter(ConnectionMemory.filter(memory))
        .addStreamTracerFactory(
            new ServerStreamTracer.Factory() {
              @Override
              public ServerStreamTracer newServerStreamTracer(String method, Metadata headers) {
                return new CallMemory(ClientMemory.this, together);
              }
            });
  }

  /**
   * The account that a call draws from: that of its connection, or, for an administrative call
   * while connections have little left, an account of its own.
   */
  ConnectionMemory sharesOf(ServerStreamTracer.ServerCallInfo<?, ?> call, ConnectionMemory others) {
    String service = call.getMethodDescriptor().getServiceName();
    boolean isAdministrative =
        !ColumnStoreServiceGrpc.SERVICE_NAME.equals(service)
            && !BulkLoadServiceGrpc.SERVICE_NAME.equals(service);
    return isAdministrative && memory.isShort()
        ? administration
        : ConnectionMemory.of(call.getAttributes(), others);
  }

  /**
   * What to reserve for a call from its start, because its client may send it before the call has
   * requested it. A session requests messages as they come, and reserves that only when it does
   * not, so that a node can have a session for each of many clients.
   */
  long aheadBytes(MethodDescriptor<?, ?> method) {
    boolean reads =
        method.getType().clientSendsOneMessage()
            || method
                .getFullMethodName()
                .equals(ColumnStoreServiceGrpc.getSessionMethod().getFullMethodName());
    return reads ? 0 : windowBytes();
  }

  /** What a client may send before its call has requested it. */
  long windowBytes() {
    return memory.plan().windowBytes();
  }

  long maxMessageBytes() {
    return maxMessageBytes;
  }

  /** The most heap that one request could get on an idle node. */
  long largestRequestBytes() {
    return memory.heap().largestBytes(ConnectionMemory.HEAP_WEIGHT) - CallMemory.BASE_HEAP_BYTES;
  }

  long nanos() {
    return nanos.getAsLong();
  }

  void watch(CallMemory call) {
    unread.add(call);
  }

  void unwatch(CallMemory call) {
    unread.remove(call);
  }

  /** Ends calls whose clients do not read. Called periodically. */
  void endUnread() {
    MemoryPool direct = memory.direct();
    boolean isShort = direct.usedBytes() > direct.capacityBytes() / 2;
    Duration limit =
        isShort && readerTimeout.compareTo(SHORT_TIMEOUT) > 0 ? SHORT_TIMEOUT : readerTimeout;
    long limitNanos = limit.toNanos();
    long now = nanos();
    String why = "the client read nothing of the answer for " + limit.toSeconds() + " s";
    unread.removeIf(
        call -> {
          boolean late = now - call.sentNanos() > limitNanos;
          if (late) {
            call.abort(why);
          }
          return late;
        });
  }
}
