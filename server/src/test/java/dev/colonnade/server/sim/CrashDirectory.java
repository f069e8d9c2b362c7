package dev.colonnade.server.sim;

import dev.colonnade.server.env.RandomSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.UnaryOperator;

/** The names in one directory: as programs see them, and as a reboot would find them. */
final class CrashDirectory {
  /** Values are {@link CrashFile} or {@link CrashDirectory}. */
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

  CrashDirectory durableCopy() {
    return copy(durable, CrashFile::durableContent, CrashDirectory::durableCopy);
  }

  CrashDirectory copyAfterCrash(RandomSource random) {
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

  private static CrashDirectory copy(
      Map<String, Object> names,
      Function<CrashFile, byte[]> fileContent,
      UnaryOperator<CrashDirectory> directoryCopy) {
    CrashDirectory copy = new CrashDirectory();
    names.forEach(
        (name, node) -> {
          if (node instanceof CrashFile file) {
            copy.entries.put(name, CrashFile.of(fileContent.apply(file)));
          } else if (node instanceof CrashDirectory directory) {
            copy.entries.put(name, directoryCopy.apply(directory));
          }
        });
    copy.sync();
    return copy;
  }
}
