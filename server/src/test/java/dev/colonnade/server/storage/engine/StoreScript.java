package dev.colonnade.server.storage.engine;

import dev.colonnade.server.base.model.Cell;
import dev.colonnade.server.base.model.DeletionTime;
import dev.colonnade.server.base.model.PageSink;
import dev.colonnade.server.base.model.PathRange;
import dev.colonnade.server.base.model.RowKey;
import dev.colonnade.server.base.model.RowUpdate;
import dev.colonnade.server.base.model.Slice;
import dev.colonnade.server.base.schema.ColumnFamily;
import dev.colonnade.server.base.schema.FamilyDefinition;
import dev.colonnade.server.base.schema.KeyspaceDefinition;
import dev.colonnade.server.cluster.ring.InvalidKeyException;
import dev.colonnade.server.service.consistency.AskedReplicas;
import dev.colonnade.server.service.consistency.Consistency;
import dev.colonnade.server.service.read.SlicePage;
import dev.colonnade.server.service.read.SliceRead;
import dev.colonnade.server.service.write.RowMutation;
import dev.colonnade.server.sim.SimClock;
import dev.colonnade.server.sim.SimFileSystem;
import dev.colonnade.server.sim.store.SimulatedStore;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import java.util.StringJoiner;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** A simulated store with words for what a scenario does to it: names, keys and values are text. */
final class StoreScript {

  static final String KEYSPACE = "K";

  private final SimFileSystem disk;
  private final EngineSettings settings;
  private final SimulatedStore store;

  private StoreScript(SimFileSystem disk, EngineSettings settings, SimClock clock)
      throws Exception {
    this.disk = disk;
    this.settings = settings;
    this.store = SimulatedStore.open(disk, settings, clock);
    if (store.schema().current().keyspace(KEYSPACE).isEmpty()) {
      store.await(store.schema().createKeyspace(KeyspaceDefinition.of(KEYSPACE)));
    }
  }

  static StoreScript open(SimFileSystem disk, EngineSettings settings, SimClock clock)
      throws Exception {
    return new StoreScript(disk, settings, clock);
  }

  /**
   * The store after its process was ended and started again; this one must not be used any more.
   */
  StoreScript killed() throws Exception {
    store.scheduler().shutDown();
    disk.kill();
    return new StoreScript(disk, settings, store.clock());
  }

  /** The store after the machine lost its power; this one must not be used any more. */
  StoreScript powerCut() throws Exception {
    store.scheduler().shutDown();
    return new StoreScript(disk.crashClone(), settings, store.clock());
  }

  /** The store after an orderly restart; this one must not be used any more. */
  StoreScript restarted() throws Exception {
    store.close();
    return new StoreScript(disk, settings, store.clock());
  }

  SimulatedStore store() {
    return store;
  }

  ColumnFamily create(FamilyDefinition definition) {
    store.await(store.schema().createFamily(definition));
    return family(definition.name());
  }

  void drop(String name) {
    store.await(store.schema().dropFamily(KEYSPACE, name));
  }

  ColumnFamily family(String name) {
    return store.family(KEYSPACE, name);
  }

  void flush(ColumnFamily family) {
    store.await(store.engine().flush(family.id()));
  }

  void truncate(ColumnFamily family) {
    store.await(store.schema().truncate(family, Long.MAX_VALUE));
  }

  void compact(ColumnFamily family) {
    store.await(store.engine().compact(family.id(), progress -> {}));
  }

  void put(ColumnFamily family, String key, String path, String value, long timestamp) {
    change(
        family,
        key,
        update -> update.add(Cell.live(top(path), sub(path), bytes(value), timestamp)));
  }

  void putFor(
      ColumnFamily family, String key, String path, String value, long timestamp, int seconds) {
    long expires = store.clock().wallSeconds() + seconds;
    change(
        family,
        key,
        update ->
            update.add(
                Cell.expiring(top(path), sub(path), bytes(value), timestamp, seconds, expires)));
  }

  void delete(ColumnFamily family, String key, String path, long timestamp) {
    change(
        family, key, update -> update.add(Cell.deleted(top(path), sub(path), deletion(timestamp))));
  }

  void deleteTop(ColumnFamily family, String key, String top, long timestamp) {
    deleteRange(family, key, PathRange.of(bytes(top)), timestamp);
  }

  void deleteRange(ColumnFamily family, String key, PathRange range, long timestamp) {
    change(family, key, update -> update.deleteRange(range, deletion(timestamp)));
  }

  void deleteRow(ColumnFamily family, String key, long timestamp) {
    change(family, key, update -> update.deleteRow(deletion(timestamp)));
  }

  DeletionTime deletion(long timestamp) {
    return new DeletionTime(timestamp, store.clock().wallSeconds());
  }

  void change(ColumnFamily family, String key, Consumer<RowUpdate.Builder> changes) {
    store.await(begin(family, key, changes));
  }

  CompletableFuture<AskedReplicas> begin(
      ColumnFamily family, String key, Consumer<RowUpdate.Builder> changes) {
    RowUpdate.Builder update = RowUpdate.builder(family.order());
    changes.accept(update);
    return store
        .coordinator()
        .write(
            List.of(
                new RowMutation(
                    key(key), List.of(new RowMutation.FamilyUpdate(family, update.build())))),
            true,
            Consistency.ONE,
            Long.MAX_VALUE);
  }

  /** What a row shows: its columns with their values, ascending. */
  String row(ColumnFamily family, String key) {
    return text(store.await(page(family, key)).cells());
  }

  /** A read of a whole row that is under way. */
  CompletableFuture<SlicePage> page(ColumnFamily family, String key) {
    return store
        .coordinator()
        .read(
            new SliceRead(
                family,
                key(key),
                new Slice(List.of(PathRange.ALL), false, false, Long.MAX_VALUE),
                Optional.empty(),
                1 << 20,
                Consistency.ONE,
                Long.MAX_VALUE,
                PageSink.LISTS));
  }

  static String text(List<Cell> cells) {
    StringJoiner text = new StringJoiner(" ");
    for (Cell cell : cells) {
      String inside = cell.sub() == null ? "" : text(cell.top()) + "/";
      text.add(inside + text(cell.name()) + "=" + text(cell.value()));
    }
    return text.toString();
  }

  private RowKey key(String text) {
    try {
      return store.partitioner().rowKey(bytes(text));
    } catch (InvalidKeyException e) {
      throw new AssertionError(e);
    }
  }

  private static byte[] top(String path) {
    int slash = path.indexOf('/');
    return bytes(slash < 0 ? path : path.substring(0, slash));
  }

  private static byte @Nullable [] sub(String path) {
    int slash = path.indexOf('/');
    return slash < 0 ? null : bytes(path.substring(slash + 1));
  }

  private static String text(byte[] bytes) {
    return new String(bytes, StandardCharsets.UTF_8);
  }

  static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }
}
