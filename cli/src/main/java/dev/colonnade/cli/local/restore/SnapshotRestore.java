package dev.colonnade.cli.local.restore;

import dev.colonnade.client.BulkLoadOptions;
import dev.colonnade.client.BulkLoadResult;
import dev.colonnade.client.BulkLoader;
import dev.colonnade.client.CallOptions;
import dev.colonnade.client.Colonnade;
import dev.colonnade.client.Column;
import dev.colonnade.client.ColumnFamilyDefinition;
import dev.colonnade.client.Consistency;
import dev.colonnade.client.Cursor;
import dev.colonnade.client.KeyRange;
import dev.colonnade.client.Keyspace;
import dev.colonnade.client.KeyspaceDefinition;
import dev.colonnade.client.NotFoundException;
import dev.colonnade.client.Row;
import dev.colonnade.client.Serializers;
import dev.colonnade.client.Slice;
import dev.colonnade.client.SuperColumn;
import dev.colonnade.server.base.env.FileSystem;
import dev.colonnade.server.base.model.Bound;
import dev.colonnade.server.base.model.Cell;
import dev.colonnade.server.base.schema.ColumnFamily;
import dev.colonnade.server.base.schema.ComparatorResolver;
import dev.colonnade.server.base.schema.SchemaException;
import dev.colonnade.server.storage.snapshot.SnapshotManifest;
import dev.colonnade.server.storage.snapshot.SnapshotMoment;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Consumer;

/**
 * Restores the snapshots of a cluster's nodes into another cluster, whatever its ring: merges them
 * here, so that the newest version of each cell wins and deletions hide what they deleted, writes
 * the deletions with their timestamps, and loads what is live through the bulk load.
 *
 * <p>Each family is loaded at ALL and then read back at QUORUM and compared. A restore that ended
 * early is made again: with a state directory, parts that replicas have taken are not sent again.
 *
 * <p>For one thread; blocks.
 */
public final class SnapshotRestore {

  private static final int READ_ROWS_PART = 1_000;
  private static final long PROGRESS_COLUMNS = 1_000_000;

  /**
   * How to restore.
   *
   * @param createSchema whether keyspaces and families that are missing are created
   * @param merge whether families that have rows already are loaded into as well
   * @param only keyspaces that are restored; empty for all
   * @param accounts whether users, roles and permissions are restored
   * @param state directory of the files that say what replicas have taken; empty for none
   * @param temporary where sorted columns are spilled; empty for the system's directory
   * @param memoryBytes of columns that are held while they are sorted
   * @param log whose changes are merged into the snapshots; empty for the snapshots alone
   */
  public record Options(
      boolean createSchema,
      boolean merge,
      List<String> only,
      Accounts accounts,
      Optional<Path> state,
      Optional<Path> temporary,
      long memoryBytes,
      Optional<LogArchives> log) {
    /** Copies the list. */
    public Options {
      only = List.copyOf(only);
    }
  }

  /** Whether accounts are restored. */
  public enum Accounts {
    /** They are as they are in the cluster. */
    LEFT,
    /** They are merged after all rows. */
    RESTORED,
    /** They are merged, and nothing else is restored. */
    ALONE
  }

  /**
   * What was restored of one family.
   *
   * @param name with its keyspace
   * @param rows that it has
   * @param columns that it has
   * @param deletions of rows, columns and ranges that were written
   * @param missing replicas that lack a part of them, in words
   */
  public record Restored(
      String name, long rows, long columns, long deletions, List<String> missing) {
    /** Copies the list. */
    public Restored {
      missing = List.copyOf(missing);
    }
  }

  private final Colonnade client;
  private final Options options;
  private final Consumer<String> progress;
  private final Set<String> created = new HashSet<>();

  /**
   * Prepares a restore.
   *
   * @param client of the cluster that is restored into; knows its whole ring
   * @param progress is told in sentences what is done now
   */
  public SnapshotRestore(Colonnade client, Options options, Consumer<String> progress) {
    this.client = client;
    this.options = options;
    this.progress = progress;
  }

  /**
   * Restores.
   *
   * @param directories each rooted at the directory of a snapshot; one for each node
   * @return one for each family
   * @throws RestoreException if the snapshots are damaged or do not belong together, if a family
   *     cannot be restored into, or if what was read back is not what was loaded
   */
  public List<Restored> run(List<? extends FileSystem> directories)
      throws IOException, RestoreException {
    for (FileSystem directory : directories) {
      progress.accept("Verifying " + directory.describe("") + ".");
      SnapshotSet.requireSound(directory);
    }
    try (SnapshotSet snapshots = SnapshotSet.open(directories, ComparatorResolver.builtIns())) {
      for (SnapshotManifest manifest : snapshots.manifests()) {
        manifest.moment().ifPresent(moment -> progress.accept(ofMoment(manifest, moment)));
      }
      if (snapshots.missing() > 0) {
        progress.accept(
            "The snapshots lack what "
                + snapshots.missing()
                + " damaged files held, which were set aside when they were taken.");
      }
      if (options.accounts() == Accounts.ALONE) {
        snapshots.accounts().restore(client, progress);
        return List.of();
      }
      Optional<SnapshotAccounts> accounts =
          options.accounts() == Accounts.LEFT
              ? Optional.empty()
              : Optional.of(snapshots.accounts());
      List<ColumnFamily> families = new ArrayList<>();
      for (ColumnFamily family : snapshots.families()) {
        if (options.only().isEmpty() || options.only().contains(family.keyspace())) {
          families.add(family);
        }
      }
      requireKnown(snapshots);
      for (ColumnFamily family : families) {
        requireSchema(family);
      }
      if (options.log().isPresent()) {
        snapshots.merge(
            LoggedChanges.read(options.log().get(), snapshots, families, options, progress));
      }
      for (ColumnFamily family : families) {
        create(snapshots, family);
      }
      for (ColumnFamily family : families) {
        requireEmpty(family);
      }
      List<Restored> restored = new ArrayList<>();
      for (ColumnFamily family : families) {
        restored.add(restore(snapshots, family));
      }
      for (ColumnFamily family : families) {
        giveDefaultTtl(family);
      }
      // Last, because the caller's own account may be another one then.
      accounts.ifPresent(each -> each.restore(client, progress));
      return restored;
    } catch (SchemaException unknown) {
      throw new RestoreException(
          "the schema in the snapshots cannot be read here: " + unknown.getMessage());
    }
  }

  private static String ofMoment(SnapshotManifest manifest, SnapshotMoment moment) {
    return "The snapshot of node "
        + manifest.nodeId()
        + " is of "
        + Instant.EPOCH.plus(moment.wallMicros(), ChronoUnit.MICROS)
        + " by its clock, position "
        + moment.position()
        + " of its log.";
  }

  private void requireKnown(SnapshotSet snapshots) throws IOException, RestoreException {
    Set<String> known = new TreeSet<>();
    snapshots.families().forEach(family -> known.add(family.keyspace()));
    for (String keyspace : options.only()) {
      if (!known.contains(keyspace)) {
        throw new RestoreException(
            "keyspace "
                + keyspace
                + " is not in the snapshots; nothing was restored. They have "
                + String.join(", ", known));
      }
    }
  }

  private Optional<ColumnFamilyDefinition> inCluster(ColumnFamily family) {
    try {
      return client.schema().keyspace(family.keyspace()).columnFamily(family.name());
    } catch (NotFoundException noKeyspace) {
      return Optional.empty();
    }
  }

  /** Refuses a family that is missing, or orders its columns in another way, before any write. */
  private void requireSchema(ColumnFamily family) throws RestoreException {
    ColumnFamilyDefinition wanted = SnapshotSchema.family(family);
    Optional<ColumnFamilyDefinition> known = inCluster(family);
    if (known.isEmpty()) {
      if (!options.createSchema()) {
        throw new RestoreException(
            family.qualifiedName()
                + " is not in the cluster; nothing was restored. Create it, or give"
                + " --create-schema to have it created as it is in the snapshots");
      }
      return;
    }
    ColumnFamilyDefinition there = known.get();
    if (there.isSuper() != wanted.isSuper()
        || !there.compareWith().equals(wanted.compareWith())
        || !there.compareSubcolumnsWith().equals(wanted.compareSubcolumnsWith())) {
      throw new RestoreException(
          family.qualifiedName()
              + " orders its columns by "
              + order(there)
              + " in the cluster and by "
              + order(wanted)
              + " in the snapshots; nothing was restored. Drop it in the cluster, or leave its"
              + " keyspace out with --only");
    }
    if (there.defaultTtl().isPresent()) {
      // Nodes would give it to each column that is loaded without one, and so delete it later.
      throw new RestoreException(
          family.qualifiedName()
              + " has a default_ttl in the cluster, which columns without one would get; nothing"
              + " was restored. Set its default_ttl to 0, restore, and set it again");
    }
  }

  /** Families are created without it, so that what never expired does not expire. */
  private void giveDefaultTtl(ColumnFamily family) {
    Optional<Duration> ttl = SnapshotSchema.family(family).defaultTtl();
    if (ttl.isEmpty()) {
      return;
    }
    if (created.contains(family.qualifiedName())) {
      client.schema().update(family.keyspace(), SnapshotSchema.family(family));
    } else {
      progress.accept(
          family.qualifiedName()
              + " has default_ttl = "
              + ttl.get().toSeconds()
              + " in the snapshots and none in the cluster; set it if columns that are written"
              + " from now on shall expire.");
    }
  }

  private static String order(ColumnFamilyDefinition family) {
    return family.compareWith()
        + family.compareSubcolumnsWith().map(sub -> " with " + sub + " inside").orElse("");
  }

  private void create(SnapshotSet snapshots, ColumnFamily family) throws RestoreException {
    if (!options.createSchema()) {
      return;
    }
    KeyspaceDefinition keyspace =
        SnapshotSchema.keyspace(
            snapshots
                .schemaSource(family.keyspace())
                .schema()
                .keyspace(family.keyspace())
                .orElseThrow());
    if (client.schema().createIfAbsent(keyspace)) {
      progress.accept("Created keyspace " + family.keyspace() + ".");
    }
    if (client
        .schema()
        .createIfAbsent(family.keyspace(), SnapshotSchema.family(family).withoutDefaultTtl())) {
      created.add(family.qualifiedName());
      progress.accept("Created column family " + family.qualifiedName() + ".");
    }
  }

  private void requireEmpty(ColumnFamily family) throws RestoreException {
    boolean resumed = options.state().isPresent() && stateFile(family).toFile().exists();
    if (!options.merge() && !resumed && hasRows(family)) {
      throw new RestoreException(
          family.qualifiedName()
              + " has rows already; nothing was restored. Truncate it to have it as it was; or"
              + " restore with --merge: what the cluster has with later timestamps stays, both"
              + " columns and deletions, and the rest is as in the snapshots");
    }
  }

  private Restored restore(SnapshotSet snapshots, ColumnFamily family)
      throws IOException, RestoreException {
    Digest loaded = new Digest();
    BulkLoadResult result;
    progress.accept(
        "Merging "
            + family.qualifiedName()
            + " of "
            + snapshots.size()
            + " snapshots, "
            + snapshots.bytes(family)
            + " bytes.");
    long deletions;
    try (BulkLoader loader =
            client.bulkLoader(family.keyspace(), family.name(), loadOptions(family));
        DeletionSender deleting = new DeletionSender(client, family)) {
      // The same when a load goes on later, so that its parts are the same then.
      long nowSeconds = loader.timesToLiveFrom();
      snapshots.forEach(
          family, nowSeconds, new FamilySink(family, loader, deleting, loaded, nowSeconds));
      // Deletions are there before rows are, so that a reader never sees a row that they hide.
      deleting.finish();
      deletions = deleting.sent();
      result = loader.load();
    }
    if (!options.merge()) {
      compare(family, loaded, read(family));
    }
    Map<String, Long> missing = new HashMap<>();
    for (BulkLoadResult.MissingPart part : result.missing()) {
      missing.merge(
          part.replica().address() + ":" + part.replica().clientPort(), part.rows(), Long::sum);
    }
    List<String> words = new ArrayList<>();
    missing.forEach((node, rows) -> words.add(node + " lacks " + rows + " rows"));
    return new Restored(family.qualifiedName(), result.rows(), result.columns(), deletions, words);
  }

  private Path stateFile(ColumnFamily family) {
    return options.state().orElseThrow().resolve(family.id() + ".load");
  }

  private BulkLoadOptions loadOptions(ColumnFamily family) {
    BulkLoadOptions load =
        BulkLoadOptions.defaults()
            .withMemoryBytes(options.memoryBytes())
            .withProgress(
                step ->
                    progress.accept(
                        family.qualifiedName()
                            + ": "
                            + step.phase()
                            + ", "
                            + step.done()
                            + " of "
                            + step.total()
                            + "."));
    if (options.temporary().isPresent()) {
      load = load.withDirectory(options.temporary().get());
    }
    return options.state().isPresent() ? load.withStateFile(stateFile(family)) : load;
  }

  /** Sends on what is in the merged rows of a family. */
  private final class FamilySink implements SnapshotSet.Sink {
    private final ColumnFamily family;
    private final BulkLoader loader;
    private final DeletionSender deletions;
    private final Digest loaded;
    private final long nowSeconds;

    FamilySink(
        ColumnFamily family,
        BulkLoader loader,
        DeletionSender deletions,
        Digest loaded,
        long nowSeconds) {
      this.family = family;
      this.loader = loader;
      this.deletions = deletions;
      this.loaded = loaded;
      this.nowSeconds = nowSeconds;
    }

    @Override
    public void live(byte[] key, Cell cell) {
      Column<byte[], byte[]> column =
          Column.of(cell.name(), cell.value()).withTimestamp(cell.timestamp());
      if (cell.ttlSeconds() > 0) {
        column = column.withTtl(Duration.ofSeconds(cell.localSeconds() - nowSeconds));
      } else {
        // What expires may be gone when it is read back, and is not compared.
        loaded.add(key, cell.top(), cell.sub(), cell.value(), cell.timestamp());
      }
      byte[] sub = cell.sub();
      if (sub == null) {
        loader.add(key, column);
      } else {
        loader.add(key, cell.top(), column);
      }
      if (loader.added() % PROGRESS_COLUMNS == 0) {
        progress.accept(
            family.qualifiedName()
                + ": merged, "
                + loader.added()
                + " columns, "
                + deletions.sent()
                + " deletions.");
      }
    }

    @Override
    public void deleted(byte[] key, Cell cell) {
      deletions.cell(key, cell);
    }

    @Override
    public void deletedRow(byte[] key, long timestamp) {
      deletions.row(key, timestamp);
    }

    @Override
    public void deletedRange(byte[] key, Bound from, Bound to, long timestamp) {
      deletions.range(key, from, to, timestamp);
    }
  }

  private Keyspace reading(ColumnFamily family) {
    return client
        .keyspace(family.keyspace())
        .with(
            CallOptions.defaults()
                .withDeadline(Duration.ofMinutes(1))
                .withReadConsistency(Consistency.QUORUM));
  }

  private boolean hasRows(ColumnFamily family) {
    try (Cursor<byte[]> keys =
        reading(family)
            .columnFamily(family.name(), Serializers.BYTES, Serializers.BYTES, Serializers.BYTES)
            .keys(KeyRange.first(1))) {
      return keys.hasNext();
    }
  }

  private static void compare(ColumnFamily family, Digest loaded, Digest found)
      throws RestoreException {
    if (!loaded.isOf(found)) {
      throw new RestoreException(
          family.qualifiedName()
              + " does not read as it was loaded: "
              + loaded.columns
              + " columns were loaded and "
              + found.columns
              + " are found, without those that expire. Did anybody else write meanwhile?"
              + " Otherwise truncate it and restore again");
    }
  }

  /** Reads a family back, row by row; of a row no more than a part at once. */
  private Digest read(ColumnFamily family) {
    progress.accept("Reading " + family.qualifiedName() + " back.");
    Digest found = new Digest();
    if (family.isSuper()) {
      var entries =
          reading(family)
              .superColumnFamily(
                  family.name(),
                  Serializers.BYTES,
                  Serializers.BYTES,
                  Serializers.BYTES,
                  Serializers.BYTES);
      try (Cursor<byte[]> keys = entries.keys(KeyRange.all())) {
        while (keys.hasNext()) {
          byte[] key = keys.next();
          try (Cursor<SuperColumn<byte[], byte[], byte[]>> row = entries.stream(key, Slice.all())) {
            row.forEachRemaining(
                each -> each.columns().forEach(column -> found.add(key, each.name(), column)));
          }
        }
      }
      return found;
    }
    var entries =
        reading(family)
            .columnFamily(family.name(), Serializers.BYTES, Serializers.BYTES, Serializers.BYTES);
    Slice<byte[]> part = Slice.<byte[]>all().limit(READ_ROWS_PART);
    try (Cursor<Row<byte[], Column<byte[], byte[]>>> rows = entries.range(KeyRange.all(), part)) {
      while (rows.hasNext()) {
        Row<byte[], Column<byte[], byte[]>> row = rows.next();
        row.entries().forEach(column -> found.add(row.key(), null, column));
        if (row.entries().size() == READ_ROWS_PART) {
          byte[] last = row.entries().get(READ_ROWS_PART - 1).name();
          try (Cursor<Column<byte[], byte[]>> rest = entries.stream(row.key(), Slice.after(last))) {
            rest.forEachRemaining(column -> found.add(row.key(), null, column));
          }
        }
      }
    }
    return found;
  }
}
