package dev.colonnade.server.engine;

import dev.colonnade.server.commitlog.CommitLog;
import dev.colonnade.server.manifest.Manifest;
import dev.colonnade.server.sstable.SSTableResources;
import java.io.Closeable;

/**
 * What opening a store has brought up.
 *
 * @param lock keeps others off the directory
 * @param partitioner the name that file headers carry
 */
record StoreParts(
    Closeable lock,
    Manifest manifest,
    CommitLog log,
    SSTableResources resources,
    FileCloser closer,
    String partitioner) {}
