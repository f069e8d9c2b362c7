package dev.colonnade.server.cluster.gossip;

/**
 * Hears what happens to nodes, changes of this node's own states included. Called on CONTROL, in
 * the order in which it was learned, when {@link Gossiper#members} shows it already. Must not
 * block.
 */
public interface MemberListener {

  /** A new node became known. It is not considered up yet; {@link #alive} follows. */
  default void joined(Member member) {}

  /** A node came back with a new generation, possibly with another address. */
  default void restarted(Member member) {}

  /** A node is up. */
  default void alive(Member member) {}

  /** A node is down: suspected, shut down, or gone. */
  default void dead(Member member) {}

  /** A node announced a new value. */
  default void changed(Member member, ApplicationState key) {}

  /** A node left or was removed for good: its status says which. It is down. */
  default void departed(Member member) {}

  /** A node was forgotten. */
  default void removed(Member member) {}

  /** All events of one message or round have been delivered. */
  default void onBatchEnd() {}

  /** Another process uses this node's host id, or the id was removed. Told once. */
  default void conflict(HostIdConflict conflict) {}

  /** A node of another cluster was met, here or at a seed. Told once for each. */
  default void refused(String message) {}
}
