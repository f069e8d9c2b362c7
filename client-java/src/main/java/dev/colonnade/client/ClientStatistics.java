package dev.colonnade.client;

/**
 * What a client did beside the calls of its program, since it was made.
 *
 * @param nodes the nodes that it knows and calls
 * @param retries calls that were made again after they had failed
 * @param speculativeReads reads that were made on a second node before the first had answered
 * @param speculativeWins those whose second node answered first
 * @param speculationsRefused reads that would have been made on a second node, had the budget
 *     allowed it: where this grows, the nodes are slow as a whole
 */
public record ClientStatistics(
    int nodes,
    long retries,
    long speculativeReads,
    long speculativeWins,
    long speculationsRefused) {}
