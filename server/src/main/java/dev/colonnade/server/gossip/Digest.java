package dev.colonnade.server.gossip;

/**
 * How much somebody knows of a node. In an answer it asks for what is newer; then generation 0 asks
 * for everything.
 *
 * @param hash of the node's id
 */
record Digest(long hash, long generation, long version) {

  static Digest of(EndpointState state) {
    return new Digest(state.hash(), state.generation(), state.version());
  }

  static Digest everythingOf(long hash) {
    return new Digest(hash, 0, 0);
  }
}
