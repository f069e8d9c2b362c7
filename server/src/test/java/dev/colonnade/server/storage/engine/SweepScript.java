package dev.colonnade.server.storage.engine;

import dev.colonnade.server.base.env.RandomSource;
import dev.colonnade.server.base.model.Bound;
import dev.colonnade.server.base.model.Cell;
import dev.colonnade.server.base.model.DeletionTime;
import dev.colonnade.server.base.model.PathRange;
import dev.colonnade.server.base.model.RowUpdate;
import dev.colonnade.server.base.schema.ColumnFamily;
import dev.colonnade.server.base.schema.FamilyDefinition;
import dev.colonnade.server.base.schema.FamilyField;
import dev.colonnade.server.base.schema.KeyspaceDefinition;
import dev.colonnade.server.service.consistency.Consistency;
import dev.colonnade.server.service.write.RowMutation;
import dev.colonnade.server.sim.store.SimulatedStore;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.UnaryOperator;

/**
 * Makes a random list of writes, deletions, flushes, merges, truncations, schema changes, pauses
 * and restarts. Timestamps grow with the list, so its order decides what wins.
 *
 * <p>Every write has two columns with one value, which must never be seen apart, and some write two
 * families of one row at once.
 */
final class SweepScript {

  static final String KEYSPACE = "Sweep";
  private static final int FAMILIES = 3;
  private static final int ROWS = 6;
  private static final int COLUMNS = 8;

  private final RandomSource random;
  private final TreeSet<String> families = new TreeSet<>();
  private final List<SweepStep> steps = new ArrayList<>();
  private long timestamp = 1;

  private SweepScript(RandomSource random) {
    this.random = random;
  }

  /** A script of a number of steps, always the same for the same seed. */
  static List<SweepStep> of(RandomSource random, int steps) {
    SweepScript script = new SweepScript(random);
    script.createKeyspace();
    script.createFamily("F0");
    script.createFamily("F1");
    // A short script may come to no other truncation, and to no other record of two families.
    script.steps.add(SweepStep.work(List.of(script.put("F0"))));
    script.forgetAtOnce();
    script.flushHalf();
    while (script.steps.size() < steps) {
      script.next();
    }
    return script.steps;
  }

  private void next() {
    int choice = random.nextInt(100);
    if (choice < 36) {
      steps.add(SweepStep.work(List.of(put(family()))));
    } else if (choice < 42) {
      flushHalf();
    } else if (choice < 52) {
      burst();
    } else if (choice < 56) {
      steps.add(SweepStep.work(List.of(deleteRow())));
    } else if (choice < 60) {
      steps.add(SweepStep.work(List.of(deleteRange())));
    } else if (choice < 70) {
      steps.add(SweepStep.work(List.of(flush(family()))));
    } else if (choice < 75) {
      steps.add(SweepStep.work(List.of(compact())));
    } else if (choice < 80) {
      forgetAtOnce();
    } else if (choice < 84) {
      changeSchema();
    } else if (choice < 94) {
      steps.add(SweepStep.pause(Duration.ofMillis(100 + random.nextInt(1_500))));
    } else if (choice < 97) {
      steps.add(SweepStep.of(SweepStep.Kind.RESTART));
    } else {
      steps.add(SweepStep.of(SweepStep.Kind.KILL));
    }
  }

  private void changeSchema() {
    String name = "F" + random.nextInt(FAMILIES);
    if (!families.contains(name)) {
      createFamily(name);
    } else if (families.size() > 1 && random.nextInt(2) == 0) {
      dropFamily(name);
    } else {
      updateFamily(name);
    }
  }

  private void createKeyspace() {
    steps.add(
        one(
            "create keyspace",
            store -> store.schema().createKeyspace(KeyspaceDefinition.of(KEYSPACE)),
            state -> state));
  }

  private void createFamily(String name) {
    families.add(name);
    steps.add(
        one(
            "create " + name,
            store ->
                store.schema().createFamily(FamilyDefinition.standard(KEYSPACE, name, "UTF8Type")),
            state -> state.withFamily(name)));
  }

  private void updateFamily(String name) {
    String comment = "since " + timestamp;
    steps.add(
        one(
            "update " + name,
            store ->
                store
                    .schema()
                    .updateFamily(
                        FamilyDefinition.standard(KEYSPACE, name, "UTF8Type")
                            .with(FamilyField.COMMENT, comment),
                        List.of("comment")),
            state -> state));
  }

  private void dropFamily(String name) {
    families.remove(name);
    steps.add(
        one(
            "drop " + name,
            store -> store.schema().dropFamily(KEYSPACE, name),
            state -> state.withoutFamily(name)));
  }

  private static SweepStep one(
      String name,
      Function<SimulatedStore, CompletableFuture<?>> action,
      UnaryOperator<SweepState> change) {
    return SweepStep.work(List.of(new SweepStep.Part(name, action, change)));
  }

  private String family() {
    return List.copyOf(families).get(random.nextInt(families.size()));
  }

  private String row() {
    return "row" + random.nextInt(ROWS);
  }

  private void burst() {
    List<SweepStep.Part> parts = new ArrayList<>();
    for (int i = 2 + random.nextInt(3); i > 0; i--) {
      parts.add(put(family()));
    }
    steps.add(SweepStep.work(parts));
  }

  /**
   * Truncates a family right after a write to it, so that the log's last record must not be
   * replayed; and often restarts before anything else advances the log.
   */
  private void forgetAtOnce() {
    String family = family();
    steps.add(SweepStep.work(List.of(put(family))));
    steps.add(SweepStep.work(List.of(truncate(family))));
    if (random.nextInt(2) == 0) {
      steps.add(SweepStep.of(SweepStep.Kind.KILL));
    }
  }

  /** Flushes one family of a record that is about all of them: the log has the others' part. */
  private void flushHalf() {
    steps.add(SweepStep.work(List.of(put(new TreeSet<>(families)))));
    steps.add(SweepStep.work(List.of(flush(family()))));
    if (random.nextInt(2) == 0) {
      steps.add(SweepStep.of(SweepStep.Kind.KILL));
    }
  }

  private SweepStep.Part put(String family) {
    String second = random.nextInt(4) == 0 ? family() : family;
    return put(new TreeSet<>(List.of(family, second)));
  }

  private SweepStep.Part put(SortedSet<String> targets) {
    String row = row();
    String column = "c" + random.nextInt(COLUMNS);
    long time = timestamp++;
    String value = "v" + time + ".".repeat(random.nextInt(60));
    return write(
        "put " + row + "/" + column + "=v" + time,
        targets,
        row,
        update ->
            update
                .add(Cell.live(bytes(column), null, bytes(value), time))
                .add(Cell.live(bytes(column + "+"), null, bytes(value), time)),
        rows -> {
          rows.put(row + "/" + column, value);
          rows.put(row + "/" + column + "+", value);
        });
  }

  private SweepStep.Part deleteRow() {
    String row = row();
    long time = timestamp++;
    return write(
        "delete " + row,
        new TreeSet<>(List.of(family())),
        row,
        update -> update.deleteRow(new DeletionTime(time, 1_767_225_600)),
        rows -> rows.keySet().removeIf(cell -> cell.startsWith(row + "/")));
  }

  private SweepStep.Part deleteRange() {
    String row = row();
    String from = "c" + random.nextInt(COLUMNS / 2);
    String to = "c" + (COLUMNS / 2 + random.nextInt(COLUMNS / 2));
    long time = timestamp++;
    return write(
        "delete " + row + "/" + from + " to " + to,
        new TreeSet<>(List.of(family())),
        row,
        update ->
            update.deleteRange(
                new PathRange(Bound.before(bytes(from)), Bound.after(bytes(to + "+"))),
                new DeletionTime(time, 1_767_225_600)),
        rows ->
            rows.keySet()
                .removeIf(
                    cell ->
                        cell.compareTo(row + "/" + from) >= 0
                            && cell.compareTo(row + "/" + to + "+") <= 0));
  }

  private SweepStep.Part write(
      String name,
      SortedSet<String> targets,
      String row,
      Consumer<RowUpdate.Builder> update,
      Consumer<Map<String, String>> change) {
    return new SweepStep.Part(
        name + " in " + targets,
        store -> {
          List<RowMutation.FamilyUpdate> updates = new ArrayList<>();
          for (String target : targets) {
            ColumnFamily family = store.family(KEYSPACE, target);
            RowUpdate.Builder builder = RowUpdate.builder(family.order());
            update.accept(builder);
            updates.add(new RowMutation.FamilyUpdate(family, builder.build()));
          }
          return store
              .coordinator()
              .write(
                  List.of(new RowMutation(store.key(row), updates)),
                  true,
                  Consistency.ONE,
                  Long.MAX_VALUE);
        },
        state -> {
          SweepState after = state;
          for (String target : targets) {
            after = after.withRows(target, change);
          }
          return after;
        });
  }

  private SweepStep.Part flush(String family) {
    return new SweepStep.Part(
        "flush " + family,
        store -> store.operations().flush(List.of(store.family(KEYSPACE, family))),
        state -> state);
  }

  private SweepStep.Part compact() {
    String family = family();
    return new SweepStep.Part(
        "compact " + family,
        store ->
            store.operations().compact(List.of(store.family(KEYSPACE, family)), progress -> {}),
        state -> state);
  }

  private SweepStep.Part truncate(String family) {
    return new SweepStep.Part(
        "truncate " + family,
        store -> store.schema().truncate(store.family(KEYSPACE, family), Long.MAX_VALUE),
        state -> state.withRows(family, Map::clear));
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }
}
