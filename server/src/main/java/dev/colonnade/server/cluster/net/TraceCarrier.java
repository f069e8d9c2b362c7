package dev.colonnade.server.cluster.net;

/**
 * Takes the trace of a call along with a request to another node, and what that node saw of it back
 * with the answer. Nodes that know no traces, and answers that are lost, bring nothing back.
 */
public interface TraceCarrier {

  /** What the request carries: at most {@link Frame#TRACE_BYTES_MAX} bytes, at least one. */
  byte[] request();

  /**
   * Takes what the answer carries, before the request's future completes; on any thread. Must not
   * throw.
   */
  void answered(byte[] events);
}
