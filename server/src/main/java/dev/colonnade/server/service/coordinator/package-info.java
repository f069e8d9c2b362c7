/**
 * Coordinates a client's request over the replicas of its rows at a consistency level: sends it,
 * counts the answers, applies timeouts, and resolves differences.
 *
 * <p>{@link dev.colonnade.server.service.coordinator.RowStore} is the interface for services.
 * Requests arrive validated: families exist, names fit their types, limits are checked. Futures
 * complete on the thread that brought the last answer, so code composed on them must not block.
 *
 * <p>A read: {@code CoordinatedReads} begins a {@code PagedRowRead} or {@code PagedRangeRead},
 * whose turns make {@link dev.colonnade.server.base.model.ReadCommand}s; a command is answered by
 * this node's store ({@code Replicas.readHere}) or by several replicas ({@code ReplicaRead}, {@code
 * ReplicaReadCommand}); {@code ClusterRanges} divides a scan's commands among the owners of its
 * ranges.
 *
 * <p>This package must not contain wire formats, gRPC, validation of client input, or storage.
 */
@NullMarked
package dev.colonnade.server.service.coordinator;

import org.jspecify.annotations.NullMarked;
