package dev.colonnade.server.node.platform;

import dev.colonnade.internode.v1.Batch;
import dev.colonnade.server.cluster.net.Frame;
import io.grpc.netty.shaded.io.netty.util.concurrent.EventExecutor;
import java.util.List;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Writes frames from a queue to a stream, batching those that are queued at the same time. Frames
 * may come from any thread; the stream is written on its event loop only, and only while it is
 * ready. Frames queued while the loop is busy are sent as one message.
 */
final class StreamWriter {

  /** The stream, as the writer sees it. On the event loop. */
  interface Sink {
    /**
     * Whether a message would be sent soon. If not, {@link StreamWriter#flush} is called when it is
     * ready.
     */
    boolean isReady();

    /** Whether a frame is meant for the node at the other end. */
    boolean admits(Frame frame);

    void write(Batch batch);

    /** Ends the stream after all frames are written. */
    void finish();
  }

  private final EventExecutor loop;
  private final OutboundQueue queue;
  private final ChannelCounters counters;
  private final GrpcTransportSettings.Batches limits;
  private final Runnable wanted;
  private final Consumer<Frame> unsent;
  private final AtomicBoolean scheduled = new AtomicBoolean();
  private @Nullable Sink sink;
  private boolean finishing;

  /**
   * Creates a writer without a stream.
   *
   * @param wanted called on the loop when frames wait and there is no stream
   * @param unsent receives frames dropped by {@link #drop}, and those that are meant for another
   *     node than the stream leads to, after they are removed
   */
  StreamWriter(
      EventExecutor loop,
      OutboundQueue queue,
      ChannelCounters counters,
      GrpcTransportSettings.Batches limits,
      Runnable wanted,
      Consumer<Frame> unsent) {
    this.loop = loop;
    this.queue = queue;
    this.counters = counters;
    this.limits = limits;
    this.wanted = wanted;
    this.unsent = unsent;
  }

  /** Queues a frame; false if there is no room. Any thread. */
  boolean send(Frame frame) {
    if (!queue.offer(frame)) {
      counters.dropped.increment();
      return false;
    }
    wake();
    return true;
  }

  /** Makes the loop check the queue. Any thread. */
  void wake() {
    if (scheduled.get() || !scheduled.compareAndSet(false, true)) {
      return;
    }
    try {
      loop.execute(this::run);
    } catch (RejectedExecutionException stopped) {
      drop();
    }
  }

  private void run() {
    // Reset before the queue is checked: a frame added after the check wakes the loop again.
    scheduled.set(false);
    if (sink == null && !queue.isEmpty()) {
      wanted.run();
    }
    flush();
  }

  /** Gives the writer a stream, or takes it away. On the loop. */
  void attach(@Nullable Sink newSink) {
    sink = newSink;
  }

  /** Writes queued frames as long as the stream is ready. On the loop. */
  void flush() {
    Sink to = sink;
    while (to != null && to.isReady()) {
      Batch batch = nextBatch(to);
      if (batch == null) {
        break;
      }
      to.write(batch);
    }
    if (to != null && finishing && queue.isEmpty()) {
      finishing = false;
      to.finish();
    }
  }

  /** Ends the stream after all queued frames are written. On the loop. */
  void finish() {
    finishing = true;
    flush();
  }

  /** Drops all queued frames. */
  void drop() {
    List<Frame> dropped = queue.clear();
    counters.dropped.add(dropped.size());
    dropped.forEach(unsent);
  }

  private @Nullable Batch nextBatch(Sink to) {
    OutboundQueue.QueuedFrame next = queue.peek();
    if (next == null) {
      return null;
    }
    long now = System.nanoTime();
    Batch.Builder batch = Batch.newBuilder();
    int bytes = 0;
    while (next != null && batch.getFramesCount() < limits.maxFrames()) {
      Frame frame = next.frame();
      int length = frame.body().length;
      if (bytes > 0 && bytes + length > limits.maxBytes()) {
        break;
      }
      queue.poll();
      long left = frame.timeoutNanos() - (now - next.sinceNanos());
      if (frame.timeoutNanos() != 0 && left <= 0) {
        counters.dropped.increment();
      } else if (!to.admits(frame)) {
        counters.dropped.increment();
        unsent.accept(frame);
      } else {
        bytes += length;
        batch.addFrames(PeerMessages.toMessage(frame, frame.timeoutNanos() == 0 ? 0 : left));
      }
      next = queue.peek();
    }
    int frames = batch.getFramesCount();
    if (frames == 0) {
      return null;
    }
    counters.sentFrames.add(frames);
    counters.sentBatches.increment();
    counters.sentBytes.add(bytes);
    return batch.build();
  }
}
