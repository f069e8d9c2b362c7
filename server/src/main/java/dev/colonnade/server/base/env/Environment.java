package dev.colonnade.server.base.env;

import java.util.Optional;

/**
 * The interfaces to the outside of one node, passed to constructors together.
 *
 * @param files the data directory: data files, manifest, identity
 * @param logFiles the commit log's directory, which may be on another disk
 * @param keyIndexes maps beside the data files in {@code files}
 * @param logArchive where closed segments of the commit log are kept; empty if they are not
 */
public record Environment(
    Clock clock,
    Scheduler scheduler,
    RandomSource random,
    FileSystem files,
    FileSystem logFiles,
    KeyIndexes keyIndexes,
    Optional<FileSystem> logArchive) {

  /** An environment of a node that archives no log. */
  public Environment(
      Clock clock,
      Scheduler scheduler,
      RandomSource random,
      FileSystem files,
      FileSystem logFiles,
      KeyIndexes keyIndexes) {
    this(clock, scheduler, random, files, logFiles, keyIndexes, Optional.empty());
  }
}
