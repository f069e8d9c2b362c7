package dev.colonnade.server.node;

import dev.colonnade.server.base.metrics.Labels;
import dev.colonnade.server.base.metrics.MetricSet;
import dev.colonnade.server.cluster.net.ChannelClass;
import dev.colonnade.server.cluster.net.ChannelFigures;
import dev.colonnade.server.cluster.net.PeerAddress;
import dev.colonnade.server.node.platform.GrpcTransport;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.ToDoubleFunction;

/**
 * Registers metrics of the connections between nodes, a series for each peer and channel class.
 * They restart from zero after a peer was down and forgotten.
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

  /** Adds new peers and drops those that left. One thread at a time. */
  void follow() {
    List<PeerAddress> peers = transport.peers();
    for (PeerAddress peer : List.copyOf(known)) {
      if (!peers.contains(peer)) {
        known.remove(peer);
        metrics.remove(PEER, Set.of(peer.toString()));
      }
    }
    for (PeerAddress peer : peers) {
      if (known.add(peer)) {
        for (ChannelClass channel : ChannelClass.values()) {
          add(peer, channel);
        }
      }
    }
  }

  private void add(PeerAddress peer, ChannelClass channel) {
    figure(peer, channel, "connected", "1 if messages can be sent", f -> f.connected() ? 1 : 0);
    figure(
        peer,
        channel,
        "queued_bytes",
        "Bytes of messages waiting to be sent",
        ChannelFigures::queuedBytes);
    figure(peer, channel, "sent_frames", "Messages sent", ChannelFigures::sentFrames);
    figure(peer, channel, "sent_batches", "Batches of messages sent", ChannelFigures::sentBatches);
    figure(peer, channel, "sent_bytes", "Bytes of messages sent", ChannelFigures::sentBytes);
    figure(peer, channel, "received_frames", "Messages received", ChannelFigures::receivedFrames);
    figure(
        peer,
        channel,
        "received_bytes",
        "Bytes of messages received",
        ChannelFigures::receivedBytes);
    figure(
        peer,
        channel,
        "dropped_frames",
        "Messages dropped: no room, no connection, or too late",
        ChannelFigures::droppedFrames);
    figure(peer, channel, "connects", "Connections made", ChannelFigures::connects);
  }

  private void figure(
      PeerAddress peer,
      ChannelClass channel,
      String what,
      String help,
      ToDoubleFunction<ChannelFigures> figure) {
    metrics.gauge(
        "colonnade_peer_" + what,
        help,
        Labels.of(PEER, peer.toString()).and("channel", channel.name().toLowerCase(Locale.ROOT)),
        () -> transport.figures(peer, channel).map(f -> figure.applyAsDouble(f)).orElse(0.0));
  }
}
