package dev.colonnade.server.sim;

import dev.colonnade.server.base.env.Environment;
import dev.colonnade.server.cluster.net.PeerAddress;
import dev.colonnade.server.cluster.net.Transport;
import java.io.IOException;
import java.util.concurrent.CompletableFuture;

/** A node that runs in a world. When its machine crashes it is just dropped. */
public interface SimNode {

  /** Stops in order, as SIGTERM does. */
  CompletableFuture<Void> stop();

  /**
   * What a node is made from.
   *
   * @param name of its machine
   * @param address where the others find it
   * @param boot how often this machine started a node, this time included
   * @param port where clients reach it
   */
  record Seams(
      String name,
      PeerAddress address,
      int boot,
      Environment environment,
      Transport transport,
      SimPort port) {}

  /** Makes nodes. */
  interface Factory<N extends SimNode> {

    /**
     * Starts a node on what is on its disk.
     *
     * @throws IOException if the disk refuses, which is no bug while faults are on
     */
    N start(Seams seams) throws IOException;
  }
}
