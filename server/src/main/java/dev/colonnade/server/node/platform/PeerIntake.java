package dev.colonnade.server.node.platform;

import dev.colonnade.server.base.memory.MemoryPool;
import dev.colonnade.server.base.memory.MemoryUse;
import io.grpc.Metadata;
import io.grpc.ServerStreamTracer;
import io.grpc.Status;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Accounts for the received bytes of a peer's next message. The message is not refused, since that
 * would break the stream for all other messages; instead the node has that much less memory for its
 * clients meanwhile. A stream has one message at a time, of bounded length. Thread-safe.
 */
final class PeerIntake extends ServerStreamTracer {

  private final MemoryPool.Share memory;
  private final AtomicLong held = new AtomicLong();

  private PeerIntake(MemoryPool.Share memory) {
    this.memory = memory;
  }

  /** Creates one for each stream. */
  static final class Factory extends ServerStreamTracer.Factory {
    private final MemoryPool memory;

    Factory(MemoryPool memory) {
      this.memory = memory;
    }

    @Override
    public ServerStreamTracer newServerStreamTracer(String method, Metadata headers) {
      return new PeerIntake(memory.share(1));
    }
  }

  @Override
  public void inboundWireSize(long bytes) {
    if (bytes > 0) {
      held.addAndGet(bytes);
      memory.take(MemoryUse.PEERS_RECEIVING, bytes);
    }
  }

  @Override
  public void inboundMessageRead(int number, long wireBytes, long bytes) {
    release();
  }

  @Override
  public void streamClosed(Status status) {
    release();
  }

  private void release() {
    memory.release(MemoryUse.PEERS_RECEIVING, held.getAndSet(0));
  }
}
