package dev.colonnade.server.sim;

import dev.colonnade.server.base.env.RandomSource;
import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.UnaryOperator;

/** The names in one directory: as programs see them, and as a reboot would find them. */
final class DiskDirectory {
  /** Values are {@link DiskFile} or {@link DiskDirectory}. */
  private final TreeMap<String, Object> entries = new TreeMap<>();

  private TreeMap<String, Object> durable = new TreeMap<>();
  private final List<Consumer<Map<String, Object>>> unsynced = new ArrayList<>();

  Map<String, Object> entries() {
    return entries;
  }

  void link(String name, Object node) {
    change(names -> names.put(name, node));
  }

  void unlink(String name) {
    Object node = entries.get(name);
    change(names -> names.remove(name, node));
  }

  void rename(String from, String to) {
    Object node = entries.get(from);
    change(
        names -> {
          names.remove(from, node);
          names.put(to, node);
        });
  }

  private void change(Consumer<Map<String, Object>> operation) {
    operation.accept(entries);
    unsynced.add(operation);
  }

  void sync() {
    durable = new TreeMap<>(entries);
    unsynced.clear();
  }

  DiskDirectory durableCopy() {
    return copy(of(DiskFile::durableContent), directory -> directory.durable);
  }

  DiskDirectory presentCopy() {
    return copy(of(DiskFile::content), directory -> directory.entries);
  }

  DiskDirectory copyAfterCrash(RandomSource random) {
    return copy(
        of(file -> file.contentAfterCrash(random)), directory -> directory.survivors(random));
  }

  /** A file with several names takes its room once. */
  long usedBytes() {
    Set<DiskFile> files = Collections.newSetFromMap(new IdentityHashMap<>());
    collect(files);
    long bytes = 0;
    for (DiskFile file : files) {
      bytes += file.size();
    }
    return bytes;
  }

  private void collect(Set<DiskFile> files) {
    for (Object node : entries.values()) {
      if (node instanceof DiskDirectory inner) {
        inner.collect(files);
      } else {
        files.add((DiskFile) node);
      }
    }
  }

  private Map<String, Object> survivors(RandomSource random) {
    TreeMap<String, Object> survived = new TreeMap<>(durable);
    for (Consumer<Map<String, Object>> operation : unsynced) {
      if (random.nextInt(2) == 0) {
        operation.accept(survived);
      }
    }
    return survived;
  }

  /** Copies each file once, whatever number of names it has. */
  private static UnaryOperator<DiskFile> of(Function<DiskFile, byte[]> content) {
    IdentityHashMap<DiskFile, DiskFile> copies = new IdentityHashMap<>();
    return file -> {
      DiskFile known = copies.get(file);
      if (known == null) {
        known = DiskFile.of(content.apply(file));
        copies.put(file, known);
      }
      return known;
    };
  }

  private DiskDirectory copy(
      UnaryOperator<DiskFile> fileCopy, Function<DiskDirectory, Map<String, Object>> names) {
    DiskDirectory copy = new DiskDirectory();
    names
        .apply(this)
        .forEach(
            (name, node) -> {
              if (node instanceof DiskFile file) {
                copy.entries.put(name, fileCopy.apply(file));
              } else if (node instanceof DiskDirectory directory) {
                copy.entries.put(name, directory.copy(fileCopy, names));
              }
            });
    copy.sync();
    return copy;
  }
}
