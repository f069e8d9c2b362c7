package dev.colonnade.server.service.admin;

import dev.colonnade.server.base.schema.ColumnFamily;
import dev.colonnade.server.cluster.hints.HintFigures;
import dev.colonnade.server.cluster.ring.TokenRange;
import dev.colonnade.server.service.consistency.CoordinationException;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * Administrative calls about the cluster that one node can answer. Thread-safe; never blocks;
 * futures fail with a {@link CoordinationException}, or with another exception for our own bugs.
 */
public interface ClusterOperations {

  /** All nodes that this node knows, itself included, by their ids. */
  List<MemberFigures> members();

  /** The hints stored here for other nodes, by their ids; nodes without hints are left out. */
  List<HintFigures> hints();

  /**
   * The schema versions and the nodes that have each: each version once, the most common first. The
   * empty version comes last; it lists the nodes that are down or have not announced a version.
   */
  List<KnownSchema> schemaVersions();

  /**
   * Calls {@code look} repeatedly, as often as the ring can be expected to change.
   *
   * @param look called from any thread, one call at a time; must not block or throw
   */
  Watch watch(Runnable look);

  /**
   * Cuts a range of the ring into ranges of about {@code keysWanted} keys each, judged by this
   * node's data. The ranges come in ring order and cover the whole range without gaps. Cancelling
   * the future stops the work.
   *
   * @param keysWanted at least 1
   */
  CompletableFuture<List<KeySplit>> splits(ColumnFamily family, TokenRange range, long keysWanted);

  /**
   * Prepares the node for shutdown: announces the shutdown to other nodes, stops accepting writes,
   * and flushes the memtables, so that the next start has nothing to replay. The node stays drained
   * even if the future fails. Repeated calls return the same future.
   *
   * @param callsEnded completes when no client call is in progress; draining waits for it up to a
   *     limit
   */
  CompletableFuture<Void> drain(CompletableFuture<Void> callsEnded);

  /**
   * A version of the schema and the nodes that have it.
   *
   * @param version equal content gives equal versions; empty if not known
   * @param nodeIds sorted
   */
  record KnownSchema(String version, List<String> nodeIds) {
    /** Copies the list. */
    public KnownSchema {
      nodeIds = List.copyOf(nodeIds);
    }
  }

  /** A registered watch. */
  interface Watch {
    /** Stops the watch; a call in progress completes. Idempotent. */
    void end();
  }
}
