/**
 * Anti-entropy repair: finds where replicas differ, so that only that is sent between them.
 *
 * <p>The node that coordinates a repair splits ranges into leaves ({@link
 * dev.colonnade.server.cluster.repair.MerkleSplits}) of about equal size by its own data, and sends
 * the splits and the time to the other replicas. Each hashes its rows ({@link
 * dev.colonnade.server.cluster.repair.MerkleBuilder}) into a {@link
 * dev.colonnade.server.cluster.repair.MerkleTree} over the same leaves; where two trees differ,
 * rows differ. Rows are hashed as the engine's fragments give them: with deletions, without what is
 * past gc grace, and independent of how they lie in memory and files.
 *
 * <p>Repairs that cannot be made yet, because a node is down, are {@link
 * dev.colonnade.server.cluster.repair.RepairTasks}, which the node makes by itself later.
 *
 * <p>Hashing runs in bounded steps on {@code Stage.COMPACTION}, or on the read stage if a step has
 * to wait for the disk. Memory is bounded by the number of leaves and one step.
 */
@NullMarked
package dev.colonnade.server.cluster.repair;

import org.jspecify.annotations.NullMarked;
