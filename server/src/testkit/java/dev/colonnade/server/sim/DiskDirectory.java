package dev.colonnade.server.sim;

import dev.colonnade.server.base.env.RandomSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
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
    return copy(durable, DiskFile::durableContent, DiskDirectory::durableCopy);
  }

  DiskDirectory presentCopy() {
    return copy(entries, DiskFile::content, DiskDirectory::presentCopy);
  }

  long usedBytes() {
    long bytes = 0;
    for (Object node : entries.values()) {
      bytes += node instanceof DiskDirectory inner ? inner.usedBytes() : ((DiskFile) node).size();
    }
    return bytes;
  }

  DiskDirectory copyAfterCrash(RandomSource random) {
    TreeMap<String, Object> survived = new TreeMap<>(durable);
    for (Consumer<Map<String, Object>> operation : unsynced) {
      if (random.nextInt(2) == 0) {
        operation.accept(survived);
      }
    }
    return copy(
        survived,
        file -> file.contentAfterCrash(random),
        directory -> directory.copyAfterCrash(random));
  }

  private static DiskDirectory copy(
      Map<String, Object> names,
      Function<DiskFile, byte[]> fileContent,
      UnaryOperator<DiskDirectory> directoryCopy) {
    DiskDirectory copy = new DiskDirectory();
    names.forEach(
        (name, node) -> {
          if (node instanceof DiskFile file) {
            copy.entries.put(name, DiskFile.of(fileContent.apply(file)));
          } else if (node instanceof DiskDirectory directory) {
            copy.entries.put(name, directoryCopy.apply(directory));
          }
        });
    copy.sync();
    return copy;
  }
}
