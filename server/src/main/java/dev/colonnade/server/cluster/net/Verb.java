package dev.colonnade.server.cluster.net;

import org.jspecify.annotations.Nullable;

/**
 * The kinds of messages between nodes. Numbers are on the wire and never reused; 6 was a vote on a
 * removal in 0.2.0.
 */
public enum Verb {
  /** First message of a gossip exchange: digests. */
  GOSSIP_SYN(1, ChannelClass.GOSSIP),
  /** Second: asks for what the sender lacks, and brings what it knows better. */
  GOSSIP_ACK(2, ChannelClass.GOSSIP),
  /** Third: what the second asked for. */
  GOSSIP_ACK2(3, ChannelClass.GOSSIP),
  /** Announces an orderly shutdown, so that peers need not wait for the failure detector. */
  GOSSIP_SHUTDOWN(4, ChannelClass.GOSSIP),
  /**
   * Asks what is known of a host id; sent by a node that starts, and by one that hears of a
   * duplicate of itself.
   */
  IDENTITY(5, ChannelClass.GOSSIP),

  /** Apply the changes of one row. */
  MUTATION(10, ChannelClass.DATA),
  /** A part of one row with its deletions. */
  READ_ROW(11, ChannelClass.DATA),
  /** The digest of what {@link #READ_ROW} would answer. */
  READ_DIGEST(12, ChannelClass.DATA),
  /** Parts of rows of a range with their deletions. */
  READ_RANGE(13, ChannelClass.DATA),
  /** Corrections of a replica that was stale. */
  READ_REPAIR(14, ChannelClass.DATA),
  /** Load rows into the caches. */
  TOUCH(15, ChannelClass.DATA),
  /** Remove all rows of a family. */
  TRUNCATE(16, ChannelClass.DATA),
  /** Fetches the schema's cells, for a node whose schema differs. */
  SCHEMA_PULL(17, ChannelClass.DATA),
  /** The schema's cells, sent after a change. */
  SCHEMA_PUSH(18, ChannelClass.DATA),
  /** Fetches facts about accounts that another node knows. */
  ACCOUNT_PULL(19, ChannelClass.DATA),
  /** Facts about accounts, sent after a change. */
  ACCOUNT_PUSH(20, ChannelClass.DATA),

  /** A hint: a write that was stored for a node while it was down. */
  HINT(30, ChannelClass.BULK),
  /** Opens a stream of ranges. */
  STREAM_OPEN(31, ChannelClass.BULK),
  /** A piece of a stream. */
  STREAM_CHUNK(32, ChannelClass.BULK),
  /** The end of a stream, answered when all of it is durable. */
  STREAM_CLOSE(33, ChannelClass.BULK),
  /** Asks a node to send ranges to the requesting one. */
  STREAM_REQUEST(34, ChannelClass.BULK),
  /** A Merkle tree over a range. */
  REPAIR_TREE(35, ChannelClass.BULK),
  /** Asks a node to send ranges of a family to another node. */
  REPAIR_SYNC(36, ChannelClass.BULK),
  /** A step of a membership change. */
  MEMBERSHIP(37, ChannelClass.BULK),
  /** Takes, lists or clears snapshots. */
  SNAPSHOT(38, ChannelClass.BULK),
  /** Asks for the figures that the status page shows; older nodes do not answer. */
  FIGURES(39, ChannelClass.BULK);

  private static final Verb[] BY_NUMBER = new Verb[64];

  static {
    for (Verb verb : values()) {
      BY_NUMBER[verb.number] = verb;
    }
  }

  private final int number;
  private final ChannelClass channel;

  Verb(int number, ChannelClass channel) {
    this.number = number;
    this.channel = channel;
  }

  /** The number on the wire. */
  public int number() {
    return number;
  }

  /** The class of connections that carries it. */
  public ChannelClass channelClass() {
    return channel;
  }

  /**
   * The verb with that number.
   *
   * @return null for a number of a newer version
   */
  public static @Nullable Verb of(int number) {
    return number < 0 || number >= BY_NUMBER.length ? null : BY_NUMBER[number];
  }
}
