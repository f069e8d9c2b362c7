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
 */
public record LogFigures(
    int segments, long bytes, long appends, long records, long appendedBytes, long syncs) {}
