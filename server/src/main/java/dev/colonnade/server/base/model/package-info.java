/**
 * Cells, deletions, rows, and the pure rule that merges them.
 *
 * <p>A row is one sorted sequence of cells. A cell's path is (column) in a Standard family and
 * (super column, column) in a Super family, so a super column is simply a range of that sequence.
 * Deletions of a row, of a cell and of a range of paths hide cells with timestamps up to their own.
 * {@link dev.colonnade.server.base.model.Reconcile} decides between two versions of one cell;
 * everything else in this package is built so that merging is commutative, associative and
 * idempotent.
 *
 * <p>Byte arrays passed to this package are never changed afterwards, by either side; there are no
 * defensive copies because these are the hottest objects of the node.
 *
 * <p>Not allowed here: I/O, clocks, threads, settings, wire formats. The merge semantics follow
 * Bigtable (OSDI 2006, section 2) and the first Cassandra (LADIS 2009, section 3); range deletions
 * and the deterministic tie-break are original.
 */
@NullMarked
package dev.colonnade.server.base.model;

import org.jspecify.annotations.NullMarked;
