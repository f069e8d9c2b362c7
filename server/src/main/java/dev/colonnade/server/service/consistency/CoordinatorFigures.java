package dev.colonnade.server.service.consistency;

/**
 * Counts of reads from several replicas since the node started.
 *
 * @param mismatches reads whose replicas differed
 * @param late reads for which a spare replica was asked because another was slow
 * @param inBackground reads that compared all replicas after a weak read
 */
public record CoordinatorFigures(long mismatches, long late, long inBackground) {}
