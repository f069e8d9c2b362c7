package dev.colonnade.server.commitlog;

/**
 * What opening a log found.
 *
 * @param segments how many there were
 * @param records how many were replayed
 * @param bytes their frames together
 * @param droppedBytes torn bytes at the end of the last segment that were left out: writes that
 *     never completed
 */
public record LogRecovery(int segments, long records, long bytes, long droppedBytes) {}
