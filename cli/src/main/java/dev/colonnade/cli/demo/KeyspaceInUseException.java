package dev.colonnade.cli.demo;

/** A keyspace that a walkthrough would have to drop was not made by a demo. */
public final class KeyspaceInUseException extends Exception {

  private static final long serialVersionUID = 1L;

  KeyspaceInUseException(String keyspace) {
    super(
        "the node has a keyspace "
            + keyspace
            + " that no demo made; a walkthrough would drop it with all its data. Name other"
            + " walkthroughs, use another node, or drop it yourself");
  }
}
