package dev.colonnade.server.rpc;

import dev.colonnade.server.memory.MemoryPool;
import dev.colonnade.server.memory.NodeMemory;
import io.grpc.Attributes;
import io.grpc.ServerTransportFilter;

/**
 * What one connection of a client holds of the node's memory.
 *
 * @param heap of decoded requests and answers in the making
 * @param direct of the network's buffers
 */
record ConnectionMemory(MemoryPool.Share heap, MemoryPool.Share direct) {

  /**
   * The largest request that the protocol allows, with what it becomes, fits the pool of a small
   * heap when there is no other one.
   */
  static final int HEAP_WEIGHT = 2;

  private static final Attributes.Key<ConnectionMemory> KEY =
      Attributes.Key.create("colonnade-connection-memory");

  static ConnectionMemory of(NodeMemory memory) {
    return new ConnectionMemory(memory.heap().share(HEAP_WEIGHT), memory.direct().share(1));
  }

  /** Gives each connection its own. */
  static ServerTransportFilter filter(NodeMemory memory) {
    return new ServerTransportFilter() {
      @Override
      public Attributes transportReady(Attributes attributes) {
        return attributes.toBuilder().set(KEY, of(memory)).build();
      }
    };
  }

  /** That of a connection; {@code fallback} for one of a transport without filters. */
  static ConnectionMemory of(Attributes attributes, ConnectionMemory fallback) {
    ConnectionMemory memory = attributes.get(KEY);
    return memory == null ? fallback : memory;
  }
}
