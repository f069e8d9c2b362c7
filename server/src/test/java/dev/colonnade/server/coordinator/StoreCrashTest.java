package dev.colonnade.server.coordinator;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assertions.fail;

import dev.colonnade.server.adapter.SeededRandom;
import dev.colonnade.server.model.Bound;
import dev.colonnade.server.model.Cell;
import dev.colonnade.server.model.DeletionTime;
import dev.colonnade.server.model.PathRange;
import dev.colonnade.server.model.RowKey;
import dev.colonnade.server.model.RowUpdate;
import dev.colonnade.server.model.Slice;
import dev.colonnade.server.ring.InvalidKeyException;
import dev.colonnade.server.schema.ColumnFamily;
import dev.colonnade.server.schema.FamilyDefinition;
import dev.colonnade.server.schema.KeyspaceDefinition;
import dev.colonnade.server.schema.SchemaException;
import dev.colonnade.server.sim.PowerLostException;
import dev.colonnade.server.sim.SimClock;
import dev.colonnade.server.sim.SimFileSystem;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/**
 * Goal: whatever the moment at which the machine stops, the store opens again and holds what was
 * acknowledged. Method: a script of writes, deletions, flushes, merges, truncations and schema
 * changes in batch mode runs on a disk that stops after the n-th file operation, for every n; a
 * clone of the disk without what was not synced (and one with a random part of it) is opened and
 * compared with a plain model. The step under way when the power went may have happened or not.
 */
class StoreCrashTest {

  private static final String KEYSPACE = "Crash";

  /** One step: what is asked of the store, and what it means for the model. */
  private interface Step {
    CompletableFuture<?> run(SimulatedStore store);

    void model(Map<String, Map<String, String>> families);
  }

  @Test
  void everyAcknowledgedStepSurvivesACrashAfterAnyFileOperation() throws Exception {
    List<Step> script = script();
    SimFileSystem whole = new SimFileSystem();
    assertEquals(script.size(), run(whole, script));
    long operations = whole.operations();
    assertTrue(operations > 150, "the script should do more: " + operations);
    for (long stop = 1; stop <= operations; stop++) {
      SimFileSystem disk = new SimFileSystem();
      disk.stopAfter(stop);
      int done = run(disk, script);
      check(disk.crashClone(), script, done, "all unsynced lost, stop " + stop);
      check(
          disk.crashClone(new SeededRandom(stop)),
          script,
          done,
          "some unsynced kept, stop " + stop);
    }
  }

  @Test
  void aRestartWithoutACrashKeepsEverything() throws Exception {
    List<Step> script = script();
    SimFileSystem disk = new SimFileSystem();
    SimulatedStore store = SimulatedStore.open(disk, SimulatedStore.TINY, new SimClock());
    for (Step step : script) {
      store.await(step.run(store));
    }
    store.close();
    check(disk, script, script.size(), "after an orderly stop");
  }

  /** How many steps were acknowledged before the disk stopped. */
  private static int run(SimFileSystem disk, List<Step> script) throws Exception {
    SimulatedStore store;
    try {
      store = SimulatedStore.open(disk, SimulatedStore.TINY, new SimClock());
    } catch (PowerLostException stopped) {
      return -1;
    }
    for (int i = 0; i < script.size(); i++) {
      if (!store.succeeds(script.get(i).run(store))) {
        return i;
      }
    }
    return script.size();
  }

  private static void check(SimFileSystem disk, List<Step> script, int done, String where)
      throws IOException, SchemaException {
    SimulatedStore store;
    try {
      store = SimulatedStore.open(disk, SimulatedStore.TINY, new SimClock());
    } catch (IOException | SchemaException | RuntimeException e) {
      fail("does not open: " + where, e);
      return;
    }
    Map<String, Map<String, String>> found = contents(store);
    Map<String, Map<String, String>> without = model(script, Math.max(0, done));
    Map<String, Map<String, String>> with = model(script, Math.min(script.size(), done + 1));
    if (!found.equals(with)) {
      assertEquals(without, found, where + ", after step " + done);
    }
    assertEquals(List.of(), store.scheduler().failures(), where);
  }

  private static Map<String, Map<String, String>> model(List<Step> script, int steps) {
    Map<String, Map<String, String>> families = new TreeMap<>();
    for (Step step : script.subList(0, steps)) {
      step.model(families);
    }
    return families;
  }

  private static Map<String, Map<String, String>> contents(SimulatedStore store) {
    Map<String, Map<String, String>> found = new TreeMap<>();
    store
        .schema()
        .current()
        .keyspace(KEYSPACE)
        .ifPresent(
            keyspace -> {
              for (ColumnFamily family : keyspace.families().values()) {
                found.put(family.name(), rows(store, family));
              }
            });
    return found;
  }

  private static Map<String, String> rows(SimulatedStore store, ColumnFamily family) {
    Map<String, String> rows = new TreeMap<>();
    RangePage page =
        store.await(
            store
                .coordinator()
                .readRange(
                    new RangeRead(
                        family,
                        List.of(new RowRange(RowKey.firstOf(new byte[0]), Optional.empty())),
                        new Slice(List.of(PathRange.ALL), false, false, Long.MAX_VALUE),
                        Long.MAX_VALUE,
                        false,
                        false,
                        Optional.empty(),
                        1 << 24,
                        Consistency.ONE,
                        Long.MAX_VALUE)));
    assertTrue(page.next().isEmpty());
    for (RangePage.RowCells row : page.rows()) {
      for (Cell cell : row.cells()) {
        rows.put(text(row.key().key()) + "/" + text(cell.top()), text(cell.value()));
      }
    }
    return rows;
  }

  private static List<Step> script() {
    List<Step> script = new ArrayList<>();
    script.add(createKeyspace());
    script.add(createFamily("Posts"));
    for (int i = 0; i < 12; i++) {
      script.add(put("Posts", "key" + i % 5, "col" + i, "value " + i + " ".repeat(40), 10 + i));
    }
    script.add(flush("Posts"));
    script.add(createFamily("Tags"));
    for (int i = 0; i < 12; i++) {
      script.add(put("Posts", "key" + i % 7, "col" + i, "newer " + i + " ".repeat(90), 30 + i));
      script.add(put("Tags", "tag" + i % 3, "col" + i, "t" + i, 30));
    }
    script.add(deleteRow("Posts", "key1", 35));
    script.add(deleteRange("Posts", "key2", "col0", "col5", 60));
    script.add(flush("Posts"));
    script.add(put("Posts", "key1", "col1", "back", 70));
    script.add(flush("Posts"));
    script.add(compact("Posts"));
    script.add(truncate("Tags"));
    script.add(put("Tags", "tag1", "col1", "after", 5));
    script.add(dropFamily("Posts"));
    script.add(createFamily("Posts"));
    script.add(put("Posts", "key9", "col9", "again", 1));
    script.add(flush("Tags"));
    return script;
  }

  private static Step step(
      java.util.function.Function<SimulatedStore, CompletableFuture<?>> action,
      java.util.function.Consumer<Map<String, Map<String, String>>> model) {
    return new Step() {
      @Override
      public CompletableFuture<?> run(SimulatedStore store) {
        return action.apply(store);
      }

      @Override
      public void model(Map<String, Map<String, String>> families) {
        model.accept(families);
      }
    };
  }

  private static Step createKeyspace() {
    return step(
        store -> store.schema().createKeyspace(KeyspaceDefinition.of(KEYSPACE)), model -> {});
  }

  private static Step createFamily(String name) {
    return step(
        store -> store.schema().createFamily(FamilyDefinition.standard(KEYSPACE, name, "UTF8Type")),
        model -> model.put(name, new TreeMap<>()));
  }

  private static Step dropFamily(String name) {
    return step(store -> store.schema().dropFamily(KEYSPACE, name), model -> model.remove(name));
  }

  private static Step flush(String name) {
    return step(store -> store.engine().flush(store.family(KEYSPACE, name).id()), model -> {});
  }

  private static Step compact(String name) {
    return step(
        store -> store.engine().compact(store.family(KEYSPACE, name).id(), progress -> {}),
        model -> {});
  }

  private static Step truncate(String name) {
    return step(
        store -> store.schema().truncate(store.family(KEYSPACE, name), Long.MAX_VALUE),
        model -> model.put(name, new TreeMap<>()));
  }

  private static Step put(String family, String key, String column, String value, long timestamp) {
    return step(
        store ->
            write(
                store,
                family,
                key,
                update -> update.add(Cell.live(bytes(column), null, bytes(value), timestamp))),
        model -> rows(model, family).put(key + "/" + column, value));
  }

  private static Step deleteRow(String family, String key, long timestamp) {
    return step(
        store ->
            write(store, family, key, update -> update.deleteRow(new DeletionTime(timestamp, 1))),
        model ->
            rows(model, family)
                .entrySet()
                .removeIf(
                    cell ->
                        cell.getKey().startsWith(key + "/")
                            && timestampOf(cell.getValue()) <= timestamp));
  }

  private static Step deleteRange(
      String family, String key, String from, String to, long timestamp) {
    return step(
        store ->
            write(
                store,
                family,
                key,
                update ->
                    update.deleteRange(
                        new PathRange(Bound.before(bytes(from)), Bound.after(bytes(to))),
                        new DeletionTime(timestamp, 1))),
        model ->
            rows(model, family)
                .entrySet()
                .removeIf(
                    cell ->
                        cell.getKey().compareTo(key + "/" + from) >= 0
                            && cell.getKey().compareTo(key + "/" + to) <= 0));
  }

  /** The script's values say when they were written. */
  private static long timestampOf(String value) {
    long number = Long.parseLong(value.replaceAll("[^0-9]", ""));
    return value.startsWith("newer") ? 30 + number : 10 + number;
  }

  private static Map<String, String> rows(
      Map<String, Map<String, String>> families, String family) {
    return families.computeIfAbsent(family, name -> new TreeMap<>());
  }

  private static CompletableFuture<Void> write(
      SimulatedStore store,
      String family,
      String key,
      java.util.function.Consumer<RowUpdate.Builder> change) {
    ColumnFamily target = store.family(KEYSPACE, family);
    RowUpdate.Builder update = RowUpdate.builder(target.order(), 0);
    change.accept(update);
    try {
      RowKey row = store.partitioner().rowKey(bytes(key));
      return store
          .coordinator()
          .write(
              List.of(
                  new RowMutation(
                      row, List.of(new RowMutation.FamilyUpdate(target, update.build())))),
              true,
              Consistency.ONE,
              Long.MAX_VALUE);
    } catch (InvalidKeyException e) {
      throw new AssertionError(e);
    }
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  private static String text(byte[] bytes) {
    return new String(bytes, StandardCharsets.UTF_8);
  }
}
