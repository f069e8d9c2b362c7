package dev.colonnade.server.cluster.gossip;

/**
 * How much the sender knows of a node. In an answer it requests what is newer; generation 0 then
 * requests everything.
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
