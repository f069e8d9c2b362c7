package dev.colonnade.server.cluster.repair;

/**
 * The progress of a repair.
 *
 * @param done ranges of families that were compared, and repaired where they differed
 * @param total ranges of families to compare
 * @param mismatchedRanges leaves, or runs of them, that differed on some replica so far
 * @param movedRows rows sent between replicas so far; rows beside those that differ are sent with
 *     them
 * @param skippedReplicas replicas that were down when their range was compared, counted once for
 *     each range and family
 * @param detail for people
 */
public record RepairProgress(
    long done,
    long total,
    long mismatchedRanges,
    long movedRows,
    long skippedReplicas,
    String detail) {}
