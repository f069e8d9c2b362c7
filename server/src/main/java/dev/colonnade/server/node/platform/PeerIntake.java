package dev.colonnade.server.node.platform;

import io.grpc.Context;
import io.grpc.Metadata;
import io.grpc.ServerStreamTracer;
import io.grpc.Status;
import org.jspecify.annotations.Nullable;

/**
 * Accounts for the received bytes of the next message of one stream, and refuses the message while
 * it arrives if {@link PeerMemory} has no room for it. A stream has one message at a time, of
 * bounded length. Thread-safe.
 */
final class PeerIntake extends ServerStreamTracer {

  private static final Context.Key<PeerIntake> KEY = Context.key("peer-intake");

  private final PeerMemory memory;
  private long held;
  private long heldAsStranger;
  private boolean refused;
  private @Nullable Runnable refusal;
  private @Nullable String nodeId;

  private PeerIntake(PeerMemory memory) {
    this.memory = memory;
  }

  /** Creates one for each stream. */
  static final class Factory extends ServerStreamTracer.Factory {
    private final PeerMemory memory;

    Factory(PeerMemory memory) {
      this.memory = memory;
    }

    @Override
    public ServerStreamTracer newServerStreamTracer(String method, Metadata headers) {
      return new PeerIntake(memory);
    }
  }

  /** The intake of the stream whose call begins in this context. */
  static PeerIntake current() {
    return KEY.get();
  }

  @Override
  public Context filterContext(Context context) {
    return context.withValue(KEY, this);
  }

  /** Sets what ends the stream when a message is refused. It is called from any thread, once. */
  synchronized void onRefusal(Runnable end) {
    refusal = end;
  }

  /** Sets the node that the stream's hello names. */
  synchronized void identify(String node) {
    nodeId = node;
  }

  @Override
  public void inboundWireSize(long bytes) {
    Runnable end = bytes > 0 ? take(bytes) : null;
    if (end != null) {
      end.run();
    }
  }

  /** Returns what ends the stream if the message is refused now. */
  private synchronized @Nullable Runnable take(long bytes) {
    boolean byStranger = memory.isStranger(nodeId);
    held += bytes;
    heldAsStranger += byStranger ? bytes : 0;
    if (memory.take(bytes, byStranger) || refused) {
      return null;
    }
    refused = true;
    memory.refused();
    return refusal;
  }

  @Override
  public void inboundMessageRead(int number, long wireBytes, long bytes) {
    release();
  }

  @Override
  public void streamClosed(Status status) {
    release();
  }

  private synchronized void release() {
    memory.release(held, heldAsStranger);
    held = 0;
    heldAsStranger = 0;
  }
}
