package dev.colonnade.cli.local.restore;

import dev.colonnade.cli.local.TemporaryFolder;
import dev.colonnade.server.base.model.Atom;
import dev.colonnade.server.base.model.AtomCursor;
import dev.colonnade.server.base.model.DeletionTime;
import dev.colonnade.server.base.model.FamilyId;
import dev.colonnade.server.base.model.LogPosition;
import dev.colonnade.server.base.model.MergingCursor;
import dev.colonnade.server.base.model.PathRange;
import dev.colonnade.server.base.model.RowKey;
import dev.colonnade.server.base.model.RowUpdate;
import dev.colonnade.server.base.schema.ColumnFamily;
import dev.colonnade.server.base.schema.SchemaRow;
import dev.colonnade.server.base.schema.SystemKeyspace;
import dev.colonnade.server.node.offline.DataFileImport;
import dev.colonnade.server.node.offline.OfflineException;
import dev.colonnade.server.node.platform.OsFileSystem;
import dev.colonnade.server.storage.commitlog.ArchivedLog;
import dev.colonnade.server.storage.memtable.Memtable;
import dev.colonnade.server.storage.memtable.MemtableRow;
import dev.colonnade.server.storage.mutation.Mutation;
import dev.colonnade.server.storage.mutation.MutationCodec;
import dev.colonnade.server.storage.snapshot.SnapshotManifest;
import dev.colonnade.server.storage.snapshot.SnapshotMoment;
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
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.function.Consumer;

/**
 * The changes in the archived logs of nodes up to a moment, sorted into data files of a temporary
 * directory, so that they are merged with the files of snapshots.
 *
 * <p>The position of a record in its node's log says whether that node's snapshot has it, and
 * whether a truncation made it void: a node logs a truncation behind all that it makes void. The
 * timestamp of a cell, a deletion or a truncation says whether it is from before the moment.
 *
 * <p>For one thread; blocks.
 */
final class LoggedChanges implements Closeable {

  /**
   * A snapshot that does not say its position has changes that were made so long before it, if a
   * replica took them in time and no clock was set back. Applying them again could undo a deletion
   * that is purged.
   */
  private static final long OLD_SECONDS = 300;

  /** The part of a family that was written since a truncation; 0 for that before the first. */
  private record Era(FamilyId family, long truncation) {}

  /** One node while its log is read. */
  private static final class NodeLog {
    private final Optional<SnapshotManifest> snapshot;

    /** The last truncation of each family that the node has logged. */
    private final Map<FamilyId, Long> truncations = new HashMap<>();

    private long firstSecond;
    private long lastSecond;
    private long older;

    NodeLog(Optional<SnapshotManifest> snapshot) {
      this.snapshot = snapshot;
      snapshot.ifPresent(
          manifest ->
              manifest
                  .families()
                  .forEach(family -> truncations.put(family.id(), family.truncation())));
    }

    /** Where its snapshot ends; {@link LogPosition#START} if that is unknown. */
    LogPosition position() {
      return snapshot
          .flatMap(SnapshotManifest::moment)
          .map(SnapshotMoment::position)
          .orElse(LogPosition.START);
    }

    /** Whether only clocks say what its snapshot has. */
    boolean isByClock() {
      return snapshot.isPresent() && snapshot.get().moment().isEmpty();
    }
  }

  private final LogArchives archives;
  private final Path directory;
  private final long memoryBytes;
  private final String partitioner;
  private final long createdMicros;
  private final long snapshotSeconds;
  private final Map<FamilyId, ColumnFamily> wanted = new HashMap<>();
  private final Set<FamilyId> others;
  private final Map<Era, Memtable> memtables = new HashMap<>();
  private final Map<Era, Integer> files = new HashMap<>();

  /** The last truncation of each family up to the moment, of all nodes. */
  private final Map<FamilyId, Long> truncations = new HashMap<>();

  private long applied;
  private long later;
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
    this.createdMicros = snapshots.manifest().createdMicros();
    this.snapshotSeconds = Math.floorDiv(createdMicros, 1_000_000L);
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
    if (archives.untilMicros() < createdMicros) {
      throw new RestoreException(
          "the snapshots are of "
              + moment(createdMicros)
              + ", after "
              + moment(archives.untilMicros())
              + "; nothing was restored. Restore earlier snapshots");
    }
    SortedMap<String, Path> nodes = archives.nodes();
    List<String> gaps = new ArrayList<>();
    for (SnapshotManifest snapshot : snapshots.manifests()) {
      snapshot
          .families()
          .forEach(family -> truncations.merge(family.id(), family.truncation(), Math::max));
      if (!nodes.containsKey(snapshot.nodeId())) {
        gaps.add("the log of node " + snapshot.nodeId() + ", which has a snapshot here");
      }
    }
    for (Map.Entry<String, Path> each : nodes.entrySet()) {
      NodeLog node =
          new NodeLog(
              snapshots.manifests().stream()
                  .filter(snapshot -> snapshot.nodeId().equals(each.getKey()))
                  .findFirst());
      readNode(each.getKey(), each.getValue(), node, gaps, progress);
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
            + " changes of rows are merged; "
            + later
            + " have parts from after "
            + moment(archives.untilMicros())
            + ", which are left out, and "
            + unknown
            + " are of families that the snapshots do not have.");
    if (schemaChanges > 0) {
      progress.accept(
          "Between the snapshots and that moment the schema was changed ("
              + schemaChanges
              + " records of all nodes); that is not restored, except for truncations.");
    }
  }

  private void readNode(
      String id, Path path, NodeLog node, List<String> gaps, Consumer<String> progress)
      throws IOException, OfflineException {
    LogPosition after = node.position();
    ArchivedLog.Contents contents =
        ArchivedLog.read(
            OsFileSystem.open(path),
            after,
            (position, payload) -> {
              take(node, MutationCodec.read(payload));
              return Set.of();
            });
    for (ArchivedLog.Hole hole : contents.holes()) {
      // An archive may begin later than the node where its snapshot says no position.
      boolean mayBeOlder = hole.first() == 1 && hole.last() < Long.MAX_VALUE;
      if (!node.isByClock() || !mayBeOlder || node.firstSecond > snapshotSeconds) {
        gaps.add(
            hole
                + " of node "
                + id
                + (after.segment() > 0
                    ? ", of which the snapshot has the log up to " + after
                    : node.snapshot.isEmpty() ? ", which has no snapshot here" : ""));
      }
    }
    progress.accept(
        "Read the archived log of node "
            + id
            + (after.segment() > 0 ? " behind position " + after : "")
            + ": "
            + contents.segments()
            + " segments with "
            + contents.records()
            + " records"
            + (contents.records() == 0
                ? ""
                : ", made from "
                    + Instant.ofEpochSecond(node.firstSecond)
                    + " to "
                    + Instant.ofEpochSecond(node.lastSecond))
            + (contents.droppedBytes() == 0
                ? ""
                : "; "
                    + contents.droppedBytes()
                    + " bytes at its end belong to a write that never completed")
            + ".");
    if (node.isByClock()) {
      progress.accept(
          "WARNING: the snapshot of node "
              + id
              + " was taken by an older release and does not say where in the log it is. "
              + node.older
              + " changes that clocks say were made more than five minutes before it are left out;"
              + " if a clock was set back, they may be missing.");
    }
  }

  private void take(NodeLog node, Mutation mutation) throws IOException {
    long second = mutation.nowSeconds();
    node.firstSecond = node.firstSecond == 0 ? second : node.firstSecond;
    node.lastSecond = Math.max(node.lastSecond, second);
    for (Mutation.FamilyMutation part : mutation.updates()) {
      ColumnFamily family = wanted.get(part.family());
      if (family != null) {
        if (node.isByClock() && second < snapshotSeconds - OLD_SECONDS) {
          node.older++;
        } else {
          long truncation = node.truncations.getOrDefault(family.id(), 0L);
          take(family, new Era(family.id(), truncation), mutation.key(), part.update());
        }
      } else if (part.family().equals(SystemKeyspace.SCHEMA.id())) {
        takeSchema(node, part.update());
      } else if (!others.contains(part.family())) {
        unknown++;
      }
    }
  }

  private void takeSchema(NodeLog node, RowUpdate update) {
    SchemaRow.truncations(update.cells())
        .forEach(
            (family, number) -> {
              node.truncations.merge(family, number, Math::max);
              if (number <= archives.untilMicros()) {
                truncations.merge(family, number, Math::max);
              }
            });
    boolean isChanged =
        update.cells().stream()
            .filter(cell -> !SchemaRow.isTruncation(cell))
            .anyMatch(cell -> isBetween(cell.timestamp()));
    schemaChanges += isChanged || isBetween(update.rowDeletion().timestamp()) ? 1 : 0;
  }

  private boolean isBetween(long micros) {
    return micros > createdMicros && micros <= archives.untilMicros();
  }

  private void take(ColumnFamily family, Era era, RowKey key, RowUpdate update) throws IOException {
    RowUpdate kept = upTo(update, archives.untilMicros());
    if (kept.operations() < update.operations()) {
      later++;
    }
    if (!kept.isEmpty()) {
      applied++;
      memtables.computeIfAbsent(era, each -> new Memtable(family.order())).apply(key, kept, 0);
      if (memtables.values().stream().mapToLong(Memtable::heapBytes).sum() > memoryBytes) {
        spillOrFail();
      }
    }
  }

  /** The last truncation of a family up to the moment; 0 if there was none. */
  long truncation(ColumnFamily family) {
    return truncations.getOrDefault(family.id(), 0L);
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
    for (Map.Entry<Era, Memtable> each : memtables.entrySet()) {
      FamilyId id = each.getKey().family();
      ColumnFamily family = Objects.requireNonNull(wanted.get(id));
      DataFileImport.Shape shape = new DataFileImport.Shape(id, partitioner, family.order());
      try (DataFileImport file = DataFileImport.create(directory(each.getKey()), shape)) {
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

  private Path directory(Era era) {
    return directory.resolve(era.family() + "-" + era.truncation());
  }

  /**
   * The rows of a family since its last truncation up to the moment, one scan for each file; the
   * caller closes them.
   */
  List<SSTableScan> scans(ColumnFamily family) throws IOException {
    List<SSTableScan> scans = new ArrayList<>();
    for (Map.Entry<Era, Integer> each : files.entrySet()) {
      Era era = each.getKey();
      if (era.family().equals(family.id()) && era.truncation() >= truncation(family)) {
        for (int file = 1; file <= each.getValue(); file++) {
          scans.add(
              SSTableScan.ofData(
                  OsFileSystem.open(directory(era)),
                  new SSTableIdentity("", file, family.id(), partitioner, family.order())));
        }
      }
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
