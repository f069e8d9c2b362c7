package dev.colonnade.it.bench.layout;

import dev.colonnade.it.Folders;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** The command that measures what the layout of the data files costs. */
@Command(
    name = "layout",
    mixinStandardHelpOptions = true,
    description = {
      "Measures bytes on disk for a byte of payload, and calls to the file system for an insert and"
          + " for a read without caches, for narrow, wide and super rows, beside a B-tree table of"
          + " SQLite that takes the same inserts in the same random order. Runs on Linux; takes"
          + " some minutes.",
      "Payload is keys, once for each row, names and values. Writes count the log, flushes and"
          + " merges; reads and writes of the key index, which is mapped into memory, are page"
          + " faults and not counted."
    })
public final class LayoutBenchmark implements Callable<Integer> {

  @Option(
      names = "--inserts",
      defaultValue = "200000",
      description = "Inserts of each shape (default ${DEFAULT-VALUE}).")
  private int inserts;

  @Option(
      names = "--reads",
      defaultValue = "2000",
      description = "Reads of random rows (default ${DEFAULT-VALUE}).")
  private int reads;

  @Option(
      names = "--memory",
      defaultValue = "16",
      description =
          "MiB for memtables, and for the pages of the B-tree (default ${DEFAULT-VALUE}).")
  private int memoryMebibytes;

  @Option(
      names = "--seed",
      defaultValue = "1",
      description = "Of the order of inserts and reads (default ${DEFAULT-VALUE}).")
  private long seed;

  /** For picocli. */
  public LayoutBenchmark() {}

  /**
   * What was measured.
   *
   * @param payload bytes of keys, names and values
   * @param onDisk bytes by the part of the layout
   * @param written calls and bytes of all inserts, with what follows them in the background
   * @param read calls and bytes of all reads
   */
  record Measured(
      String store,
      LayoutShape shape,
      int inserts,
      int reads,
      long payload,
      Map<String, Long> onDisk,
      FileCalls written,
      FileCalls read) {

    double diskOfByte() {
      return onDisk.values().stream().mapToLong(Long::longValue).sum() / (double) payload;
    }
  }

  private interface Opening {
    LayoutStore open(Path directory, LayoutShape shape, long memoryBytes) throws Exception;
  }

  @Override
  public Integer call() throws Exception {
    System.out.println("seed " + seed);
    System.out.printf(
        Locale.ROOT,
        "%-7s %-9s %9s %10s %12s %10s %11s %11s%n",
        "rows",
        "store",
        "inserts",
        "disk/byte",
        "write calls",
        "written",
        "read calls",
        "bytes read");
    System.out.printf(
        Locale.ROOT,
        "%-7s %-9s %9s %10s %12s %10s %11s %11s%n",
        "",
        "",
        "",
        "",
        "per insert",
        "per byte",
        "per read",
        "per read");
    List<Measured> all = new ArrayList<>();
    for (LayoutShape shape : LayoutShape.values()) {
      all.add(measure("colonnade", shape, ColonnadeLayout::new));
      print(all.get(all.size() - 1));
      all.add(measure("b-tree", shape, BTreeLayout::new));
      print(all.get(all.size() - 1));
    }
    System.out.println();
    for (Measured each : all) {
      System.out.println(
          each.shape().label()
              + ", "
              + each.store()
              + ", bytes on disk by part: "
              + each.onDisk().entrySet().stream()
                  .map(
                      part ->
                          String.format(
                              Locale.ROOT,
                              "%s %.4f",
                              part.getKey(),
                              part.getValue() / (double) each.payload()))
                  .collect(Collectors.joining(", ")));
    }
    return 0;
  }

  private static void print(Measured each) {
    System.out.printf(
        Locale.ROOT,
        "%-7s %-9s %9d %10.2f %12.2f %10.1f %11.2f %11.0f%n",
        each.shape().label(),
        each.store(),
        each.inserts(),
        each.diskOfByte(),
        each.written().writes() / (double) each.inserts(),
        each.written().bytesWritten() / (double) each.payload(),
        each.read().reads() / (double) each.reads(),
        each.read().bytesRead() / (double) each.reads());
  }

  private Measured measure(String name, LayoutShape shape, Opening opening) throws Exception {
    Path directory = Files.createTempDirectory("colonnade-bench-");
    try {
      return measure(name, shape, opening, directory);
    } finally {
      Folders.delete(directory);
    }
  }

  private Measured measure(String name, LayoutShape shape, Opening opening, Path directory)
      throws Exception {
    int rows = shape.rows(inserts);
    int count = shape.inserts(rows);
    List<Integer> order = IntStream.range(0, count).boxed().collect(Collectors.toList());
    Collections.shuffle(order, new Random(seed));
    long payload = 0;
    for (int row = 0; row < rows; row++) {
      payload += shape.key(row).length;
    }
    try (LayoutStore store = opening.open(directory, shape, (long) memoryMebibytes << 20)) {
      FileCalls before = store.calls();
      for (int number : order) {
        LayoutShape.Insert insert = shape.insert(number);
        payload += insert.bytesWithoutKey();
        store.insert(insert);
      }
      store.settle();
      FileCalls written = store.calls().since(before);
      // After files that merges replaced are gone for certain.
      store.reopenCold();
      Map<String, Long> onDisk = store.bytesOnDisk();
      Random random = new Random(seed + 1);
      before = store.calls();
      for (int i = 0; i < reads; i++) {
        byte[] key = shape.key(random.nextInt(rows));
        if (store.read(key) == 0) {
          throw new IOException("a row that was written is not there");
        }
      }
      return new Measured(
          name, shape, count, reads, payload, onDisk, written, store.calls().since(before));
    }
  }
}
