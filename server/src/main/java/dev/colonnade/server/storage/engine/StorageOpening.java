package dev.colonnade.server.storage.engine;

import dev.colonnade.server.base.env.Environment;
import dev.colonnade.server.base.health.Health;
import dev.colonnade.server.base.model.FamilyId;
import dev.colonnade.server.base.model.LogPosition;
import dev.colonnade.server.base.schema.ColumnFamily;
import dev.colonnade.server.base.schema.ComparatorResolver;
import dev.colonnade.server.base.schema.Schema;
import dev.colonnade.server.base.schema.SchemaException;
import dev.colonnade.server.base.schema.SystemKeyspace;
import dev.colonnade.server.storage.cache.BlockCache;
import dev.colonnade.server.storage.cache.FrameCache;
import dev.colonnade.server.storage.cache.KeyCache;
import dev.colonnade.server.storage.commitlog.CommitLog;
import dev.colonnade.server.storage.commitlog.LogArchive;
import dev.colonnade.server.storage.commitlog.SegmentInventory;
import dev.colonnade.server.storage.manifest.FamilyState;
import dev.colonnade.server.storage.manifest.Manifest;
import dev.colonnade.server.storage.manifest.NodeIdentity;
import dev.colonnade.server.storage.snapshot.SnapshotDirectory;
import dev.colonnade.server.storage.sstable.FilterMemory;
import dev.colonnade.server.storage.sstable.SSTableResources;
import java.io.Closeable;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Opens a store: takes the lock, reads manifest and schema, opens the live files, deletes files
 * that nothing names, and replays the commit log.
 *
 * <p>A schema change is flushed before it is acknowledged, so the files of {@code system.Schema}
 * know every family that a log record can be about; a change that was not finished is found in the
 * log and completed.
 *
 * <p>Blocks; for one thread.
 */
public final class StorageOpening {

  private static final Logger LOG = LoggerFactory.getLogger(StorageOpening.class);

  private static final String LOCK_FILE = "lock";

  /** A manifest larger than this is rewritten; some thousand edits. */
  private static final long MANIFEST_REWRITE_BYTES = 1 << 20;

  private final Environment environment;
  private final EngineSettings settings;
  private final NodeIdentity identity;
  private final ComparatorResolver types;
  private final Health health;
  private final ColumnFamilyStores families;
  private final SSTableResources resources;
  private final FileCloser closer;
  private final Map<FamilyId, Set<LogPosition>> recordsSetAside = new HashMap<>();

  private StorageOpening(
      Environment environment,
      EngineSettings settings,
      NodeIdentity identity,
      ComparatorResolver types,
      Health health) {
    this.environment = environment;
    this.settings = settings;
    this.identity = identity;
    this.types = types;
    this.health = health;
    this.families =
        new ColumnFamilyStores(
            settings.memtableBytesMax(), settings.rowCacheBytes(), environment.clock());
    this.closer = new FileCloser(environment.scheduler());
    this.resources =
        new SSTableResources(
            environment.files(),
            environment.keyIndexes(),
            new BlockCache(
                settings.blockCacheBytes(), new FrameCache(settings.offHeapBlockCacheBytes())),
            new KeyCache(settings.keyCacheEntries()),
            new FilterMemory(settings.filterBytesMax()),
            settings.sstables(),
            closer);
  }

  /**
   * An open store.
   *
   * @param schema as of the last shutdown
   * @param local the rows of {@code system.Local}
   * @param peers the rows of {@code system.Peers}
   * @param accounts the rows of {@code system.Accounts}
   * @param repairs the rows of {@code system.Repairs}
   */
  public record Opened(
      StorageEngine engine,
      Schema schema,
      NodeIdentity identity,
      List<SystemRow> local,
      List<SystemRow> peers,
      List<SystemRow> accounts,
      List<SystemRow> repairs) {}

  /**
   * Opens the store in the environment's directories, or creates one.
   *
   * @param identity what a new store is stamped with, and what an existing one must agree with
   * @param health is told what the store can no longer do
   * @throws dev.colonnade.server.base.env.LockedException if another process has it open
   * @throws IOException if a file cannot be read, is damaged, or disagrees; the message says what
   *     to do
   * @throws SchemaException if the stored schema names a comparator that cannot be found
   */
  public static Opened open(
      Environment environment,
      EngineSettings settings,
      NodeIdentity identity,
      ComparatorResolver types,
      Health health)
      throws IOException, SchemaException {
    Closeable lock = environment.files().lock(LOCK_FILE);
    try {
      return new StorageOpening(environment, settings, identity, types, health).open(lock);
    } catch (IOException | SchemaException | RuntimeException | Error e) {
      lock.close();
      throw e;
    }
  }

  private Opened open(Closeable lock) throws IOException, SchemaException {
    if (!Manifest.exists(environment.files())) {
      // An empty store would delete them all.
      StrayFiles.requireNone(environment.files());
    }
    Manifest manifest = Manifest.open(environment.files(), identity, MANIFEST_REWRITE_BYTES);
    try {
      return open(lock, manifest);
    } catch (IOException | SchemaException | RuntimeException | Error e) {
      families.all().forEach(ColumnFamilyStore::close);
      manifest.close();
      throw e;
    }
  }

  private Opened open(Closeable lock, Manifest manifest) throws IOException, SchemaException {
    for (ColumnFamily family : Schema.empty(types).families().values()) {
      families.addAll(List.of(storeOf(family, manifest)));
    }
    Schema schema = SystemRows.schema(schemaStore(), types);
    addMissing(schema, manifest);
    Set<FamilyId> withoutName =
        schema.setAside().stream().map(ColumnFamily::id).collect(Collectors.toSet());
    StrayFiles.delete(environment.files(), families, withoutName, manifest);
    new SnapshotDirectory(environment.files()).sweep();
    Replay replay = new Replay(families, manifest, resources, environment.clock(), recordsSetAside);
    try {
      return replay(lock, manifest, replay);
    } catch (IOException | SchemaException | RuntimeException | Error e) {
      replay.abandon();
      throw e;
    }
  }

  private Opened replay(Closeable lock, Manifest manifest, Replay replay)
      throws IOException, SchemaException {
    CommitLog log =
        CommitLog.open(
            environment.logFiles(),
            SegmentInventory.open(environment.files()),
            settings.log(),
            lastFlushed(manifest),
            environment
                .logArchive()
                .map(
                    archive ->
                        new LogArchive(
                            archive, manifest.identity().id(), settings.log().maxTotalBytes())),
            replay::record);
    try {
      return begin(lock, manifest, replay, log);
    } catch (IOException | SchemaException | RuntimeException | Error e) {
      log.close();
      throw e;
    }
  }

  private Opened begin(Closeable lock, Manifest manifest, Replay replay, CommitLog log)
      throws IOException, SchemaException {
    replay.quarantineSetAside(log);
    replay.flushSchema(schemaStore(), log.begin());
    replay.releaseFlushed(log);
    Schema schema = SystemRows.schema(schemaStore(), types);
    addMissing(schema, manifest);
    reportSetAside(schema);
    StoreParts parts =
        new StoreParts(lock, manifest, log, resources, closer, identity.partitioner());
    StorageEngine engine = new StorageEngine(environment, settings, parts, families, health);
    closer.opened();
    List<SystemRow> local = live(SystemKeyspace.LOCAL.id());
    List<SystemRow> peers = live(SystemKeyspace.PEERS.id());
    List<SystemRow> accounts = live(SystemKeyspace.ACCOUNTS.id());
    List<SystemRow> repairs = live(SystemKeyspace.REPAIRS.id());
    engine.start();
    return new Opened(engine, schema, manifest.identity(), local, peers, accounts, repairs);
  }

  private List<SystemRow> live(FamilyId family) throws IOException {
    return SystemRows.live(systemStore(family), environment.clock().wallSeconds());
  }

  private ColumnFamilyStore schemaStore() {
    return systemStore(SystemKeyspace.SCHEMA.id());
  }

  private ColumnFamilyStore systemStore(FamilyId family) {
    ColumnFamilyStore store = families.find(family);
    if (store == null) {
      throw new IllegalStateException("the system families are not open");
    }
    return store;
  }

  private void addMissing(Schema schema, Manifest manifest) throws IOException {
    List<ColumnFamilyStore> missing = new ArrayList<>();
    try {
      for (ColumnFamily family : schema.families().values()) {
        ColumnFamilyStore store = families.find(family.id());
        if (store == null) {
          missing.add(storeOf(family, manifest));
        } else if (!store.definition().equals(family)) {
          // The log changed the definition: the store was opened as its files say.
          store.updateDefinition(family, rowCacheBytes(family));
          families.divideRowCaches();
        }
      }
    } finally {
      families.addAll(missing); // so that those that were opened are closed, too
    }
  }

  private static void reportSetAside(Schema schema) {
    for (ColumnFamily family : schema.setAside()) {
      LOG.warn(
          "column family {} ({}) lost its name to another one that was created at the same time;"
              + " its data is kept but not served",
          family.qualifiedName(),
          family.id());
    }
  }

  private static LogPosition lastFlushed(Manifest manifest) {
    LogPosition last = LogPosition.START;
    for (FamilyState files : manifest.families().values()) {
      if (files.flushedUpTo().compareTo(last) > 0) {
        last = files.flushedUpTo();
      }
    }
    return last;
  }

  private ColumnFamilyStore storeOf(ColumnFamily family, Manifest manifest) throws IOException {
    makeDirectories(environment, List.of(family));
    String directory = directory(family);
    FamilyOpening opening =
        new FamilyOpening(resources, manifest, family, directory, environment.clock());
    opening.open();
    recordsSetAside.put(family.id(), opening.setAside());
    return new ColumnFamilyStore(
        family,
        environment.clock(),
        directory,
        opening.tables(),
        opening.quarantined(),
        manifest.family(family.id()).nextGeneration() - 1,
        rowCacheBytes(family));
  }

  /** Opens stores for newly created families. */
  static List<ColumnFamilyStore> newStores(
      Environment environment, Collection<ColumnFamily> families) throws IOException {
    makeDirectories(environment, families);
    return families.stream()
        .map(
            family ->
                new ColumnFamilyStore(
                    family,
                    environment.clock(),
                    directory(family),
                    List.of(),
                    List.of(),
                    0,
                    rowCacheBytes(family)))
        .toList();
  }

  /** Returns the most that a family's row cache could use, whatever there is for all of them. */
  static long rowCacheBytes(ColumnFamily family) {
    long rows = family.options().rowsCached().entries(Integer.MAX_VALUE);
    // A cached row takes at most CachedRow.BYTES_MAX, so few rows need no more than that each.
    return rows == 0 ? 0 : Math.max(1, rows) * (long) CachedRow.BYTES_MAX;
  }

  private static String keyspaceDirectory(ColumnFamily family) {
    return StrayFiles.ROOT + "/" + family.keyspace();
  }

  private static String directory(ColumnFamily family) {
    return keyspaceDirectory(family) + "/" + DirectoryName.of(family.name(), family.id());
  }

  /** Makes those that do not exist, and each of their parents durable once. */
  private static void makeDirectories(Environment environment, Collection<ColumnFamily> families)
      throws IOException {
    Set<String> changed = new LinkedHashSet<>();
    for (ColumnFamily family : families) {
      if (!environment.files().exists(directory(family))) {
        environment.files().createDirectories(directory(family));
        changed.add(keyspaceDirectory(family));
      }
    }
    if (!changed.isEmpty()) {
      changed.add(StrayFiles.ROOT);
      changed.add("");
    }
    for (String directory : changed) {
      environment.files().syncDirectory(directory);
    }
  }
}
