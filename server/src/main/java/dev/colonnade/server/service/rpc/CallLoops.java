package dev.colonnade.server.service.rpc;

import io.grpc.Attributes;
import io.grpc.ServerTransportFilter;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Finds the {@link LoopTurns} of the event loop that serves a connection. Thread-safe. */
final class CallLoops {

  private static final Attributes.Key<LoopTurns> KEY = Attributes.Key.create("colonnade-turns");

  private final Supplier<@Nullable Executor> current;
  private final LongSupplier nanos;
  private final Map<Executor, LoopTurns> known = new ConcurrentHashMap<>();

  /**
   * Creates the finder; loops are found when a connection arrives.
   *
   * @param current the calling thread's event loop, always the same object for the same loop, which
   *     runs a task after it has polled all its connections once more; null on a thread that is no
   *     event loop, where every call starts at once
   * @param nanos the monotonic clock
   */
  CallLoops(Supplier<@Nullable Executor> current, LongSupplier nanos) {
    this.current = current;
    this.nanos = nanos;
  }

  /** Records the loop of each connection. */
  ServerTransportFilter filter() {
    return new ServerTransportFilter() {
      @Override
      public Attributes transportReady(Attributes attributes) {
        Executor loop = current.get();
        return loop == null ? attributes : attributes.toBuilder().set(KEY, turns(loop)).build();
      }
    };
  }

  private LoopTurns turns(Executor loop) {
    return known.computeIfAbsent(loop, itself -> new LoopTurns(new CallLoop(itself), nanos));
  }

  /** An event loop as its turns see it. */
  private final class CallLoop implements LoopTurns.Loop {
    private final Executor loop;

    CallLoop(Executor loop) {
      this.loop = loop;
    }

    @Override
    public void afterOthers(Runnable task) {
      loop.execute(task);
    }

    @Override
    public boolean isCurrent() {
      return current.get() == loop;
    }
  }

  /** The turns of a connection's loop; null if its calls start at once. */
  static @Nullable LoopTurns of(Attributes attributes) {
    return attributes.get(KEY);
  }
}
