package dev.colonnade.server.node;

import dev.colonnade.server.cluster.net.ChannelClass;
import dev.colonnade.server.cluster.net.ChannelFigures;
import dev.colonnade.server.cluster.net.PeerAddress;
import dev.colonnade.server.node.platform.GrpcTransport;
import java.util.Locale;
import java.util.function.ToDoubleFunction;

/**
 * Registers metrics of the connections between nodes, a series for each peer and channel class.
 * They restart from zero after a peer was down and forgotten.
 */
final class PeerMetrics {
  private static final String[] LABELS = {"peer", "channel"};

  private final Readings readings;
  private final GrpcTransport transport;

  private PeerMetrics(Readings readings, GrpcTransport transport) {
    this.readings = readings;
    this.transport = transport;
  }

  static void add(Readings readings, GrpcTransport transport) {
    new PeerMetrics(readings, transport).add();
  }

  private void add() {
    gauge("connected", "1 if messages can be sent", f -> f.connected() ? 1 : 0);
    gauge("queued_bytes", "Bytes of messages waiting to be sent", ChannelFigures::queuedBytes);
    counter("sent_frames", "Messages sent", ChannelFigures::sentFrames);
    counter("sent_batches", "Batches of messages sent", ChannelFigures::sentBatches);
    counter("sent_bytes", "Bytes of messages sent", ChannelFigures::sentBytes);
    counter("received_frames", "Messages received", ChannelFigures::receivedFrames);
    counter("received_bytes", "Bytes of messages received", ChannelFigures::receivedBytes);
    counter(
        "dropped_frames",
        "Messages dropped: no room, no connection, or too late",
        ChannelFigures::droppedFrames);
    counter("connects", "Connections made", ChannelFigures::connects);
    readings.counter(
        "colonnade_peer_refused_streams",
        "Streams refused on the port for nodes: another cluster or version, an id that the"
            + " certificate does not name, or an address at which another node answers",
        transport::refusedStreams);
  }

  private void gauge(String what, String help, ToDoubleFunction<ChannelFigures> figure) {
    readings.gauges("colonnade_peer_" + what, help, points -> each(figure, points), LABELS);
  }

  private void counter(String what, String help, ToDoubleFunction<ChannelFigures> figure) {
    readings.counters("colonnade_peer_" + what, help, points -> each(figure, points), LABELS);
  }

  private void each(ToDoubleFunction<ChannelFigures> figure, Readings.Points points) {
    for (PeerAddress peer : transport.peers()) {
      for (ChannelClass channel : ChannelClass.values()) {
        transport
            .figures(peer, channel)
            .ifPresent(
                figures ->
                    points.add(
                        figure.applyAsDouble(figures),
                        peer.toString(),
                        channel.name().toLowerCase(Locale.ROOT)));
      }
    }
  }
}
