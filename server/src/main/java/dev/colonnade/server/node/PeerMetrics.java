package dev.colonnade.server.node;

import dev.colonnade.server.adapter.GrpcTransport;
import dev.colonnade.server.metrics.Labels;
import dev.colonnade.server.metrics.MetricSet;
import dev.colonnade.server.net.Lane;
import dev.colonnade.server.net.LaneFigures;
import dev.colonnade.server.net.PeerAddress;
import java.util.List;
import java.util.Locale;
import java.util.TreeSet;
import java.util.function.ToDoubleFunction;

/**
 * Hands the figures of the connections between nodes to the metrics, a series for each peer and
 * lane. They begin anew when a peer was dead and forgotten.
 */
final class PeerMetrics {
  private static final String PEER = "peer";

  private final MetricSet metrics;
  private final GrpcTransport transport;
  private final TreeSet<PeerAddress> known = new TreeSet<>();

  PeerMetrics(MetricSet metrics, GrpcTransport transport) {
    this.metrics = metrics;
    this.transport = transport;
  }

  /** Takes up peers that are new and forgets those that are gone. One thread at a time. */
  void follow() {
    List<PeerAddress> peers = transport.peers();
    for (PeerAddress peer : List.copyOf(known)) {
      if (!peers.contains(peer)) {
        known.remove(peer);
        metrics.remove(PEER, peer.toString());
      }
    }
    for (PeerAddress peer : peers) {
      if (known.add(peer)) {
        for (Lane lane : Lane.values()) {
          add(peer, lane);
        }
      }
    }
  }

  private void add(PeerAddress peer, Lane lane) {
    figure(peer, lane, "connected", "1 if messages can go out", f -> f.connected() ? 1 : 0);
    figure(peer, lane, "queued_bytes", "Bodies that wait to go out", LaneFigures::queuedBytes);
    figure(peer, lane, "sent_frames", "Messages sent", LaneFigures::sentFrames);
    figure(peer, lane, "sent_batches", "How many at a time", LaneFigures::sentBatches);
    figure(peer, lane, "sent_bytes", "Bodies sent", LaneFigures::sentBytes);
    figure(peer, lane, "received_frames", "Messages received", LaneFigures::receivedFrames);
    figure(peer, lane, "received_bytes", "Bodies received", LaneFigures::receivedBytes);
    figure(
        peer,
        lane,
        "dropped_frames",
        "Messages dropped: no room, no connection, or too late",
        LaneFigures::droppedFrames);
    figure(peer, lane, "connects", "Connections made", LaneFigures::connects);
  }

  private void figure(
      PeerAddress peer, Lane lane, String what, String help, ToDoubleFunction<LaneFigures> figure) {
    metrics.gauge(
        "colonnade_peer_" + what,
        help,
        Labels.of(PEER, peer.toString()).and("lane", lane.name().toLowerCase(Locale.ROOT)),
        () -> transport.figures(peer, lane).map(f -> figure.applyAsDouble(f)).orElse(0.0));
  }
}
