package dev.colonnade.server.net;

/**
 * Carries messages to other nodes. Promises neither delivery nor order nor that a message comes
 * only once; lanes do not wait for each other.
 *
 * <p>Thread-safe; never blocks and never throws for a peer that is lost.
 */
public interface Transport {

  /**
   * Queues a message for the peer's address, in the lane of its verb.
   *
   * @return false if it was dropped here because the queue to that peer is full; true says nothing
   *     about delivery
   */
  boolean send(PeerAddress to, Frame frame);

  /**
   * Begins to hand over what arrives; called once. The receiver is called from the transport's
   * threads, for several messages at a time; it must not block.
   */
  void receive(FrameReceiver receiver);

  /**
   * Forgets a peer that is down: connections are closed and what is queued for it is dropped, so
   * that a later message begins with a fresh connection.
   */
  void forget(PeerAddress peer);
}
