package dev.colonnade.server.hints;

/**
 * What is kept for one node.
 *
 * @param targetId the node
 * @param hints how many
 * @param bytes on disk; parts of a segment that were delivered count until all of it is
 * @param oldestMicros when the oldest was made, by this node's wall clock; 0 if there is none
 * @param delivering whether they are on their way now
 * @param deliveredHints of those now on their way, how many have arrived
 * @param damagedSegments segments set aside because of damage; what they held needs a repair
 * @param lastFailure why the last delivery ended early; empty if it did not
 */
public record HintFigures(
    String targetId,
    long hints,
    long bytes,
    long oldestMicros,
    boolean delivering,
    long deliveredHints,
    int damagedSegments,
    String lastFailure) {}
