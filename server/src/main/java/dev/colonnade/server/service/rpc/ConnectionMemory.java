package dev.colonnade.server.service.rpc;

import dev.colonnade.server.base.memory.MemoryPool;
import dev.colonnade.server.base.memory.NodeMemory;
import io.grpc.Attributes;
import io.grpc.ServerTransportFilter;

/**
 * The memory accounts of one client connection.
 *
 * @param heap for decoded requests and answers being built
 * @param direct for network buffers
 */
record ConnectionMemory(MemoryPool.PoolShare heap, MemoryPool.PoolShare direct) {

  /**
   * The weight with which the largest request that the protocol allows, decoded, fits the pool of a
   * small heap if there is no other request.
   */
  static final int HEAP_WEIGHT = 2;

  private static final Attributes.Key<ConnectionMemory> KEY =
      Attributes.Key.create("colonnade-connection-memory");

  static ConnectionMemory of(NodeMemory memory) {
    return new ConnectionMemory(memory.heap().share(HEAP_WEIGHT), memory.direct().share(1));
  }

  /** Gives each connection its own accounts. */
  static ServerTransportFilter filter(NodeMemory memory) {
    return new ServerTransportFilter() {
      @Override
      public Attributes transportReady(Attributes attributes) {
        return attributes.toBuilder().set(KEY, of(memory)).build();
      }
    };
  }

  /** The accounts of a connection; {@code fallback} for one of a transport without filters. */
  static ConnectionMemory of(Attributes attributes, ConnectionMemory fallback) {
    ConnectionMemory memory = attributes.get(KEY);
    return memory == null ? fallback : memory;
  }
}
