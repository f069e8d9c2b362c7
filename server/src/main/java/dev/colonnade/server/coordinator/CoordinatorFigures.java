package dev.colonnade.server.coordinator;

/**
 * What reads of several replicas met since the node started.
 *
 * @param mismatches reads whose replicas differed
 * @param late reads for which another replica was asked because one took too long
 * @param inBackground reads that compared all replicas after a weak read
 */
public record CoordinatorFigures(long mismatches, long late, long inBackground) {}
