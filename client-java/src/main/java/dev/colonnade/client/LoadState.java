package dev.colonnade.client;

import java.io.BufferedWriter;
import java.io.Closeable;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What a load remembers for the case that it is killed: its timestamp, its directory, and which
 * replica has taken which part. A part is named by its range and by what is in it, so that a file
 * of other columns, or of another ring, has nothing in common with it. Thread-safe.
 */
final class LoadState implements Closeable {

  private static final String FORMAT = "colonnade-bulk-load-1";

  private final Optional<Path> file;
  private final long timestampMicros;
  private final Optional<Path> leftDirectory;
  private final Set<String> taken;
  private @Nullable BufferedWriter out;

  private LoadState(
      Optional<Path> file, long timestampMicros, Optional<Path> leftDirectory, Set<String> taken) {
    this.file = file;
    this.timestampMicros = timestampMicros;
    this.leftDirectory = leftDirectory;
    this.taken = taken;
  }

  /**
   * Reads the file, if there is one.
   *
   * @param family with its id and the number of its last truncation
   * @param nowMicros the timestamp of a load that begins
   * @throws IOException if it is not the state of a load of that family
   */
  static LoadState open(Optional<Path> file, String family, long nowMicros) throws IOException {
    if (file.isEmpty() || !Files.exists(file.get())) {
      return new LoadState(file, nowMicros, Optional.empty(), new HashSet<>());
    }
    List<String> lines = Files.readAllLines(file.get(), StandardCharsets.UTF_8);
    String[] first = lines.isEmpty() ? new String[0] : lines.get(0).split("\t", -1);
    if (first.length != 4 || !first[0].equals(FORMAT) || !first[1].equals(family)) {
      throw new IOException(
          file.get()
              + " is not the state of a load of "
              + family
              + " (its name, its id and the number of its last truncation); delete it to load from"
              + " the beginning, or name another one");
    }
    try {
      // A last line that was cut off names no part.
      return new LoadState(
          file,
          Long.parseLong(first[2]),
          Optional.of(Path.of(first[3])),
          new HashSet<>(lines.subList(1, lines.size())));
    } catch (IllegalArgumentException e) {
      throw new IOException(file.get() + " is damaged; delete it to load from the beginning", e);
    }
  }

  /** The timestamp of columns without one: the same when a load goes on. */
  long timestampMicros() {
    return timestampMicros;
  }

  /** The directory of the load that was killed. */
  Optional<Path> leftDirectory() {
    return leftDirectory;
  }

  /** Begins to remember. */
  synchronized void begin(String family, Path directory) throws IOException {
    if (file.isEmpty()) {
      return;
    }
    Path path = file.get();
    Path fresh = path.resolveSibling(path.getFileName() + ".new");
    try (BufferedWriter writer = Files.newBufferedWriter(fresh, StandardCharsets.UTF_8)) {
      writer.write(FORMAT + "\t" + family + "\t" + timestampMicros + "\t" + directory + "\n");
      for (String each : taken) {
        writer.write(each + "\n");
      }
    }
    Files.move(fresh, path, java.nio.file.StandardCopyOption.REPLACE_EXISTING);
    out = Files.newBufferedWriter(path, StandardCharsets.UTF_8, StandardOpenOption.APPEND);
  }

  static String name(RingRange range, LoadFile.Part part, Endpoint replica) {
    return String.join(
        " ",
        replica.nodeId(),
        Integer.toHexString((range.startToken() + "\n" + range.endToken()).hashCode()),
        Long.toString(part.rows()),
        Long.toString(part.bytes()),
        Integer.toHexString(part.checksum()));
  }

  synchronized boolean isTaken(String name) {
    return taken.contains(name);
  }

  synchronized void take(String name) throws IOException {
    taken.add(name);
    BufferedWriter writer = out;
    if (writer != null) {
      writer.write(name + "\n");
      writer.flush();
    }
  }

  /** Forgets everything: all replicas have all parts. */
  synchronized void delete() throws IOException {
    close();
    if (file.isPresent()) {
      Files.deleteIfExists(file.get());
    }
  }

  @Override
  public synchronized void close() throws IOException {
    BufferedWriter writer = out;
    out = null;
    if (writer != null) {
      writer.close();
    }
  }
}
