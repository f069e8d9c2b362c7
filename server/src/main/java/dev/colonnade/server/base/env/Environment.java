package dev.colonnade.server.base.env;

/**
 * The interfaces to the outside of one node, passed to constructors together.
 *
 * @param files the data directory: data files, manifest, identity
 * @param logFiles the commit log's directory, which may be on another disk
 * @param keyIndexes maps beside the data files in {@code files}
 */
public record Environment(
    Clock clock,
    Scheduler scheduler,
    RandomSource random,
    FileSystem files,
    FileSystem logFiles,
    KeyIndexes keyIndexes) {}
