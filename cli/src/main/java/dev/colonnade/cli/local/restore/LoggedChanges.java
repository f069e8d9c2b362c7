package dev.colonnade.cli.local.restore;

import dev.colonnade.cli.local.TemporaryFolder;
import dev.colonnade.server.base.model.Atom;
import dev.colonnade.server.base.model.AtomCursor;
import dev.colonnade.server.base.model.DeletionTime;
import dev.colonnade.server.base.model.FamilyId;
import dev.colonnade.server.base.model.MergingCursor;
import dev.colonnade.server.base.model.PathRange;
import dev.colonnade.server.base.model.RowKey;
import dev.colonnade.server.base.model.RowUpdate;
import dev.colonnade.server.base.schema.ColumnFamily;
import dev.colonnade.server.base.schema.SystemKeyspace;
import dev.colonnade.server.node.offline.DataFileImport;
import dev.colonnade.server.node.offline.OfflineException;
import dev.colonnade.server.node.platform.OsFileSystem;
import dev.colonnade.server.storage.commitlog.ArchivedLog;
import dev.colonnade.server.storage.memtable.Memtable;
import dev.colonnade.server.storage.memtable.MemtableRow;
import dev.colonnade.server.storage.mutation.Mutation;
import dev.colonnade.server.storage.mutation.MutationCodec;
import dev.colonnade.server.storage.sstable.SSTableIdentity;
import dev.colonnade.server.storage.sstable.SSTableScan;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.SortedMap;
import java.util.function.Consumer;

/**
 * The changes in the archived logs of nodes up to a moment, sorted into data files of a temporary
 * directory, so that they are merged with the files of snapshots.
 *
 * <p>The timestamp of a cell or deletion says whether it is from before the moment. The log keeps
 * no other time of it than the second at which its coordinator made the change, which only serves
 * to leave out what was made long before the snapshots.
 *
 * <p>For one thread; blocks.
 */
final class LoggedChanges implements Closeable {

  /**
   * Changes that were made so long before the snapshots are in them, if a replica took them in
   * time. Applying them again could undo a truncation, or a deletion that is purged.
   */
  private static final long OLD_SECONDS = 300;

  private final LogArchives archives;
  private final Path directory;
  private final long memoryBytes;
  private final String partitioner;
  private final long snapshotSeconds;
  private final Map<FamilyId, ColumnFamily> wanted = new HashMap<>();
  private final Set<FamilyId> others;
  private final Map<FamilyId, Memtable> memtables = new HashMap<>();
  private final Map<FamilyId, Integer> files = new HashMap<>();
  private long firstSecond;
  private long lastSecond;
  private long applied;
  private long later;
  private long older;
  private long unknown;
  private long schemaChanges;

  private LoggedChanges(
      LogArchives archives,
      SnapshotSet snapshots,
      Collection<ColumnFamily> families,
      Set<FamilyId> others,
      Path directory,
      long memoryBytes) {
    this.archives = archives;
    this.directory = directory;
    this.memoryBytes = memoryBytes;
    this.partitioner = snapshots.manifest().partitioner();
    this.snapshotSeconds = Math.floorDiv(snapshots.manifest().createdMicros(), 1_000_000L);
    this.others = others;
    families.forEach(family -> wanted.put(family.id(), family));
  }

  /**
   * Reads archived logs.
   *
   * @param families that are restored, of those in the snapshots
   * @param options how much is sorted in memory, and where the rest lies
   * @param progress is told in sentences what was found
   * @throws RestoreException if a part of the log is missing, and that is not accepted
   */
  static LoggedChanges read(
      LogArchives archives,
      SnapshotSet snapshots,
      Collection<ColumnFamily> families,
      SnapshotRestore.Options options,
      Consumer<String> progress)
      throws IOException, RestoreException {
    Set<FamilyId> others = new HashSet<>();
    snapshots.families().forEach(family -> others.add(family.id()));
    others.add(SystemKeyspace.LOCAL.id());
    others.add(SystemKeyspace.PEERS.id());
    others.add(SystemKeyspace.ACCOUNTS.id());
    Path directory =
        options.temporary().isPresent()
            ? Files.createTempDirectory(options.temporary().get(), "colonnade-log-")
            : Files.createTempDirectory("colonnade-log-");
    LoggedChanges changes =
        new LoggedChanges(archives, snapshots, families, others, directory, options.memoryBytes());
    try {
      changes.readAll(snapshots, progress);
      return changes;
    } catch (OfflineException refused) {
      changes.close();
      throw new RestoreException("the archived log cannot be sorted: " + refused.getMessage());
    } catch (IOException | RestoreException | RuntimeException failure) {
      changes.close();
      throw failure;
    }
  }

  private void readAll(SnapshotSet snapshots, Consumer<String> progress)
      throws IOException, RestoreException, OfflineException {
    if (archives.untilMicros() < snapshots.manifest().createdMicros()) {
      throw new RestoreException(
          "the snapshots are of "
              + moment(snapshots.manifest().createdMicros())
              + ", after "
              + moment(archives.untilMicros())
              + "; nothing was restored. Restore earlier snapshots");
    }
    SortedMap<String, Path> nodes = archives.nodes();
    List<String> gaps = new ArrayList<>();
    for (String node : snapshots.nodes()) {
      if (!nodes.containsKey(node)) {
        gaps.add("the log of node " + node + ", which has a snapshot here");
      }
    }
    for (Map.Entry<String, Path> node : nodes.entrySet()) {
      readNode(node.getKey(), node.getValue(), gaps, progress);
    }
    spill();
    if (!gaps.isEmpty()) {
      String missing = "The archived log lacks " + String.join("; ", gaps) + ".";
      if (!archives.acceptGaps()) {
        throw new RestoreException(
            missing
                + " Nothing was restored. With --accept-gaps the rest is restored nevertheless");
      }
      progress.accept(missing);
    }
    progress.accept(
        "Of the archived log "
            + applied
            + " changes of rows are restored; "
            + later
            + " have parts from after "
            + moment(archives.untilMicros())
            + ", which are left out, "
            + older
            + " are from before the snapshots, and "
            + unknown
            + " of families that the snapshots do not have.");
    if (schemaChanges > 0) {
      progress.accept(
          "Between the snapshots and that moment the schema was changed or a family truncated ("
              + schemaChanges
              + " records of all nodes); that is not restored.");
    }
  }

  private void readNode(String node, Path path, List<String> gaps, Consumer<String> progress)
      throws IOException, OfflineException {
    firstSecond = 0;
    lastSecond = 0;
    ArchivedLog.Contents contents =
        ArchivedLog.read(
            OsFileSystem.open(path),
            (position, payload) -> {
              take(MutationCodec.read(payload));
              return Set.of();
            });
    contents.gaps().forEach(gap -> gaps.add(gap + " of node " + node));
    if (!contents.wholeFromTheStart() && firstSecond > snapshotSeconds) {
      gaps.add(
          "what node "
              + node
              + " wrote before "
              + Instant.ofEpochSecond(firstSecond)
              + ", where its archive begins, and after the snapshots");
    }
    if (contents.segments() == 0) {
      gaps.add("any segment of node " + node);
    }
    progress.accept(
        "Read the archived log of node "
            + node
            + ": "
            + contents.segments()
            + " segments with "
            + contents.records()
            + " records"
            + (contents.records() == 0
                ? ""
                : ", made from "
                    + Instant.ofEpochSecond(firstSecond)
                    + " to "
                    + Instant.ofEpochSecond(lastSecond))
            + (contents.droppedBytes() == 0
                ? ""
                : "; "
                    + contents.droppedBytes()
                    + " bytes at its end belong to a write that never completed")
            + ".");
  }

  private void take(Mutation mutation) throws IOException {
    long second = mutation.nowSeconds();
    firstSecond = firstSecond == 0 ? second : firstSecond;
    lastSecond = Math.max(lastSecond, second);
    for (Mutation.FamilyMutation part : mutation.updates()) {
      ColumnFamily family = wanted.get(part.family());
      if (family != null) {
        take(family, mutation.key(), part.update(), second);
      } else if (part.family().equals(SystemKeyspace.SCHEMA.id())) {
        boolean between =
            second >= snapshotSeconds && second <= archives.untilMicros() / 1_000_000L;
        schemaChanges += between ? 1 : 0;
      } else if (!others.contains(part.family())) {
        unknown++;
      }
    }
  }

  private void take(ColumnFamily family, RowKey key, RowUpdate update, long second)
      throws IOException {
    if (second < snapshotSeconds - OLD_SECONDS) {
      older++;
      return;
    }
    RowUpdate kept = upTo(update, archives.untilMicros());
    if (kept.operations() < update.operations()) {
      later++;
    }
    if (!kept.isEmpty()) {
      applied++;
      memtables
          .computeIfAbsent(family.id(), id -> new Memtable(family.order()))
          .apply(key, kept, 0);
      if (memtables.values().stream().mapToLong(Memtable::heapBytes).sum() > memoryBytes) {
        spillOrFail();
      }
    }
  }

  /** What of a change has a timestamp up to a moment. */
  static RowUpdate upTo(RowUpdate update, long micros) {
    DeletionTime row = update.rowDeletion();
    return RowUpdate.ofCanonical(
        row.timestamp() <= micros ? row : DeletionTime.NONE,
        update.ranges().stream().filter(range -> range.deletion().timestamp() <= micros).toList(),
        update.cells().stream().filter(cell -> cell.timestamp() <= micros).toList());
  }

  private void spillOrFail() throws IOException {
    try {
      spill();
    } catch (OfflineException refused) {
      throw new IOException("the archived log cannot be sorted", refused);
    }
  }

  /** Writes what is in memory, one file for each family. */
  private void spill() throws IOException, OfflineException {
    for (Map.Entry<FamilyId, Memtable> each : memtables.entrySet()) {
      ColumnFamily family = Objects.requireNonNull(wanted.get(each.getKey()));
      DataFileImport.Shape shape =
          new DataFileImport.Shape(each.getKey(), partitioner, family.order());
      try (DataFileImport file = DataFileImport.create(directory(family), shape)) {
        for (Map.Entry<RowKey, MemtableRow> row : each.getValue().rows().entrySet()) {
          AtomCursor atoms =
              MergingCursor.of(
                  List.of(row.getValue().state().cursor(PathRange.ALL, false, family.order())),
                  family.order(),
                  false);
          file.startRow(row.getKey().key(), atoms.rowDeletion(), atoms.open());
          for (Atom atom = atoms.next(); atom != null; atom = atoms.next()) {
            file.add(atom);
          }
        }
        if (file.finish().isPresent()) {
          files.merge(each.getKey(), 1, Integer::sum);
        }
      }
    }
    memtables.clear();
  }

  private Path directory(ColumnFamily family) {
    return directory.resolve(family.id().toString());
  }

  /** The rows of a family, one scan for each file; the caller closes them. */
  List<SSTableScan> scans(ColumnFamily family) throws IOException {
    List<SSTableScan> scans = new ArrayList<>();
    for (int file = 1; file <= files.getOrDefault(family.id(), 0); file++) {
      scans.add(
          SSTableScan.ofData(
              OsFileSystem.open(directory(family)),
              new SSTableIdentity("", file, family.id(), partitioner, family.order())));
    }
    return scans;
  }

  private static Instant moment(long micros) {
    return Instant.EPOCH.plus(micros, ChronoUnit.MICROS);
  }

  /** Deletes the files. */
  @Override
  public void close() throws IOException {
    TemporaryFolder.remove(directory);
  }
}
