package dev.colonnade.server.node.platform;

import dev.colonnade.server.cluster.net.ChannelClass;
import dev.colonnade.server.cluster.net.FrameCodec;
import java.time.Duration;

/**
 * The limits of {@link GrpcTransport}.
 *
 * @param gossip the queue for one peer in that channel class
 * @param data the queue for one peer in that channel class
 * @param bulk the queue for one peer in that channel class
 * @param batches how messages are batched
 * @param connections how connections are opened and kept
 * @param threads event loops of the data and bulk classes; gossip always has one of its own
 * @param stopLimit how long stopping may take, so that the last messages are still sent
 */
public record GrpcTransportSettings(
    Queue gossip,
    Queue data,
    Queue bulk,
    Batches batches,
    PeerConnectionSettings connections,
    int threads,
    Duration stopLimit) {

  /** The settings for a machine with this many processors. */
  public static GrpcTransportSettings forProcessors(int processors) {
    return new GrpcTransportSettings(
        new Queue(1_000, 4 << 20),
        new Queue(20_000, 32 << 20),
        new Queue(2_000, 16 << 20),
        new Batches(256, 64 << 10),
        new PeerConnectionSettings(
            Duration.ofSeconds(5),
            Duration.ofMillis(100),
            Duration.ofSeconds(5),
            Duration.ofSeconds(10),
            Duration.ofSeconds(5),
            1 << 20,
            FrameCodec.MAX_BODY_BYTES + (1 << 20),
            4_096,
            Duration.ofSeconds(5),
            10_000),
        Math.max(1, processors),
        Duration.ofSeconds(5));
  }

  /** The limits of that channel class. */
  Queue of(ChannelClass channel) {
    return switch (channel) {
      case GOSSIP -> gossip;
      case DATA -> data;
      case BULK -> bulk;
    };
  }

  /** These settings with another queue for the data class. */
  public GrpcTransportSettings withData(Queue other) {
    return new GrpcTransportSettings(gossip, other, bulk, batches, connections, threads, stopLimit);
  }

  /**
   * The queue for one peer in one channel class; a message that finds no room is dropped. An empty
   * queue accepts a message of any length.
   *
   * @param maxFrames how many messages
   * @param maxBytes of their bodies together
   */
  public record Queue(int maxFrames, long maxBytes) {}

  /**
   * Messages queued at the same time are sent as one, which costs little more than the first of
   * them alone.
   *
   * @param maxFrames most messages in one
   * @param maxBytes of their bodies; a longer message is sent alone
   */
  public record Batches(int maxFrames, int maxBytes) {}

  /**
   * How connections are opened and kept.
   *
   * @param connectLimit a connection that is not established within this has failed
   * @param minBackoff the pause after the first failure; each further failure doubles it, and up to
   *     a fifth is added or subtracted at random
   * @param maxBackoff the longest such pause
   * @param keepAliveTime a peer that was silent for this long is pinged
   * @param keepAliveTimeout how long it has to answer before the connection is given up
   * @param windowBytes what may be in flight to a peer that has not read it
   * @param maxMessageBytes a longer message of a peer ends its stream
   * @param maxAccepted accepted connections at a time: each node opens three, and strangers some
   * @param helloLimit a connection that has not identified its node within this is closed
   * @param maxPeers addresses that are remembered; streams of further ones are refused, since
   *     anyone can claim any address
   */
  public record PeerConnectionSettings(
      Duration connectLimit,
      Duration minBackoff,
      Duration maxBackoff,
      Duration keepAliveTime,
      Duration keepAliveTimeout,
      int windowBytes,
      int maxMessageBytes,
      int maxAccepted,
      Duration helloLimit,
      int maxPeers) {}
}
