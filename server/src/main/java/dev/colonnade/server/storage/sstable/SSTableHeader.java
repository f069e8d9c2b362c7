package dev.colonnade.server.storage.sstable;

import dev.colonnade.server.base.codec.ByteReader;
import dev.colonnade.server.base.codec.CorruptDataException;
import dev.colonnade.server.base.codec.FileHeader;
import dev.colonnade.server.base.codec.UnreadableFileException;
import dev.colonnade.server.base.env.FileSystem;
import dev.colonnade.server.base.env.FileSystem.ReadableFile;
import dev.colonnade.server.base.model.FamilyId;
import dev.colonnade.server.base.model.PathOrder;
import java.io.FileNotFoundException;
import java.io.IOException;

/**
 * What the header of a data file says of it, for readers that have no schema.
 *
 * @param family whose rows it has
 * @param generation the file's number in the family
 * @param partitioner the name of the one that made the tokens
 * @param comparator the type of the names of columns, or of super columns
 * @param subcomparator the type of the names in super columns; empty in a Standard family
 */
public record SSTableHeader(
    FamilyId family, long generation, String partitioner, String comparator, String subcomparator) {

  private static final int MAX_NAME_BYTES = 1024;

  /** Where a header's body begins. */
  private static final int BODY_AT = 14;

  /** The components with such a header, in the order in which they are asked. */
  private static final Component[] COMPONENTS = {
    Component.DATA, Component.META, Component.INDEX, Component.FILTER
  };

  /**
   * Reads the header of a file from the first of its components that has a sound one. Blocks.
   *
   * @param directory of the components, relative to the root of {@code files}
   * @throws FileNotFoundException if there is no component
   * @throws UnreadableFileException if none has a sound header; it is about the first
   */
  public static SSTableHeader read(FileSystem files, String directory, long generation)
      throws IOException {
    IOException first = null;
    for (Component component : COMPONENTS) {
      String name = component.fileName(generation);
      String relative = directory.isEmpty() ? name : directory + "/" + name;
      try (ReadableFile file = files.open(relative)) {
        String path = files.describe(relative);
        return of(FileHeader.read(file, path, component.format()), path);
      } catch (FileNotFoundException | UnreadableFileException unusable) {
        first = first == null ? unusable : first;
      }
    }
    throw first == null ? new FileNotFoundException(directory) : first;
  }

  /** Reads the body of a header. */
  static SSTableHeader of(FileHeader header, String path) throws IOException {
    ByteReader body = new ByteReader(header.body());
    try {
      SSTableHeader read =
          new SSTableHeader(
              new FamilyId(body.readLong(), body.readLong()),
              body.readLong(),
              body.readText("partitioner", MAX_NAME_BYTES),
              body.readText("comparator", MAX_NAME_BYTES),
              body.readText("subcomparator", MAX_NAME_BYTES));
      body.expectEnd("header");
      return read;
    } catch (CorruptDataException damage) {
      throw damage.inFile(path, BODY_AT);
    }
  }

  /** Returns the header that the components of a file have. */
  static SSTableHeader of(SSTableIdentity identity) {
    PathOrder order = identity.order();
    return new SSTableHeader(
        identity.family(),
        identity.generation(),
        identity.partitioner(),
        order.topType().typeName(),
        order.subType() == null ? "" : order.subType().typeName());
  }

  /**
   * Refuses the header of another file.
   *
   * @throws MismatchedFileException if it differs from what was expected
   */
  void require(SSTableHeader expected, String path) throws MismatchedFileException {
    require(path, "column family", expected.family.toString(), family.toString());
    require(path, "generation", "" + expected.generation, "" + generation);
    require(path, "partitioner", expected.partitioner, partitioner);
    require(path, "comparator", expected.comparator, comparator);
    require(path, "subcomparator", expected.subcomparator, subcomparator);
  }

  private static void require(String path, String what, String expected, String found)
      throws MismatchedFileException {
    if (!expected.equals(found)) {
      throw new MismatchedFileException(path, what, expected, found);
    }
  }
}
