package dev.colonnade.cli.shell.run;

import java.io.IOException;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemLoopException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The file that an export writes. A plain file appears when it is complete: it is written beside
 * its place and renamed. Links are followed to the file that they name. A pipe, a device or a
 * descriptor of this process cannot be replaced, so it is written directly. For one thread.
 */
final class ExportFile implements AutoCloseable {

  /** As many as Linux follows. */
  private static final int MAX_LINKS = 40;

  private static final Set<String> STANDARD_OUTPUT =
      Set.of("/dev/stdout", "/dev/fd/1", "/proc/self/fd/1");

  private final Writer writer;

  /** Where the complete file belongs. */
  private final Path place;

  /** What is written until then; null where the place itself is written. */
  private final @Nullable Path part;

  private ExportFile(Writer writer, Path place, @Nullable Path part) {
    this.writer = writer;
    this.place = place;
    this.part = part;
  }

  static ExportFile open(Path named) throws IOException {
    Path place = followed(named);
    if (!replaceable(place)) {
      Writer direct =
          Files.newBufferedWriter(
              named, StandardCharsets.UTF_8, StandardOpenOption.WRITE, StandardOpenOption.APPEND);
      return new ExportFile(direct, place, null);
    }
    Path part = place.resolveSibling(place.getFileName() + ".part");
    return new ExportFile(create(part), place, part);
  }

  private static Path followed(Path named) throws IOException {
    Path at = named.toAbsolutePath();
    for (int links = 0; Files.isSymbolicLink(at); links++) {
      if (links == MAX_LINKS) {
        throw new FileSystemLoopException(named.toString());
      }
      at = at.resolveSibling(Files.readSymbolicLink(at));
    }
    return at;
  }

  /** A file below /proc or /dev may look plain, and is a descriptor that somebody has open. */
  private static boolean replaceable(Path place) {
    Path plain = place.normalize();
    return !plain.startsWith("/proc")
        && !plain.startsWith("/dev")
        && (Files.notExists(place) || Files.isRegularFile(place));
  }

  /** Another export may be writing that file, or have left it when it was killed. */
  private static Writer create(Path part) throws IOException {
    try {
      return Files.newBufferedWriter(
          part, StandardCharsets.UTF_8, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
    } catch (FileAlreadyExistsException e) {
      throw new IOException(
          part
              + " exists: another copy to this file is running, or one was interrupted and left it;"
              + " in that case remove it",
          e);
    }
  }

  Writer writer() {
    return writer;
  }

  /** Whether the records go where the answers of statements go. */
  static boolean isStandardOutput(Path named) {
    return STANDARD_OUTPUT.contains(named.toAbsolutePath().normalize().toString());
  }

  /** Puts what was written in its place. */
  void complete() throws IOException {
    writer.close();
    if (part != null) {
      if (!replaceable(place)) {
        throw new IOException(place + " is no plain file any more, so it is not replaced");
      }
      Files.move(part, place, StandardCopyOption.REPLACE_EXISTING);
    }
  }

  /** Removes what is not complete. */
  @Override
  public void close() throws IOException {
    try {
      writer.close();
    } finally {
      if (part != null) {
        boolean unused = Files.deleteIfExists(part);
      }
    }
  }
}
