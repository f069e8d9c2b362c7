package dev.colonnade.server.storage.engine;

/**
 * Figures of the scrub in the background.
 *
 * @param verifiedBytes of data files whose checksums were compared, since the start
 * @param damagedFiles files in which it found damage, since the start
 * @param lastPassSeconds when a pass over all files last ended, in seconds since 1970; 0 if none
 *     has since the start
 */
public record ScrubFigures(long verifiedBytes, long damagedFiles, long lastPassSeconds) {}
