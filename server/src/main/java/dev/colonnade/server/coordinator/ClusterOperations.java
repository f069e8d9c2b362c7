package dev.colonnade.server.coordinator;

import dev.colonnade.server.hints.HintFigures;
import dev.colonnade.server.ring.TokenRange;
import dev.colonnade.server.schema.ColumnFamily;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * What an operator asks about the cluster, or of it, and what one node can answer. Thread-safe;
 * never blocks; futures fail with a {@link CoordinationException}, or with another exception for
 * our own bugs.
 */
public interface ClusterOperations {

  /** All nodes that this one has heard of, and itself, by their ids. */
  List<MemberFigures> members();

  /**
   * What waits here for nodes that were away, by their ids; none of those for which nothing does.
   */
  List<HintFigures> hints();

  /**
   * Who knows which version of the schema: each version once, the one of most nodes first. The
   * empty version stands last and is that of nodes that are down or have not told.
   */
  List<KnownSchema> schemaVersions();

  /**
   * Has somebody look again now and then, as often as the ring can be expected to change.
   *
   * @param look called from any thread, one call at a time; must not block or throw
   */
  Watch watch(Runnable look);

  /**
   * Cuts a range of the ring into ranges of about so many keys, by what this node has of it. They
   * come in the order of the ring and cover it without gaps. Cancelling ends the work.
   *
   * @param keysWanted at least 1
   */
  CompletableFuture<List<KeySplit>> splits(ColumnFamily family, TokenRange range, long keysWanted);

  /**
   * Makes the node ready to be stopped: others are told that it goes, no more writes are taken, and
   * what is in memory is written to data files, so that the next start has nothing to replay. For
   * good: the node is drained also if the future fails. Asked again, it is the same future.
   *
   * @param callsEnded completes when no call of a client is under way; waited for, though not for
   *     ever
   */
  CompletableFuture<Void> drain(CompletableFuture<Void> callsEnded);

  /**
   * A version of the schema and who knows it.
   *
   * @param version equal content gives equal versions; empty: not known
   * @param nodeIds sorted
   */
  record KnownSchema(String version, List<String> nodeIds) {
    /** Copies the list. */
    public KnownSchema {
      nodeIds = List.copyOf(nodeIds);
    }
  }

  /** Somebody who looks. */
  interface Watch {
    /** No more looks after this; one that has begun goes on. Idempotent. */
    void end();
  }
}
