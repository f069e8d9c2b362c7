package dev.colonnade.server.cluster.net;

/**
 * Carries messages to other nodes. It guarantees neither delivery nor order, and may deliver a
 * message more than once; channel classes do not wait for each other.
 *
 * <p>Thread-safe; never blocks, and never throws because a peer is lost.
 */
public interface Transport {

  /**
   * Queues a message for the peer's address, in the channel class of its verb.
   *
   * @return false if it was dropped here because the queue to that peer is full; true says nothing
   *     about delivery
   */
  boolean send(PeerAddress to, Frame frame);

  /**
   * Starts delivering messages to the receiver; called once. The receiver is called on the
   * transport's threads, for several messages at a time; it must not block.
   */
  void receive(FrameReceiver receiver);

  /**
   * Forgets a peer that is down: closes its connections and drops what is queued for it, so that a
   * later message starts with a new connection.
   */
  void forget(PeerAddress peer);
}
