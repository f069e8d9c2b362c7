/**
 * Coordinates reads: of a row, of a range of rows, and of rows to be loaded into caches.
 *
 * <p>{@code CoordinatedReads} begins a {@code PagedRowRead} or {@code PagedRangeRead}, whose turns
 * make {@link dev.colonnade.server.base.model.ReadCommand}s; a command is answered by this node's
 * store or by several replicas ({@code ReplicaRead}), whose differences are repaired before the
 * answer counts; {@code ClusterRanges} divides a scan's commands among the owners of its ranges.
 */
@NullMarked
package dev.colonnade.server.service.read;

import org.jspecify.annotations.NullMarked;
