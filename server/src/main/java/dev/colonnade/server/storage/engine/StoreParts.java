package dev.colonnade.server.storage.engine;

import dev.colonnade.server.storage.commitlog.CommitLog;
import dev.colonnade.server.storage.manifest.Manifest;
import dev.colonnade.server.storage.sstable.SSTableResources;
import java.io.Closeable;

/**
 * The parts that opening a store creates.
 *
 * @param lock keeps other processes off the directory
 * @param partitioner the name that file headers carry
 */
record StoreParts(
    Closeable lock,
    Manifest manifest,
    CommitLog log,
    SSTableResources resources,
    FileCloser closer,
    String partitioner) {}
