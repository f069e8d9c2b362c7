package dev.colonnade.server.base.config;

import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/** Elements of old files that have no effect in this store, and why. */
final class IgnoredElements {

  private static final String GRPC_FRAMES = "clients speak gRPC, which frames its messages itself";
  private static final String BUFFERS = "buffers are sized by what is written, within fixed bounds";
  private static final String NO_BINARY_LOAD = "there are no binary memtables";
  private static final String UNUSED = "no release of Cassandra that read it used it";

  private static final Map<String, String> REASONS =
      Map.ofEntries(
          Map.entry("SavedCachesDirectory", "caches fill by themselves and are not saved"),
          Map.entry("ThriftFramedTransport", GRPC_FRAMES),
          Map.entry("DiskAccessMode", "files are read by position into the block cache"),
          Map.entry("SlicedBufferSizeInKB", "a slice reads the blocks it needs and no more"),
          Map.entry("FlushDataBufferSizeInMB", BUFFERS),
          Map.entry("FlushIndexBufferSizeInMB", BUFFERS),
          Map.entry("BinaryMemtableThroughputInMB", NO_BINARY_LOAD),
          Map.entry("BinaryMemtableSizeInMB", NO_BINARY_LOAD),
          Map.entry(
              "ConcurrentWrites",
              "writes go through one pipeline, which shares syncs and needs no threads"),
          Map.entry("IndexInterval", "every key stands in the index of its data file"),
          Map.entry(
              "ColumnIndexSizeInKB",
              "one index leads to rows and to columns inside of them, block by block"),
          Map.entry(
              "RowWarningThresholdInMB",
              "rows of any length are read, written and merged in constant memory"),
          Map.entry("JobTrackerHost", UNUSED),
          Map.entry("JobJarFileLocation", UNUSED),
          Map.entry("CalloutLocation", UNUSED),
          Map.entry("StagingFileDirectory", "files are staged in the data directory"),
          Map.entry("ControlPort", "nodes talk over one port, <StoragePort>"));

  private IgnoredElements() {}

  static Set<String> names() {
    Set<String> names = new TreeSet<>(REASONS.keySet());
    RetiredSetting.ALL.forEach(retired -> names.add(retired.element()));
    return names;
  }

  static Optional<String> reason(String element) {
    return Optional.ofNullable(REASONS.get(element))
        .or(
            () ->
                RetiredSetting.ALL.stream()
                    .filter(retired -> retired.element().equals(element))
                    .map(RetiredSetting::reason)
                    .findFirst());
  }
}
