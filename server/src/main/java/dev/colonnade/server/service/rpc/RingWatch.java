package dev.colonnade.server.service.rpc;

import dev.colonnade.admin.v1.NodeState;
import dev.colonnade.admin.v1.RingNode;
import dev.colonnade.admin.v1.WatchRingResponse;
import dev.colonnade.server.base.async.SerialLoop;
import dev.colonnade.server.service.admin.ClusterOperations;
import io.grpc.stub.ServerCallStreamObserver;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Sends the ring and its changes to one caller. It remembers what was sent and sends the difference
 * next, so that a slow reader gets only the latest state, and one message waits at most.
 * Thread-safe.
 */
final class RingWatch {

  private final ServerCallStreamObserver<WatchRingResponse> call;
  private final Supplier<List<RingNode>> ring;
  private final StatusErrors errors;
  private final SerialLoop loop = new SerialLoop(this::work, this::broken);

  private volatile ClusterOperations.@Nullable Watch watch;
  private volatile @Nullable RuntimeException ending;
  private volatile boolean cancelled;

  // Accessed only by the thread that does the work.
  private Map<String, RingNode> told = Map.of();
  private boolean begun;
  private boolean ended;

  private RingWatch(
      ServerCallStreamObserver<WatchRingResponse> call,
      Supplier<List<RingNode>> ring,
      StatusErrors errors) {
    this.call = call;
    this.ring = ring;
    this.errors = errors;
  }

  /**
   * Starts watching.
   *
   * @param ring the nodes now
   * @param onEnd called when the caller has gone or the call has ended, perhaps more than once
   */
  static RingWatch start(
      ServerCallStreamObserver<WatchRingResponse> call,
      Supplier<List<RingNode>> ring,
      ClusterOperations operations,
      StatusErrors errors,
      Runnable onEnd) {
    RingWatch stream = new RingWatch(call, ring, errors);
    call.setOnReadyHandler(stream::wake);
    call.setOnCancelHandler(
        () -> {
          stream.cancelled = true;
          stream.wake();
          onEnd.run();
        });
    stream.watch = operations.watch(stream::wake);
    stream.wake();
    return stream;
  }

  /** Ends the call with an error. */
  void end(RuntimeException reason) {
    ending = reason;
    wake();
  }

  private void wake() {
    loop.wake();
  }

  /** Ends the call after an exception in a turn, since it is not known how far the turn got. */
  private void broken(Throwable thrown) {
    if (!ended) {
      close();
      call.onError(errors.ofRead(thrown));
    }
  }

  private void work() {
    if (ended) {
      return;
    }
    RuntimeException reason = ending;
    if (cancelled || reason != null) {
      close();
      if (!cancelled && reason != null) {
        call.onError(errors.ofRead(reason));
      }
    } else if (call.isReady()) {
      try {
        send(ring.get());
      } catch (RuntimeException | Error e) {
        close();
        call.onError(errors.ofRead(e));
      }
    }
  }

  private void close() {
    ended = true;
    ClusterOperations.Watch looking = watch;
    if (looking != null) {
      looking.end();
    }
  }

  private void send(List<RingNode> nodes) {
    WatchRingResponse.Builder changes = WatchRingResponse.newBuilder();
    Map<String, RingNode> now = new LinkedHashMap<>();
    Map<String, RingNode> gone = new HashMap<>(told);
    for (RingNode node : nodes) {
      String id = node.getEndpoint().getNodeId();
      RingNode before = gone.remove(id);
      now.put(id, node);
      if (before == null || !withoutPhi(before).equals(withoutPhi(node))) {
        changes.addChanged(node);
      }
    }
    for (RingNode node : told.values()) {
      if (gone.containsKey(node.getEndpoint().getNodeId())) {
        changes.addChanged(node.toBuilder().setState(NodeState.NODE_STATE_LEFT));
      }
    }
    if (!begun || changes.getChangedCount() > 0) {
      begun = true;
      told = now;
      call.onNext(changes.build());
    }
  }

  /** Drops phi, which changes all the time; it matters only if it changes a node's state. */
  private static RingNode withoutPhi(RingNode node) {
    return node.toBuilder().clearPhi().build();
  }
}
