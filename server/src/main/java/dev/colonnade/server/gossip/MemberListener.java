package dev.colonnade.server.gossip;

/**
 * Hears what happens to nodes, this node's own states included. Called on CONTROL, in the order in
 * which it was learned, when {@link Gossiper#members} shows it already. Must not block.
 */
public interface MemberListener {

  /** A node that was not known. It is not held to be up yet; {@link #alive} follows. */
  default void joined(Member member) {}

  /** A node came back with a new generation, and maybe under another address. */
  default void restarted(Member member) {}

  /** A node is up. */
  default void alive(Member member) {}

  /** A node is down: suspected, stopped, or gone. */
  default void dead(Member member) {}

  /** A node said something anew. */
  default void changed(Member member, ApplicationState key) {}

  /** A node left or was removed for good: its status says which. It is down. */
  default void departed(Member member) {}

  /** Nothing is known of a node any more. */
  default void removed(Member member) {}

  /** The last of what one message or round told has been told. */
  default void onBatchEnd() {}

  /** This node's id is somebody else's too. Told once. */
  default void conflict(HostIdConflict conflict) {}

  /** A node of another cluster was met, here or at a seed. Told once for each. */
  default void refused(String message) {}
}
