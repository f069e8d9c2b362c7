package dev.colonnade.server.storage.commitlog;

/**
 * The size of a log, and what it has done since it was opened.
 *
 * @param segments how many there are now, the one being written included
 * @param bytes their size together
 * @param appends groups written
 * @param records records in them
 * @param appendedBytes bytes written
 * @param syncs times the file was synced
 * @param archive of its segments; all 0 if they are not archived
 */
public record LogFigures(
    int segments,
    long bytes,
    long appends,
    long records,
    long appendedBytes,
    long syncs,
    Archive archive) {

  /**
   * What has come of the archive since the log was opened.
   *
   * @param segments that were archived
   * @param failures attempts that failed
   * @param gaps segments that were deleted without being archived
   * @param waitingBytes of segments that are kept only until they are archived
   */
  public record Archive(long segments, long failures, long gaps, long waitingBytes) {}
}
