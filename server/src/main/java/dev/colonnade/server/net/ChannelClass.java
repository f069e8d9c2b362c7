package dev.colonnade.server.net;

/** Connections of their own, so that one kind of message never waits behind another. */
public enum ChannelClass {
  /** Heartbeats and what spreads with them; small and never late. */
  GOSSIP,
  /** Requests and answers of clients' calls. */
  DATA,
  /** Hints, streams of ranges, repair. */
  BULK
}
