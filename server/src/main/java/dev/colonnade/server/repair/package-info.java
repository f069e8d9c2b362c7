/**
 * Finds where replicas differ, so that only that is moved between them.
 *
 * <p>Whoever wants ranges compared cuts them into leaves ({@link
 * dev.colonnade.server.repair.MerkleSplits}) of about equal size by its own data, and tells the
 * other replicas where the cuts are and what time it is. Each hashes its rows ({@link
 * dev.colonnade.server.repair.MerkleBuilder}) into a {@link dev.colonnade.server.repair.MerkleTree}
 * over the same leaves; where two trees differ, rows differ. Rows are hashed as the engine's
 * fragments tell them: with deletions, without what is past gc grace, and without regard to how
 * they lie in memory and files.
 *
 * <p>Hashing runs in bounded steps on {@code Stage.COMPACTION}, or on the read stage where a step
 * has to wait for the disk. Memory is bounded by the number of leaves and one step.
 */
@NullMarked
package dev.colonnade.server.repair;

import org.jspecify.annotations.NullMarked;
