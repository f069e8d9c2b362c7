package dev.colonnade.server.node.offline;

import dev.colonnade.server.base.env.KeyIndexes;
import dev.colonnade.server.base.env.PlugInException;
import dev.colonnade.server.base.model.Atom;
import dev.colonnade.server.base.model.Cell;
import dev.colonnade.server.base.model.DataLimits;
import dev.colonnade.server.base.model.DeletionTime;
import dev.colonnade.server.base.model.FamilyId;
import dev.colonnade.server.base.model.InvalidNameException;
import dev.colonnade.server.base.model.PathOrder;
import dev.colonnade.server.base.model.RangeTombstoneMarker;
import dev.colonnade.server.base.model.RowKey;
import dev.colonnade.server.base.schema.ComparatorResolver;
import dev.colonnade.server.base.schema.SystemKeyspace;
import dev.colonnade.server.cluster.ring.InvalidKeyException;
import dev.colonnade.server.cluster.ring.Partitioner;
import dev.colonnade.server.cluster.ring.Partitioners;
import dev.colonnade.server.node.platform.ChronicleKeyIndexes;
import dev.colonnade.server.node.platform.OsFileSystem;
import dev.colonnade.server.storage.manifest.Edit;
import dev.colonnade.server.storage.manifest.Manifest;
import dev.colonnade.server.storage.manifest.ManifestFile;
import dev.colonnade.server.storage.sstable.SSTableIdentity;
import dev.colonnade.server.storage.sstable.SSTableWriter;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Writes rows into one new data file, of a node that does not run or of a directory of data files.
 * It becomes part of the store in one step with {@link #finish}; without that nothing is left. Rows
 * come in the order of the files, and everything that is added is checked as a node checks what
 * clients write. Memory does not grow with the input, apart from the file's filter.
 *
 * <p>One thread at a time; blocks. After an exception only {@link #close} is allowed.
 */
public final class DataFileImport implements Closeable {

  /**
   * What the rows are of.
   *
   * @param family its id
   * @param partitioner the name of the one that makes the tokens
   * @param order of columns
   */
  public record Shape(FamilyId family, String partitioner, PathOrder order) {

    /**
     * Returns a shape of built-in types.
     *
     * @param subcomparator empty for a Standard family
     * @throws OfflineException if there is no such type
     */
    public static Shape of(
        FamilyId family, String partitioner, String comparator, String subcomparator)
        throws OfflineException {
      ComparatorResolver types = ComparatorResolver.builtIns();
      try {
        return new Shape(
            family,
            partitioner,
            new PathOrder(
                types.resolve(comparator),
                subcomparator.isEmpty() ? null : types.resolve(subcomparator)));
      } catch (PlugInException unknown) {
        throw new OfflineException(String.valueOf(unknown.getMessage()), unknown);
      }
    }
  }

  private final OsFileSystem files;
  private final Partitioner partitioner;
  private final PathOrder order;
  private final SSTableIdentity identity;
  private final SSTableWriter writer;

  /** Whether a manifest lists the file in the end. */
  private final boolean listed;

  private @Nullable RowKey row;
  private @Nullable Atom last;
  private DeletionTime open = DeletionTime.NONE;
  private long cells;

  private DataFileImport(
      OsFileSystem files,
      KeyIndexes keyIndexes,
      Partitioner partitioner,
      SSTableIdentity identity,
      boolean listed)
      throws IOException {
    this.files = files;
    this.partitioner = partitioner;
    this.order = identity.order();
    this.identity = identity;
    this.listed = listed;
    this.writer = SSTableWriter.create(OfflineResources.of(files, keyIndexes), identity);
  }

  /**
   * Begins a file of a family of a node.
   *
   * @param directory the node's, open until this is closed
   * @throws OfflineException if it is no node's, or the family is one of the node's own
   */
  public static DataFileImport into(DataDirectory directory, OfflineFamily family)
      throws IOException, OfflineException {
    if (!directory.hasManifest()) {
      throw new OfflineException(directory.root() + " is not the data directory of a node");
    }
    if (family.keyspace().equals(SystemKeyspace.NAME)) {
      throw new OfflineException(family.title() + " is the node's own; nothing is imported there");
    }
    SSTableIdentity identity =
        new SSTableIdentity(
            family.directory(),
            directory.nextGeneration(family),
            family.id(),
            family.partitioner(),
            family.order());
    return new DataFileImport(
        directory.files(),
        directory.keyIndexes(),
        directory.partitioner(family.partitioner()),
        identity,
        true);
  }

  /**
   * Begins a file in a directory of data files, which is created if there is none. Its number
   * follows those in the directory.
   *
   * @throws OfflineException if the directory is a node's, or the partitioner is not built in
   */
  public static DataFileImport create(Path directory, Shape shape)
      throws IOException, OfflineException {
    Optional<Partitioner> partitioner = Partitioners.builtIn(shape.partitioner());
    if (partitioner.isEmpty()) {
      throw new OfflineException(
          "the partitioner "
              + shape.partitioner()
              + " is not built in; import into the data directory of a node that has its jar");
    }
    long generation = 1;
    if (Files.isDirectory(directory)) {
      try (DataDirectory known = DataDirectory.open(directory)) {
        if (known.hasManifest()) {
          throw new OfflineException(
              directory + " belongs to a node; import into one of its families with --family");
        }
        for (OfflineFamily family : known.families()) {
          for (OfflineFile file : family.files()) {
            generation = Math.max(generation, file.identity().generation() + 1);
          }
        }
      }
    }
    OsFileSystem files = OsFileSystem.open(directory);
    SSTableIdentity identity =
        new SSTableIdentity("", generation, shape.family(), shape.partitioner(), shape.order());
    return new DataFileImport(
        files, new ChronicleKeyIndexes(files), partitioner.get(), identity, false);
  }

  /**
   * Begins a row, and ends the one before.
   *
   * @param deletion of the whole row, or none
   * @param openAtStart the range deletion in force before the first column, or none
   * @throws OfflineException if it cannot be in this file, or not here
   */
  public void startRow(byte[] key, DeletionTime deletion, DeletionTime openAtStart)
      throws IOException, OfflineException {
    if (key.length < 1 || key.length > DataLimits.KEY_BYTES) {
      throw new OfflineException(
          "a row key has 1 to " + DataLimits.KEY_BYTES + " bytes, not " + key.length);
    }
    RowKey next;
    try {
      next = partitioner.rowKey(key);
    } catch (InvalidKeyException invalid) {
      throw new OfflineException(String.valueOf(invalid.getMessage()), invalid);
    }
    RowKey before = row;
    if (before != null && before.compareTo(next) >= 0) {
      throw new OfflineException(
          "row "
              + next
              + (before.equals(next) ? " is here twice" : " comes after row " + before)
              + "; rows are in the order of "
              + partitioner.name()
              + ", as an export has them (colonnade bulkload sorts rows in any order)");
    }
    endRow();
    writer.startRow(next, deletion, openAtStart);
    row = next;
    open = openAtStart;
    last = null;
  }

  /** Whether a key is that of the current row. */
  public boolean isCurrentRow(byte[] key) {
    RowKey current = row;
    return current != null && Arrays.equals(current.key(), key);
  }

  /**
   * Adds the next column or range deletion of the current row.
   *
   * @throws OfflineException if the family cannot have it, or it is not in order
   */
  public void add(Atom atom) throws IOException, OfflineException {
    checkNames(atom);
    Atom before = last;
    if (before != null && order.compare(before, atom) >= 0) {
      throw new OfflineException(
          "the columns of row "
              + row
              + " are not in ascending order: "
              + atom
              + " after "
              + before);
    }
    if (atom instanceof RangeTombstoneMarker marker) {
      if (!marker.before().equals(open)) {
        throw new OfflineException(
            "the range deletions of row " + row + " do not join: one ends that did not begin");
      }
      open = marker.after();
    } else {
      cells++;
    }
    writer.add(atom);
    last = atom;
  }

  private void checkNames(Atom atom) throws OfflineException {
    byte[] sub = atom.sub();
    boolean needsSub = order.isSuper() && atom instanceof Cell;
    if (sub == null ? needsSub : !order.isSuper()) {
      throw new OfflineException(
          order.isSuper()
              ? "a column of a Super family has the name of its super column"
              : "a column of a Standard family has no super column");
    }
    if (atom.weight() == -2 || atom.weight() == 2) {
      return;
    }
    checkLength(atom.top());
    checkLength(sub == null ? atom.top() : sub);
    try {
      order.topType().validate(atom.top());
      if (sub != null && order.subType() != null) {
        order.subType().validate(sub);
      }
    } catch (InvalidNameException invalid) {
      throw new OfflineException(
          "a name in row " + row + " is not of its type: " + invalid.getMessage(), invalid);
    }
  }

  private void checkLength(byte[] name) throws OfflineException {
    if (name.length < 1 || name.length > DataLimits.KEY_BYTES) {
      throw new OfflineException(
          "a name in row "
              + row
              + " has "
              + name.length
              + " bytes, not 1 to "
              + DataLimits.KEY_BYTES);
    }
  }

  /** Rows added so far, the current one included. */
  public long rows() {
    return writer.rows();
  }

  /** Columns added so far. */
  public long cells() {
    return cells;
  }

  /**
   * Completes the file and makes it part of the store. Durable when this returns.
   *
   * @return its path; empty, and nothing is left, if there was no row
   */
  public Optional<Path> finish() throws IOException {
    endRow();
    if (writer.rows() == 0) {
      return Optional.empty();
    }
    writer.finish().release();
    if (listed) {
      try (Manifest manifest = OfflineResources.manifest(files)) {
        ManifestFile file = new ManifestFile(identity.generation(), new byte[0]);
        manifest.apply(Edit.replace(identity.family(), List.of(file), List.of()));
      }
    }
    return Optional.of(Path.of(files.describe(identity.dataPath())));
  }

  private void endRow() throws IOException {
    if (row != null) {
      writer.endRow();
    }
  }

  /** Gives up, unless {@link #finish} was called. */
  @Override
  public void close() throws IOException {
    writer.close();
  }
}
