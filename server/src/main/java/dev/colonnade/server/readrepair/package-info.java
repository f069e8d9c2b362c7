/**
 * What several replicas' answers say together, and what each of them lacks. Pure functions over
 * {@code model}: no clock, no input or output, and nothing of consistency levels or messages.
 *
 * <p>An answer is a {@link dev.colonnade.server.model.RowFragment} or a {@link
 * dev.colonnade.server.model.RangeFragment}: atoms with deletions, complete up to a stated end.
 * Answers are joined up to the nearest end of all, so that of everything that is shown every
 * replica that was asked has had its say, and a short answer of one can never hide what another
 * has. What lies beyond is asked for again.
 *
 * <p>A correction holds what a replica lacks of the joined part and nothing else. Once it has been
 * applied, that replica gives the joined fragment itself, so that corrections end. The exception
 * are cells that a deletion past gc grace hides on one replica and not on another: there gc grace
 * was too short, and no reader can mend it.
 */
@NullMarked
package dev.colonnade.server.readrepair;

import org.jspecify.annotations.NullMarked;
