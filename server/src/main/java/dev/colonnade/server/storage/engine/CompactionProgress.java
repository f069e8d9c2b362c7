package dev.colonnade.server.storage.engine;

/**
 * The progress of a compaction.
 *
 * @param bytesDone of the inputs, read so far
 * @param bytesTotal of the inputs
 * @param files how many are being merged
 */
public record CompactionProgress(long bytesDone, long bytesTotal, int files) {}
