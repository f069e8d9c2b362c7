package dev.colonnade.server.service.consistency;

import dev.colonnade.server.base.model.FamilyId;
import dev.colonnade.server.base.schema.ColumnFamily;
import dev.colonnade.server.base.schema.FamilyDefinition;
import dev.colonnade.server.base.schema.KeyspaceDefinition;
import dev.colonnade.server.base.schema.Schema;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * The schema and its changes, as the services see them. Thread-safe; never blocks.
 *
 * <p>Every change completes with the version of the schema that holds it, once that schema is
 * durable on this node and {@link #current} returns it. It fails with a {@link
 * dev.colonnade.server.base.schema.SchemaException} if it was refused, which changes nothing, or
 * with a {@link CoordinationException}.
 */
public interface SchemaStore {

  /** The schema now. */
  Schema current();

  /** Adds a keyspace with its families. */
  CompletableFuture<String> createKeyspace(KeyspaceDefinition keyspace);

  /**
   * Changes a keyspace.
   *
   * @param maskPaths the fields to take from {@code keyspace}; empty for all that are set
   */
  CompletableFuture<String> updateKeyspace(KeyspaceDefinition keyspace, List<String> maskPaths);

  /** Removes a keyspace, its families and their rows. */
  CompletableFuture<String> dropKeyspace(String name);

  /** Adds a family. */
  CompletableFuture<String> createFamily(FamilyDefinition family);

  /** Changes a family; {@code maskPaths} as in {@link #updateKeyspace}. */
  CompletableFuture<String> updateFamily(FamilyDefinition family, List<String> maskPaths);

  /** Removes a family and its rows. */
  CompletableFuture<String> dropFamily(String keyspace, String name);

  /**
   * Removes all rows of a family on all nodes, deletions included; completes when that is durable.
   */
  CompletableFuture<Void> truncate(ColumnFamily family, long deadlineNanos);

  /**
   * Applies on this node a truncation that is being applied on all. Does nothing if it, or a later
   * one, was applied already.
   *
   * @return completes when it is durable here and writes from before it are void
   */
  CompletableFuture<String> truncateHere(FamilyId family, long number);

  /**
   * Waits for a change until a deadline; the change itself continues.
   *
   * @param deadlineNanos by the monotonic clock; {@link Long#MAX_VALUE} for none
   * @return fails with {@link CoordinationException.ReplicaTimeout} at the deadline
   */
  CompletableFuture<String> inTime(CompletableFuture<String> change, long deadlineNanos);
}
