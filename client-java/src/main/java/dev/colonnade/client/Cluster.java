package dev.colonnade.client;

import java.util.List;

/**
 * The cluster as the answering node sees it. Methods wait, at most for the client's deadline, and
 * throw {@link ColonnadeException}. Thread-safe.
 *
 * <pre>{@code
 * Cluster cluster = client.cluster();
 * for (RingNode node : cluster.ring("").nodes()) {
 *   System.out.println(node.state() + " " + node.liveness() + " " + node.owns());
 * }
 * // prints NORMAL UP 1.0
 * System.out.println(cluster.schemaVersions().agreed()); // prints true
 * KeyEndpoints replicas = cluster.endpoints("Blog", "bob".getBytes("UTF-8"));
 * System.out.println(replicas.endpoints().size()); // prints 1
 * try (Cursor<Split> splits = cluster.splits("Blog", "Users", 1000)) {
 *   System.out.println(splits.next().estimatedKeys()); // prints 0
 * }
 * }</pre>
 */
public final class Cluster {

  private final AsyncCluster async;

  Cluster(AsyncCluster async) {
    this.async = async;
  }

  /** The same with futures. */
  public AsyncCluster async() {
    return async;
  }

  /** The same, called with other options. */
  public Cluster with(CallOptions other) {
    return new Cluster(async.with(other));
  }

  /** Describes the cluster and its fixed settings. */
  public ClusterDescription describe() {
    return Transport.await(async.describe());
  }

  /**
   * Returns which nodes hold which ranges of the ring.
   *
   * @param keyspace whose replicas are meant; empty: the nodes only, without ranges
   * @throws NotFoundException if there is no such keyspace
   * @throws InvalidRequestException for {@code system}, which is not on the ring
   */
  public Ring ring(String keyspace) {
    return Transport.await(async.ring(keyspace));
  }

  /**
   * Returns which nodes hold a row.
   *
   * @throws NotFoundException if there is no such keyspace
   * @throws InvalidRequestException for a bad key, and for {@code system}
   */
  public KeyEndpoints endpoints(String keyspace, byte[] key) {
    return Transport.await(async.endpoints(keyspace, key));
  }

  /** Returns which nodes have which version of the schema. */
  public SchemaVersions schemaVersions() {
    return Transport.await(async.schemaVersions());
  }

  /**
   * Cuts the ring into ranges with about the same number of keys each, for jobs that read a family
   * in parallel. They come in the order of the ring, without gaps and without overlaps.
   *
   * @param keysPerSplit 0 for the node's default, 65,536
   */
  public Cursor<Split> splits(String keyspace, String family, int keysPerSplit) {
    return new Cursor<>(async.splits(keyspace, family, keysPerSplit));
  }

  /**
   * Cuts a part of the ring.
   *
   * @param within whose tokens are taken; its endpoints do not matter
   */
  public Cursor<Split> splits(String keyspace, String family, int keysPerSplit, RingRange within) {
    return new Cursor<>(async.splits(keyspace, family, keysPerSplit, within));
  }

  /**
   * Cuts a family for a job that reads it in parallel: as {@link #splits(String, String, int)}, but
   * each range of the ring is cut by a node that holds it, and by its next owner if that does not
   * answer. Rows of a part are read with {@link KeyRange#in}.
   *
   * <p>A client that knows only the nodes that it was given asks those; a range that none of them
   * has stays whole.
   *
   * @param keysPerSplit 0 for the node's default, 65,536
   * @throws UnavailableException if no owner of a range answers
   */
  public List<Split> splitsByOwners(String keyspace, String family, int keysPerSplit) {
    return OwnerSplits.of(async, keyspace, family, keysPerSplit, null);
  }

  /**
   * Cuts a part of the ring; see {@link #splitsByOwners(String, String, int)}.
   *
   * @param within whose tokens are taken; its endpoints do not matter
   */
  public List<Split> splitsByOwners(
      String keyspace, String family, int keysPerSplit, RingRange within) {
    return OwnerSplits.of(async, keyspace, family, keysPerSplit, within);
  }

  /**
   * Shows the ring and its changes: first all nodes, and then those that have changed, each in its
   * present state; one that has left comes a last time as {@link RingNode.State#LEFT}. Waits
   * without a deadline for the next change, until it is closed or the connection breaks. Changes
   * that happen while the reader is busy are combined.
   */
  public Cursor<List<RingNode>> watchRing() {
    return new Cursor<>(async.watchRing());
  }
}
