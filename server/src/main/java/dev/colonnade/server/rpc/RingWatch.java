package dev.colonnade.server.rpc;

import dev.colonnade.admin.v1.NodeState;
import dev.colonnade.admin.v1.RingNode;
import dev.colonnade.admin.v1.WatchRingResponse;
import dev.colonnade.server.async.SerialLoop;
import dev.colonnade.server.coordinator.ClusterOperations;
import io.grpc.stub.ServerCallStreamObserver;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Shows one caller the ring and its changes. What was told is remembered, and what is told next is
 * the difference to that: so a slow reader hears of the newest state only, and one message waits at
 * most. Thread-safe.
 */
final class RingWatch {

  private final ServerCallStreamObserver<WatchRingResponse> call;
  private final Supplier<List<RingNode>> ring;
  private final StatusErrors errors;
  private final SerialLoop loop = new SerialLoop(this::work, this::broken);

  private volatile ClusterOperations.@Nullable Watch watch;
  private volatile @Nullable RuntimeException ending;
  private volatile boolean cancelled;

  // Only touched by whoever works.
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
   * Begins to tell.
   *
   * @param ring the nodes now
   * @param onEnd told when there is nobody to tell any more, perhaps more than once
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

  /** A turn threw: there is no telling how far it was, so the call ends. */
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
        tell(ring.get());
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

  private void tell(List<RingNode> nodes) {
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

  /** Suspicion changes with every look, and is news only when it changes what is believed. */
  private static RingNode withoutPhi(RingNode node) {
    return node.toBuilder().clearPhi().build();
  }
}
