package dev.colonnade.cli.local.restore;

import dev.colonnade.server.base.env.FileSystem;
import dev.colonnade.server.base.model.Atom;
import dev.colonnade.server.base.model.AtomCursor;
import dev.colonnade.server.base.model.Bound;
import dev.colonnade.server.base.model.Cell;
import dev.colonnade.server.base.model.DeletionTime;
import dev.colonnade.server.base.model.MergingCursor;
import dev.colonnade.server.base.model.PathOrder;
import dev.colonnade.server.base.model.RangeTombstoneMarker;
import dev.colonnade.server.base.model.RowKey;
import dev.colonnade.server.base.schema.ColumnFamily;
import dev.colonnade.server.base.schema.ComparatorResolver;
import dev.colonnade.server.base.schema.SchemaException;
import dev.colonnade.server.storage.snapshot.SnapshotFamily;
import dev.colonnade.server.storage.snapshot.SnapshotFile;
import dev.colonnade.server.storage.snapshot.SnapshotManifest;
import dev.colonnade.server.storage.snapshot.SnapshotTables;
import dev.colonnade.server.storage.snapshot.SnapshotVerifier;
import dev.colonnade.server.storage.sstable.SSTableScan;
import java.io.Closeable;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.PriorityQueue;
import java.util.TreeMap;

/**
 * The snapshots of all nodes that are restored together, and their rows merged, with later changes
 * of the log if there are any: of each cell the newest version of all replicas, without what
 * deletions of any of them hide.
 *
 * <p>For one thread; blocks.
 */
final class SnapshotSet implements Closeable {

  /** What is in the rows, in their order: of each row its deletion, then the rest in order. */
  interface Sink {
    /** A column with a value that nothing hides. */
    void live(byte[] key, Cell cell) throws IOException, RestoreException;

    /** The deletion of a column, or a column that has expired, which no other deletion hides. */
    void deleted(byte[] key, Cell cell);

    /** The deletion of the row, up to a timestamp. */
    void deletedRow(byte[] key, long timestamp);

    /** The deletion of a part of the row, which that of the row does not hide. */
    void deletedRange(byte[] key, Bound from, Bound to, long timestamp);
  }

  private record Input(SSTableScan scan, RowKey key) {}

  private final List<SnapshotTables> snapshots = new ArrayList<>();
  private Optional<LoggedChanges> logged = Optional.empty();

  private SnapshotSet() {}

  /**
   * Opens snapshots.
   *
   * @param directories each rooted at a snapshot's own directory
   * @throws RestoreException if they do not belong together
   */
  static SnapshotSet open(List<? extends FileSystem> directories, ComparatorResolver types)
      throws IOException, SchemaException, RestoreException {
    SnapshotSet set = new SnapshotSet();
    for (FileSystem directory : directories) {
      set.snapshots.add(new SnapshotTables(directory, types));
    }
    set.requireOneMoment();
    return set;
  }

  /** Refuses a snapshot that is damaged. */
  static void requireSound(FileSystem directory) throws IOException, RestoreException {
    SnapshotVerifier.Report report =
        SnapshotVerifier.verify(directory, ComparatorResolver.builtIns(), bytes -> {});
    if (!report.damage().isEmpty()) {
      throw new RestoreException(
          "the snapshot in "
              + directory.describe("")
              + " is damaged: "
              + report.damage().get(0)
              + (report.damage().size() > 1
                  ? " (and " + (report.damage().size() - 1) + " more faults)"
                  : "")
              + "; nothing was restored. Leave it out if the other nodes' snapshots have its rows");
    }
  }

  private void requireOneMoment() throws RestoreException {
    SnapshotManifest first = snapshots.get(0).manifest();
    List<String> nodes = new ArrayList<>();
    for (SnapshotTables each : snapshots) {
      SnapshotManifest manifest = each.manifest();
      if (!manifest.cluster().equals(first.cluster())
          || !manifest.partitioner().equals(first.partitioner())) {
        throw new RestoreException(
            "the snapshots are of different clusters: "
                + first.cluster()
                + " ("
                + first.partitioner()
                + ") and "
                + manifest.cluster()
                + " ("
                + manifest.partitioner()
                + ")");
      }
      if (manifest.createdMicros() != first.createdMicros()) {
        // A deletion that one of them has purged already would not hide what another still has.
        throw new RestoreException(
            "the snapshots "
                + first.name()
                + " of node "
                + first.nodeId()
                + " and "
                + manifest.name()
                + " of node "
                + manifest.nodeId()
                + " were not taken together; take them with `snapshot take NAME everywhere`");
      }
      if (nodes.contains(manifest.nodeId())) {
        throw new RestoreException("node " + manifest.nodeId() + " has two snapshots here");
      }
      nodes.add(manifest.nodeId());
    }
  }

  /** Merges later changes of the log into the rows. They are closed with this. */
  void merge(LoggedChanges changes) {
    logged = Optional.of(changes);
  }

  /** The manifest of each. */
  List<SnapshotManifest> manifests() {
    return snapshots.stream().map(SnapshotTables::manifest).toList();
  }

  /** The manifest of one of them, for what all have in common. */
  SnapshotManifest manifest() {
    return snapshots.get(0).manifest();
  }

  /** Their accounts, merged; refused if there are none. */
  SnapshotAccounts accounts() throws RestoreException {
    return SnapshotAccounts.of(snapshots.stream().map(SnapshotTables::manifest).toList());
  }

  int size() {
    return snapshots.size();
  }

  /** Damaged files that were set aside when they were taken. */
  int missing() {
    return snapshots.stream().mapToInt(each -> each.manifest().missing()).sum();
  }

  /** The schema that knows most keyspaces; they agree where they know the same. */
  SnapshotTables schemaSource(String keyspace) throws RestoreException {
    for (SnapshotTables each : snapshots) {
      if (each.schema().keyspace(keyspace).isPresent()) {
        return each;
      }
    }
    throw new RestoreException("no snapshot has the definition of keyspace " + keyspace);
  }

  /** The families of all snapshots, by keyspace and name. */
  List<ColumnFamily> families() throws IOException, RestoreException {
    Map<String, ColumnFamily> families = new TreeMap<>();
    for (SnapshotTables each : snapshots) {
      for (SnapshotFamily family : each.manifest().families()) {
        ColumnFamily definition = each.definition(family);
        ColumnFamily known = families.putIfAbsent(definition.qualifiedName(), definition);
        if (known != null && !known.id().equals(definition.id())) {
          throw new RestoreException(
              definition.qualifiedName()
                  + " is not the same family in all snapshots: it was dropped and created again");
        }
      }
    }
    return List.copyOf(families.values());
  }

  /** Bytes of the data files of a family. */
  long bytes(ColumnFamily family) {
    return members(family).stream().mapToLong(member -> member.family().bytes()).sum();
  }

  private record Member(SnapshotTables snapshot, SnapshotFamily family) {}

  /**
   * The family in each snapshot that knows of its last truncation, by the snapshots and the log;
   * what the others have was written before that.
   */
  private List<Member> members(ColumnFamily family) {
    List<Member> members = new ArrayList<>();
    long truncation = logged.map(changes -> changes.truncation(family)).orElse(0L);
    for (SnapshotTables each : snapshots) {
      for (SnapshotFamily member : each.manifest().families()) {
        if (member.id().equals(family.id())) {
          members.add(new Member(each, member));
          truncation = Math.max(truncation, member.truncation());
        }
      }
    }
    long last = truncation;
    members.removeIf(member -> member.family().truncation() < last);
    return members;
  }

  /** Walks through the cells and deletions of a family as of a moment. */
  void forEach(ColumnFamily family, long nowSeconds, Sink sink)
      throws IOException, RestoreException {
    List<SSTableScan> scans = new ArrayList<>();
    PriorityQueue<Input> inputs = new PriorityQueue<>(Comparator.comparing(Input::key));
    try {
      for (Member member : members(family)) {
        for (SnapshotFile file : member.family().files()) {
          SSTableScan scan = member.snapshot().open(member.family(), file).scan();
          scans.add(scan);
          advance(scan, inputs);
        }
      }
      if (logged.isPresent()) {
        for (SSTableScan scan : logged.get().scans(family)) {
          scans.add(scan);
          advance(scan, inputs);
        }
      }
      while (!inputs.isEmpty()) {
        RowKey key = inputs.element().key();
        List<SSTableScan> row = new ArrayList<>();
        List<AtomCursor> cursors = new ArrayList<>();
        while (!inputs.isEmpty() && inputs.element().key().equals(key)) {
          SSTableScan scan = inputs.remove().scan();
          row.add(scan);
          cursors.add(scan.atoms());
        }
        walk(key, cursors, family.order(), nowSeconds, sink);
        for (SSTableScan scan : row) {
          advance(scan, inputs);
        }
      }
    } finally {
      for (SSTableScan scan : scans) {
        scan.close();
      }
      snapshots.forEach(SnapshotTables::close);
    }
  }

  private static void walk(
      RowKey key, List<AtomCursor> cursors, PathOrder order, long nowSeconds, Sink sink)
      throws IOException, RestoreException {
    AtomCursor merged = MergingCursor.of(cursors, order, false);
    DeletionTime row = merged.rowDeletion();
    if (!row.isNone()) {
      sink.deletedRow(key.key(), row.timestamp());
    }
    DeletionTime open = merged.open();
    Bound from = Bound.START;
    for (Atom atom = merged.next(); atom != null; atom = merged.next()) {
      if (atom instanceof RangeTombstoneMarker marker) {
        range(key, from, marker.bound(), open, row, sink);
        open = marker.after();
        from = marker.bound();
      } else if (atom instanceof Cell cell
          && !row.hides(cell.timestamp())
          && !open.hides(cell.timestamp())) {
        if (cell.isLiveAt(nowSeconds)) {
          sink.live(key.key(), cell);
        } else {
          sink.deleted(key.key(), cell);
        }
      }
    }
    range(key, from, Bound.END, open, row, sink);
  }

  private static void range(
      RowKey key, Bound from, Bound to, DeletionTime open, DeletionTime row, Sink sink) {
    if (!open.isNone() && !row.hides(open.timestamp())) {
      sink.deletedRange(key.key(), from, to, open.timestamp());
    }
  }

  private static void advance(SSTableScan scan, PriorityQueue<Input> inputs) throws IOException {
    RowKey key = scan.nextRow();
    if (key != null) {
      inputs.add(new Input(scan, key));
    }
  }

  @Override
  public void close() throws IOException {
    snapshots.forEach(SnapshotTables::close);
    if (logged.isPresent()) {
      logged.get().close();
    }
  }
}
