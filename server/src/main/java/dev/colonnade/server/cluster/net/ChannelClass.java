package dev.colonnade.server.cluster.net;

/**
 * The classes of connections between nodes. Each has its own, so that one kind of message never
 * waits behind another.
 */
public enum ChannelClass {
  /** Gossip: small messages that must not be late. */
  GOSSIP,
  /** Requests and answers for client calls. */
  DATA,
  /** Hints, streams of ranges, repair. */
  BULK
}
