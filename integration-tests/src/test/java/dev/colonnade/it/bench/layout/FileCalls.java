package dev.colonnade.it.bench.layout;

/**
 * Calls to the file system and the bytes that they moved.
 *
 * @param reads calls that read
 * @param bytesRead what they read
 * @param writes calls that wrote
 * @param bytesWritten what they wrote
 */
record FileCalls(long reads, long bytesRead, long writes, long bytesWritten) {

  /** Those since {@code before}. */
  FileCalls since(FileCalls before) {
    return new FileCalls(
        reads - before.reads,
        bytesRead - before.bytesRead,
        writes - before.writes,
        bytesWritten - before.bytesWritten);
  }
}
