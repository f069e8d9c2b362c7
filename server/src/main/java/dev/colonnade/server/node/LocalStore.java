package dev.colonnade.server.node;

import dev.colonnade.server.base.codec.CorruptFileException;
import dev.colonnade.server.base.codec.UnreadableFileException;
import dev.colonnade.server.base.config.CommitLogOptions;
import dev.colonnade.server.base.config.DirectorySettings;
import dev.colonnade.server.base.config.NodeSettings;
import dev.colonnade.server.base.config.StorageSettings;
import dev.colonnade.server.base.config.StorageSettings.CompressionSetting;
import dev.colonnade.server.base.env.Clock;
import dev.colonnade.server.base.env.Environment;
import dev.colonnade.server.base.env.FileSystem;
import dev.colonnade.server.base.env.LockedException;
import dev.colonnade.server.base.env.RandomSource;
import dev.colonnade.server.base.memory.MemoryPlan;
import dev.colonnade.server.base.schema.SchemaException;
import dev.colonnade.server.node.platform.ChronicleKeyIndexes;
import dev.colonnade.server.node.platform.FileDescriptors;
import dev.colonnade.server.node.platform.OsFileSystem;
import dev.colonnade.server.node.platform.StageScheduler;
import dev.colonnade.server.storage.commitlog.CommitLogSettings;
import dev.colonnade.server.storage.engine.EngineSettings;
import dev.colonnade.server.storage.engine.WorkSteps;
import dev.colonnade.server.storage.manifest.Manifest;
import dev.colonnade.server.storage.manifest.NodeIdentity;
import dev.colonnade.server.storage.sstable.SSTableSettings;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/** Opens a node's store in its directories, and explains to the operator why it cannot. */
final class LocalStore {

  /** The approximate size of a key cache entry. */
  private static final int KEY_CACHE_ENTRY_BYTES = 160;

  /** Two log segments are plenty for the flushes that free disk space. */
  private static final long DISK_RESERVE_BYTES_MAX = 256L << 20;

  private static final long LOG_BYTES_MIN = 1L << 30;

  /** Far above the largest message that a client may send. */
  private static final int LOG_RECORD_BYTES_MAX = 64 << 20;

  private LocalStore() {}

  /** The directories of one node, open. */
  record Directories(OsFileSystem data, OsFileSystem commitLog, Optional<OsFileSystem> logArchive) {

    static Directories open(NodeSettings settings) throws NodeStartException {
      Optional<String> tooFew =
          FileDescriptors.whyTooFew(
              FileDescriptors.limitOfProcess(), Runtime.getRuntime().availableProcessors());
      if (tooFew.isPresent()) {
        throw new NodeStartException(tooFew.get());
      }
      String archive = settings.get(DirectorySettings.COMMIT_LOG_ARCHIVE);
      return new Directories(
          open(settings.get(DirectorySettings.DATA)),
          open(settings.get(DirectorySettings.COMMIT_LOG)),
          archive.isEmpty() ? Optional.empty() : Optional.of(open(archive)));
    }

    private static OsFileSystem open(String directory) throws NodeStartException {
      try {
        return OsFileSystem.open(Path.of(directory));
      } catch (IOException e) {
        throw new NodeStartException(
            "cannot use the directory " + directory + ": " + e.getMessage(), e);
      }
    }

    /** Each by what it holds. */
    SortedMap<String, OsFileSystem> byName() {
      return new TreeMap<>(Map.of("commitlog", commitLog, "data", data));
    }

    /** The identity of the node that owns the data here; empty if there is none yet. */
    Optional<NodeIdentity> owner() throws NodeStartException {
      try {
        return Manifest.exists(data) ? Optional.of(Manifest.readIdentity(data)) : Optional.empty();
      } catch (IOException e) {
        throw new NodeStartException(String.valueOf(e.getMessage()), e);
      }
    }
  }

  static Environment environment(
      Directories directories, Clock clock, StageScheduler scheduler, RandomSource random) {
    return new Environment(
        clock,
        scheduler,
        random,
        directories.data(),
        directories.commitLog(),
        new ChronicleKeyIndexes(directories.data()),
        directories.logArchive().map(FileSystem.class::cast));
  }

  static NodeRuntime open(NodeParts parts, NodeSettings settings) throws NodeStartException {
    try {
      return NodeOpening.open(parts);
    } catch (LockedException e) {
      throw new NodeStartException(
          "the data directory "
              + settings.get(DirectorySettings.DATA)
              + " is in use by another node: stop that one, or start this one with another --data",
          e);
    } catch (UnreadableFileException e) {
      throw new NodeStartException(e.getMessage() + advice(e), e);
    } catch (SchemaException e) {
      throw new NodeStartException("the stored schema cannot be used: " + e.getMessage(), e);
    } catch (IOException e) {
      throw new NodeStartException(String.valueOf(e.getMessage()), e);
    }
  }

  /**
   * Advice for an unreadable file. A damaged data file does not get here: the store opens without
   * it.
   */
  private static String advice(UnreadableFileException e) {
    if (!(e instanceof CorruptFileException corrupt)) {
      return "";
    }
    String what =
        corrupt.path().endsWith(".log")
            ? "It is a segment of the commit log, and may hold the only copy of the latest writes."
            : "Without it the node does not know what the other files are.";
    return " The node does not start, and nothing was changed. "
        + what
        + " Keep the file, and follow 'A damaged file' in docs/operations.md.";
  }

  /** How many positions fit into a key cache of this size. */
  static long keyCacheEntries(long bytes) {
    return bytes / KEY_CACHE_ENTRY_BYTES;
  }

  static EngineSettings engineSettings(NodeSettings settings, MemoryPlan plan) {
    SSTableSettings files =
        SSTableSettings.DEFAULT
            .withBlockBytes(
                settings.get(StorageSettings.BLOCK_BYTES),
                SSTableSettings.DEFAULT.indexBlockBytes())
            .withCompression(
                settings.get(StorageSettings.COMPRESSION) == CompressionSetting.LZ4
                    ? SSTableSettings.BlockCompression.LZ4
                    : SSTableSettings.BlockCompression.NONE);
    long segment = settings.get(CommitLogOptions.SEGMENT_BYTES);
    return new EngineSettings(
        new CommitLogSettings(segment, Math.max(LOG_BYTES_MIN, 4 * segment), LOG_RECORD_BYTES_MAX),
        settings.get(CommitLogOptions.SYNC) == CommitLogOptions.Sync.BATCH,
        settings.get(CommitLogOptions.SYNC_PERIOD),
        StorageSettings.memtableBytesMax(settings),
        settings.get(StorageSettings.MEMTABLE_TOTAL_BYTES),
        settings.get(StorageSettings.ROW_CACHE_BYTES),
        settings.get(StorageSettings.BLOCK_CACHE_BYTES),
        settings.get(StorageSettings.OFF_HEAP_BLOCK_CACHE_BYTES),
        plan.filterBytes(),
        keyCacheEntries(settings.get(StorageSettings.KEY_CACHE_BYTES)),
        settings.get(StorageSettings.COMPACTION_BYTES_PER_SECOND),
        settings.get(StorageSettings.SCRUB_BYTES_PER_SECOND),
        settings.get(StorageSettings.SNAPSHOT_BYTES_PER_SECOND),
        Math.min(DISK_RESERVE_BYTES_MAX, 2 * segment),
        EngineSettings.FAMILY_FILES_MAX,
        WorkSteps.DEFAULT,
        files);
  }
}
