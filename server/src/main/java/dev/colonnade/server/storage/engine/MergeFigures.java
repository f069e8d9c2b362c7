package dev.colonnade.server.storage.engine;

/**
 * A compaction that runs.
 *
 * @param files how many are being merged
 * @param bytesDone of the inputs, read so far
 * @param bytesTotal of the inputs
 */
public record MergeFigures(
    String keyspace, String family, int files, long bytesDone, long bytesTotal) {}
