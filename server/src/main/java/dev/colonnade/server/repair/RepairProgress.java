package dev.colonnade.server.repair;

/**
 * How far a repair is.
 *
 * @param done ranges of families that were compared, and mended where they differed
 * @param total ranges of families to compare
 * @param mismatchedRanges leaves, or runs of them, that differed on some replica so far
 * @param movedRows rows that travelled between replicas so far; rows beside those that differ
 *     travel with them
 * @param skippedReplicas replicas that were down when their range's turn came, counted once for
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
