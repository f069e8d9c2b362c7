package dev.colonnade.server.node;

import dev.colonnade.server.base.env.Environment;
import dev.colonnade.server.cluster.ring.RingNode;
import dev.colonnade.server.cluster.ring.Topology;
import dev.colonnade.server.service.accounts.Accounts;
import dev.colonnade.server.service.consistency.IncreasingTimestamps;
import dev.colonnade.server.service.schemasync.LocalSchema;
import dev.colonnade.server.storage.engine.StorageEngine;
import dev.colonnade.server.storage.engine.StorageOpening;
import dev.colonnade.server.storage.manifest.NodeIdentity;
import java.io.IOException;
import java.util.List;

/**
 * A node's store, and what it saved there about itself, about the ring and about the schema: all
 * that a node knows before it hears of others. Thread-safe; never blocks.
 */
final class NodeStorage {

  private final NodeParts parts;
  private final StorageEngine engine;
  private final NodeIdentity identity;
  private final SystemLocal systemLocal;
  private final SystemPeers systemPeers;
  private final IncreasingTimestamps timestamps;
  private final LocalSchema localSchema;
  private final Accounts accounts;
  private final SystemRepairs repairs;

  /**
   * Reads what an earlier run saved.
   *
   * @param opened to be released by the caller if this fails
   * @throws IOException if a token or generation that was saved is no such thing, or timestamps
   *     cannot be reserved
   */
  NodeStorage(NodeParts parts, StorageOpening.Opened opened) throws IOException {
    Environment environment = parts.machine().environment();
    this.parts = parts;
    this.engine = opened.engine();
    this.identity = opened.identity();
    this.systemLocal =
        new SystemLocal(engine, parts.partitioner(), identity, environment.clock(), opened.local());
    this.systemPeers =
        new SystemPeers(engine, parts.partitioner(), environment.clock(), opened.peers());
    this.accounts =
        new Accounts(
            new SystemAccounts(engine, parts.partitioner(), environment.clock()),
            environment.clock(),
            SystemAccounts.facts(opened.accounts()));
    this.repairs =
        new SystemRepairs(engine, parts.partitioner(), environment.clock(), opened.repairs());
    this.timestamps =
        new IncreasingTimestamps(
            environment.clock(),
            ReservedTimestamps.open(
                environment.files(), environment.scheduler(), environment.clock().wallMicros()));
    this.localSchema =
        new LocalSchema(
            engine,
            opened.schema(),
            parts.partitioner(),
            environment.clock(),
            environment.scheduler(),
            environment.random().fork("schema"),
            timestamps);
  }

  StorageEngine engine() {
    return engine;
  }

  NodeIdentity identity() {
    return identity;
  }

  SystemLocal systemLocal() {
    return systemLocal;
  }

  SystemPeers systemPeers() {
    return systemPeers;
  }

  /** Timestamps for columns that clients write without one. */
  IncreasingTimestamps timestamps() {
    return timestamps;
  }

  Accounts accounts() {
    return accounts;
  }

  SystemRepairs repairs() {
    return repairs;
  }

  LocalSchema localSchema() {
    return localSchema;
  }

  /** The nodes on the ring when it was last seen. */
  List<RingNode> remembered() {
    return systemPeers.remembered();
  }

  /** This node's state on the ring; a node without tokens does not announce the random one. */
  LiveCluster.InitialRingState ringState() {
    SystemLocal.Saved saved = systemLocal.saved();
    boolean hasTokens = !saved.tokens().isEmpty();
    return new LiveCluster.InitialRingState(
        hasTokens
            ? saved.tokens()
            : List.of(
                parts
                    .partitioner()
                    .randomToken(parts.machine().environment().random().fork("placeholder"))),
        systemLocal.tokensSince(),
        hasTokens,
        saved.replaced());
  }

  /** Makes the timestamps of this node differ from those of the other nodes on the ring. */
  void shareTimestamps(Topology topology) {
    timestamps.shareWith(
        topology.places().stream().map(place -> place.node().id()).toList(), identity.id());
  }
}
