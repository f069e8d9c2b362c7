package dev.colonnade.server.adapter;

import dev.colonnade.server.net.ChannelClass;
import dev.colonnade.server.net.FrameCodec;
import java.time.Duration;

/**
 * The limits of {@link GrpcTransport}.
 *
 * @param gossip what may wait for one peer in that lane
 * @param data what may wait for one peer in that lane
 * @param bulk what may wait for one peer in that lane
 * @param batches how messages are joined
 * @param connections how connections are made and kept
 * @param threads event loops of the data and bulk lanes; gossip always has one of its own
 * @param stopLimit how long stopping may take, so that what was sent last still goes out
 */
public record GrpcTransportSettings(
    Queue gossip,
    Queue data,
    Queue bulk,
    Batches batches,
    Connections connections,
    int threads,
    Duration stopLimit) {

  /** For a machine with so many processors. */
  public static GrpcTransportSettings forProcessors(int processors) {
    return new GrpcTransportSettings(
        new Queue(1_000, 4 << 20),
        new Queue(20_000, 32 << 20),
        new Queue(2_000, 16 << 20),
        new Batches(256, 64 << 10),
        new Connections(
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

  /** The limits of that lane. */
  Queue of(ChannelClass channel) {
    return switch (channel) {
      case GOSSIP -> gossip;
      case DATA -> data;
      case BULK -> bulk;
    };
  }

  /** These settings with another limit of the data lane. */
  public GrpcTransportSettings withData(Queue other) {
    return new GrpcTransportSettings(gossip, other, bulk, batches, connections, threads, stopLimit);
  }

  /**
   * What may wait for one peer in one lane; a message that finds no room is dropped. When nothing
   * waits, one of any length has room.
   *
   * @param maxFrames how many messages
   * @param maxBytes of their bodies together
   */
  public record Queue(int maxFrames, long maxBytes) {}

  /**
   * Messages that wait at the same time go out as one, which costs little more than the first of
   * them alone.
   *
   * @param maxFrames most messages in one
   * @param maxBytes of their bodies; a longer message goes alone
   */
  public record Batches(int maxFrames, int maxBytes) {}

  /**
   * How connections are made and kept.
   *
   * @param connectLimit a connection that is not made within this has failed
   * @param minBackoff after the first failure no connection is tried for this long; each further
   *     failure doubles it, and up to a fifth is added or taken at random
   * @param maxBackoff the longest such pause
   * @param keepAliveTime a peer that was silent for this long is asked whether it is there
   * @param keepAliveTimeout how long it has to answer before the connection is given up
   * @param windowBytes what may be under way to a peer that has not read it
   * @param maxMessageBytes a longer message of a peer ends its stream
   * @param maxAccepted connections of others at a time: each makes three, and strangers some
   * @param helloLimit a connection that has not said which node it is of within this is closed
   * @param maxPeers addresses that are remembered; streams of further ones are refused, since an
   *     address is only what somebody says
   */
  public record Connections(
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
