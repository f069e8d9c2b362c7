package dev.colonnade.client;

import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;

/**
 * Sorts any number of columns within a bound of memory: sorted runs are spilled to files, and
 * merged at the end, with one value at a time in memory. Of several versions of one column only the
 * one that nodes would keep comes out. For one thread.
 */
final class LoadSorter {

  /** Runs that are open at a time: more are merged into one before the end. */
  private static final int RUNS_MAX = 64;

  private static final int BUFFER_BYTES = 256 << 10;

  /** Takes the columns in their order. */
  interface EntrySink {
    void take(LoadEntry entry) throws IOException;
  }

  private final Path directory;
  private final long memoryBytes;
  private final Comparator<LoadEntry> byPlace;
  private final Comparator<LoadEntry> byPlaceAndAge;
  private final List<Path> runs = new ArrayList<>();
  private List<LoadEntry> buffer = new ArrayList<>();
  private long bufferBytes;
  private int runsMade;

  /**
   * Starts empty.
   *
   * @param directory for its files; they are deleted as they are merged, and what is left of them
   *     with the directory by its owner
   * @param memoryBytes of columns that are held before they are spilled
   */
  LoadSorter(Path directory, long memoryBytes, Comparator<LoadEntry> byPlace) {
    this.directory = directory;
    this.memoryBytes = memoryBytes;
    this.byPlace = byPlace;
    this.byPlaceAndAge = LoadEntry.byPlaceAndAge(byPlace);
  }

  void add(LoadEntry entry) throws IOException {
    buffer.add(entry);
    bufferBytes += entry.heapBytes();
    if (bufferBytes >= memoryBytes) {
      spill();
    }
  }

  private void spill() throws IOException {
    buffer.sort(byPlaceAndAge.thenComparing(LoadEntry::byValue));
    Path run = newRun();
    try (DataOutputStream out = output(run)) {
      for (LoadEntry entry : buffer) {
        entry.write(out);
      }
      LoadEntry.writeEnd(out);
    }
    runs.add(run);
    buffer = new ArrayList<>();
    bufferBytes = 0;
    if (runs.size() >= RUNS_MAX) {
      mergeRuns();
    }
  }

  private Path newRun() {
    return directory.resolve("run-" + runsMade++);
  }

  private static DataOutputStream output(Path file) throws IOException {
    return new DataOutputStream(
        new BufferedOutputStream(Files.newOutputStream(file), BUFFER_BYTES));
  }

  private void mergeRuns() throws IOException {
    List<Path> merged = List.copyOf(runs);
    Path run = newRun();
    try (DataOutputStream out = output(run)) {
      merge(merged, List.of(), entry -> entry.write(out));
      LoadEntry.writeEnd(out);
    }
    runs.clear();
    runs.add(run);
    delete(merged);
  }

  /** Gives all columns in their order, and forgets them. */
  void drain(EntrySink sink) throws IOException {
    buffer.sort(byPlaceAndAge.thenComparing(LoadEntry::byValue));
    List<LoadEntry> rest = buffer;
    buffer = new ArrayList<>();
    merge(List.copyOf(runs), rest, sink);
    delete(List.copyOf(runs));
    runs.clear();
  }

  private static void delete(List<Path> files) throws IOException {
    for (Path file : files) {
      Files.deleteIfExists(file);
    }
  }

  private void merge(List<Path> files, List<LoadEntry> sorted, EntrySink sink) throws IOException {
    PriorityQueue<LoadRun> queue = new PriorityQueue<>(LoadRun.byHead(byPlaceAndAge));
    List<DataInputStream> open = new ArrayList<>();
    try {
      for (Path file : files) {
        DataInputStream in =
            new DataInputStream(new BufferedInputStream(Files.newInputStream(file), BUFFER_BYTES));
        open.add(in);
        offer(queue, LoadRun.of(in));
      }
      offer(queue, LoadRun.of(sorted));
      LoadEntry last = null;
      for (LoadRun run = queue.poll(); run != null; run = queue.poll()) {
        if (last == null || !run.isOf(last, byPlace)) {
          last = run.head();
          sink.take(last);
        }
        offer(queue, run);
      }
    } catch (UncheckedIOException e) {
      throw e.getCause();
    } finally {
      for (DataInputStream in : open) {
        in.close();
      }
    }
  }

  private static void offer(PriorityQueue<LoadRun> queue, LoadRun run) throws IOException {
    if (run.advance()) {
      queue.add(run);
    }
  }
}
