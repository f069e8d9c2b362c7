package dev.colonnade.server.cluster.hints;

/**
 * Figures of the hints kept for one node.
 *
 * @param targetId the node
 * @param hints how many
 * @param bytes on disk; delivered parts of a segment count until all of it is delivered
 * @param oldestMicros when the oldest was made, by this node's wall clock; 0 if there is none
 * @param delivering whether a dispatch runs now
 * @param deliveredHints how many the running dispatch has delivered
 * @param damagedSegments segments set aside because of damage; their content needs a repair
 * @param lastFailure why the last dispatch ended early; empty if it did not
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
