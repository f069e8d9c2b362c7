package dev.colonnade.server.node.platform;

import dev.colonnade.server.cluster.net.Peer;
import dev.colonnade.server.cluster.net.PeerAddress;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/** Transports on this machine's loopback, each on a port of its own, which it keeps. */
final class GrpcNodes implements AutoCloseable {
  static final GrpcTransportSettings SETTINGS = GrpcTransportSettings.forProcessors(2);

  private final Map<Integer, GrpcTransport> running = new TreeMap<>();
  private final Map<Integer, Peer> peers = new TreeMap<>();

  GrpcTransport transport(int node) {
    return running.computeIfAbsent(node, number -> start(number, "test", SETTINGS));
  }

  GrpcTransport transport(int node, String cluster, GrpcTransportSettings settings) {
    return running.computeIfAbsent(node, number -> start(number, cluster, settings));
  }

  Peer peer(int node) {
    if (!peers.containsKey(node)) {
      transport(node);
    }
    return Objects.requireNonNull(peers.get(node));
  }

  void stop(int node) {
    GrpcTransport transport = running.remove(node);
    if (transport != null) {
      transport.close();
    }
  }

  private GrpcTransport start(int node, String cluster, GrpcTransportSettings settings) {
    Peer former = peers.get(node);
    int port = former == null ? 0 : former.address().port();
    try {
      GrpcTransport transport =
          GrpcTransport.bind(new InetSocketAddress("127.0.0.1", port), settings);
      Peer peer = new Peer("node-" + node, new PeerAddress("127.0.0.1", transport.port()));
      peers.put(node, peer);
      transport.open(peer, cluster);
      return transport;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Polls for 30 seconds at most. */
  static void await(BooleanSupplier condition) {
    long deadline = System.nanoTime() + Duration.ofSeconds(30).toNanos();
    while (!condition.getAsBoolean()) {
      if (System.nanoTime() > deadline) {
        throw new AssertionError("not so within 30 seconds");
      }
      LockSupport.parkNanos(100_000);
    }
  }

  @Override
  public void close() {
    running.values().forEach(GrpcTransport::close);
    running.clear();
  }
}
