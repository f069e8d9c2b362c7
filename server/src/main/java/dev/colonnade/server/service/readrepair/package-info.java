/**
 * Resolves the answers of several replicas and computes what each of them lacks. Pure functions
 * over {@code model}: no clock, no input or output, no consistency levels, no messages.
 *
 * <p>An answer is a {@link dev.colonnade.server.base.model.RowFragment} or a {@link
 * dev.colonnade.server.base.model.RangeFragment}: atoms with deletions, complete up to a stated
 * end. Answers are resolved up to the nearest end of all of them, so that everything returned was
 * checked against every replica asked, and a short answer of one replica cannot hide what another
 * has. What lies beyond is read again.
 *
 * <p>A correction holds what a replica lacks of the resolved part and nothing else. Once it is
 * applied, that replica answers the resolved fragment itself, so corrections end. The exception are
 * cells that a deletion past gc grace hides on one replica but not on another: there gc grace was
 * too short, and no read can repair that.
 */
@NullMarked
package dev.colonnade.server.service.readrepair;

import org.jspecify.annotations.NullMarked;
