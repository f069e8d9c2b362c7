package dev.colonnade.server.storage.sstable;

import dev.colonnade.server.base.codec.ByteWriter;
import dev.colonnade.server.base.codec.FileFormat;
import dev.colonnade.server.base.codec.FileHeader;
import dev.colonnade.server.base.env.FileSystem;
import dev.colonnade.server.base.env.FileSystem.ReadableFile;
import dev.colonnade.server.base.model.FamilyId;
import dev.colonnade.server.base.model.PathOrder;
import java.io.IOException;
import java.util.List;
import java.util.OptionalLong;
import java.util.stream.Stream;

/**
 * Identifies a data file, and says how its contents are ordered.
 *
 * @param directory of its components, relative to the file system's root
 * @param generation unique in the family, 0 to 999,999,999,999; later files have greater ones
 * @param family the column family
 * @param partitioner the name of the one that made the tokens
 * @param order of the cells
 * @param suffix behind the names of its components: empty while it is live
 */
public record SSTableIdentity(
    String directory,
    long generation,
    FamilyId family,
    String partitioner,
    PathOrder order,
    String suffix) {
  /** How the names of files with rows end. */
  public static final String ROWS_SUFFIX = "-Data.db";

  private static final long MAX_GENERATION = 999_999_999_999L;
  private static final int GENERATION_DIGITS = 12;

  /** Checks the generation. */
  public SSTableIdentity {
    if (generation < 0 || generation > MAX_GENERATION) {
      throw new IllegalArgumentException(
          "a data file's generation is " + generation + "; it must be 0 to " + MAX_GENERATION);
    }
  }

  /** Creates the identity of a live file, or of one that will be. */
  public SSTableIdentity(
      String directory, long generation, FamilyId family, String partitioner, PathOrder order) {
    this(directory, generation, family, partitioner, order, "");
  }

  /** The generation in a component's file name, temporary ones included; empty for other names. */
  public static OptionalLong generationOf(String fileName) {
    if (fileName.length() <= GENERATION_DIGITS || fileName.charAt(GENERATION_DIGITS) != '-') {
      return OptionalLong.empty();
    }
    long generation = 0;
    for (int i = 0; i < GENERATION_DIGITS; i++) {
      int digit = fileName.charAt(i) - '0';
      if (digit < 0 || digit > 9) {
        return OptionalLong.empty();
      }
      generation = generation * 10 + digit;
    }
    String rest = fileName.substring(GENERATION_DIGITS);
    for (Component component : Component.values()) {
      String suffix = component.fileName(0).substring(GENERATION_DIGITS);
      if (rest.equals(suffix) || rest.equals(suffix + Component.TEMPORARY_SUFFIX)) {
        return OptionalLong.of(generation);
      }
    }
    return OptionalLong.empty();
  }

  /** Returns the same file with another suffix to its names; a start ignores such names. */
  public SSTableIdentity withSuffix(String other) {
    return new SSTableIdentity(directory, generation, family, partitioner, order, other);
  }

  /**
   * The names of the files that make a whole copy of it, in its directory: rows, sparse index,
   * filter and statistics, none of which is written again. The key index is left out, which is
   * mapped for writing while it is open, and is rebuilt where it is missing.
   */
  public List<String> lastingFileNames() {
    return Stream.of(Component.DATA, Component.FILTER, Component.INDEX, Component.META)
        .map(component -> component.fileName(generation) + suffix)
        .toList();
  }

  /** The path of the rows, relative to the file system's root. */
  public String dataPath() {
    return path(Component.DATA);
  }

  /**
   * Renames the existing components of the file. Durable when this returns; after a crash in
   * between, repeating it completes the work.
   */
  public void rename(FileSystem files, SSTableIdentity to) throws IOException {
    boolean any = false;
    for (Component component : Component.values()) {
      if (files.exists(path(component))) {
        files.rename(path(component), to.path(component));
        any = true;
      }
    }
    if (any) {
      files.syncDirectory(directory);
    }
  }

  /** Whether the file of its key index is there. */
  public boolean hasKeyIndex(FileSystem files) throws IOException {
    return files.exists(path(Component.KEYS));
  }

  String path(Component component) {
    String name = component.fileName(generation) + suffix;
    return directory.isEmpty() ? name : directory + "/" + name;
  }

  String temporaryPath(Component component) {
    return path(component) + Component.TEMPORARY_SUFFIX;
  }

  void writeHeader(ByteWriter out, FileFormat format) {
    SSTableHeader header = SSTableHeader.of(this);
    ByteWriter body = new ByteWriter(128);
    body.writeLong(family.high());
    body.writeLong(family.low());
    body.writeLong(generation);
    body.writeText(header.partitioner());
    body.writeText(header.comparator());
    body.writeText(header.subcomparator());
    FileHeader.write(out, format, body.toByteArray());
  }

  /**
   * Reads a header and compares it with what was expected.
   *
   * @return its length
   * @throws MismatchedFileException if the file is sound but not this one
   */
  int checkHeader(ReadableFile file, String path, FileFormat format) throws IOException {
    FileHeader header = FileHeader.read(file, path, format);
    SSTableHeader.of(header, path).require(SSTableHeader.of(this), path);
    return header.length();
  }
}
