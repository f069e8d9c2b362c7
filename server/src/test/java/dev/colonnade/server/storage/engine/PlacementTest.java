package dev.colonnade.server.storage.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.colonnade.server.base.codec.Hash128;
import dev.colonnade.server.base.model.Bound;
import dev.colonnade.server.base.model.Cell;
import dev.colonnade.server.base.model.ColumnComparators;
import dev.colonnade.server.base.model.DeletionTime;
import dev.colonnade.server.base.model.PageSink;
import dev.colonnade.server.base.model.PathOrder;
import dev.colonnade.server.base.model.PathRange;
import dev.colonnade.server.base.model.RangeCommand;
import dev.colonnade.server.base.model.RowKey;
import dev.colonnade.server.base.model.RowUpdate;
import dev.colonnade.server.base.model.Slice;
import dev.colonnade.server.base.model.SliceCommand;
import dev.colonnade.server.base.schema.ColumnFamily;
import dev.colonnade.server.base.schema.FamilyDefinition;
import dev.colonnade.server.base.schema.FamilyField;
import dev.colonnade.server.base.schema.KeyspaceDefinition;
import dev.colonnade.server.service.consistency.Consistency;
import dev.colonnade.server.service.read.SliceRead;
import dev.colonnade.server.sim.SimClock;
import dev.colonnade.server.sim.SimFileSystem;
import dev.colonnade.server.sim.store.SimulatedStore;
import dev.colonnade.server.storage.mutation.Mutation;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/**
 * Goal: equal writes give equal answers and equal digests, however they are stored in memory and in
 * files, in any order of arrival, and whenever they are merged. Method: the same random writes,
 * with many ties, go to stores that flush and merge at different moments; while values expire and
 * deletions become old enough to be dropped, all stores are asked the same.
 *
 * <p>What is not promised, and so not done here: a write that arrives after a deletion at a higher
 * timestamp was dropped. {@code -Dcolonnade.placements=N -Dcolonnade.placements.first=SEED}.
 */
class PlacementTest {

  private static final int SEEDS = Integer.getInteger("colonnade.placements", 5);
  private static final int FIRST = Integer.getInteger("colonnade.placements.first", 1);
  private static final int WRITES = 28;
  private static final int KEYS = 3;
  private static final int NAMES = 4;
  private static final int GRACE_SECONDS = 100;

  /** When the stores are asked, in seconds after the last write; nothing changes right after. */
  private static final List<Integer> ASKED_AT = List.of(0, 30, 70, 110, 150, 190, 400);

  private static final Duration WRITING_TIME = Duration.ofSeconds(60);

  private enum Family {
    PLAIN,
    NUMBERED,
    NESTED
  }

  /** How a store treats its files; each decision is the seed's. */
  private enum Placement {
    /** Everything stays in the memtable. */
    MEMORY(0, 0, "0"),
    /** Each write lies in a file of its own, and nothing is ever merged. */
    FILES(1, 0, "0"),
    /** Small files are merged by the store's own choice, all the time. */
    PAIRS(1, 0, "2"),
    /** Files of a few writes, all merged now and then. */
    EVERYTHING(4, 3, "0");

    private final int flushesOneIn;
    private final int mergesOneIn;
    private final String threshold;

    Placement(int flushesOneIn, int mergesOneIn, String threshold) {
      this.flushesOneIn = flushesOneIn;
      this.mergesOneIn = mergesOneIn;
      this.threshold = threshold;
    }
  }

  private record Write(Family family, int key, RowUpdate update) {
    @Override
    public String toString() {
      return family + " row" + key + " " + text(update);
    }
  }

  private static String text(RowUpdate update) {
    return update.rowDeletion() + " " + update.ranges() + " " + update.cells();
  }

  @Test
  void equalWritesGiveEqualAnswersAndDigestsHoweverTheyLie() throws Exception {
    for (int seed = FIRST; seed < FIRST + SEEDS; seed++) {
      int number = seed;
      List<Write> writes = new Generator(new Random(seed)).writes();
      SortedMap<String, String> expected = answers(Placement.MEMORY, writes, seed);
      for (Placement placement : Placement.values()) {
        SortedMap<String, String> answers = answers(placement, writes, seed);
        for (String question : expected.keySet()) {
          assertEquals(
              expected.get(question),
              answers.get(question),
              () -> placement + " of seed " + number + ", asked " + question + ": " + writes);
        }
      }
    }
  }

  private static SortedMap<String, String> answers(Placement placement, List<Write> all, int seed)
      throws Exception {
    Random random = new Random(seed * 31L + placement.flushesOneIn);
    SimClock clock = new SimClock();
    SimulatedStore store = SimulatedStore.open(new SimFileSystem(), SimulatedStore.TINY, clock);
    long end = clock.monotonicNanos() + WRITING_TIME.toNanos();
    create(store, placement);
    List<Write> writes = new ArrayList<>(all);
    Collections.shuffle(writes, random);
    for (Write write : writes) {
      ColumnFamily family = family(store, write.family());
      Mutation mutation =
          new Mutation(
              store.key("row" + write.key()),
              List.of(new Mutation.FamilyMutation(family.id(), write.update())),
              0);
      store.await(store.engine().write(mutation, true));
      change(store, placement, random, family);
    }
    SortedMap<String, String> answers = new TreeMap<>();
    for (int seconds : ASKED_AT) {
      long left = end + Duration.ofSeconds(seconds).toNanos() - clock.monotonicNanos();
      store.scheduler().advance(Duration.ofNanos(left));
      for (Family family : Family.values()) {
        change(store, placement, random, family(store, family));
        ask(store, family, Generator.BASE + seconds + 5, seconds, answers);
      }
    }
    store.close();
    return answers;
  }

  private static void create(SimulatedStore store, Placement placement) {
    store.await(store.schema().createKeyspace(KeyspaceDefinition.of("K")));
    for (Family family : Family.values()) {
      FamilyDefinition definition =
          switch (family) {
            case PLAIN -> FamilyDefinition.standard("K", family.name(), "BytesType");
            case NUMBERED -> FamilyDefinition.standard("K", family.name(), "IntegerType");
            case NESTED ->
                FamilyDefinition.superFamily("K", family.name(), "BytesType", "IntegerType");
          };
      store.await(
          store
              .schema()
              .createFamily(
                  definition
                      .with(FamilyField.GC_GRACE, GRACE_SECONDS)
                      .with(FamilyField.MIN_COMPACTION_THRESHOLD, placement.threshold)
                      .with(FamilyField.MAX_COMPACTION_THRESHOLD, placement.threshold)));
    }
  }

  private static ColumnFamily family(SimulatedStore store, Family family) {
    return store.family("K", family.name());
  }

  private static void change(
      SimulatedStore store, Placement placement, Random random, ColumnFamily family) {
    if (placement.flushesOneIn > 0 && random.nextInt(placement.flushesOneIn) == 0) {
      store.await(store.engine().flush(family.id()));
    }
    if (placement.mergesOneIn > 0 && random.nextInt(placement.mergesOneIn) == 0) {
      store.await(store.engine().compact(family.id(), progress -> {}));
    }
  }

  private static void ask(
      SimulatedStore store,
      Family family,
      long nowSeconds,
      int seconds,
      Map<String, String> answers) {
    ColumnFamily definition = family(store, family);
    String when = family + " after " + seconds + " s: ";
    for (int key = 0; key < KEYS; key++) {
      RowKey row = store.key("row" + key);
      for (Slice slice : slices(family, definition.order())) {
        SliceCommand query = new SliceCommand(row, slice, Optional.empty(), 1 << 20, nowSeconds);
        var fragment =
            store
                .await(store.engine().read(definition.id(), query, ReadOutput.ROW_FRAGMENT))
                .result();
        String of = when + "row" + key + " " + slice;
        answers.put(of + " digest", FragmentCodec.digest(fragment) + " " + text(fragment.atoms()));
        SliceRead read =
            new SliceRead(
                definition,
                row,
                slice,
                Optional.empty(),
                1 << 20,
                Consistency.ONE,
                Long.MAX_VALUE,
                PageSink.LISTS);
        answers.put(of, "" + store.await(store.coordinator().read(read)).cells());
      }
    }
    RangeCommand all =
        new RangeCommand(
            RowKey.firstOf(new byte[0]),
            Optional.empty(),
            Optional.empty(),
            false,
            new Slice(List.of(PathRange.ALL), false, false, Long.MAX_VALUE),
            Long.MAX_VALUE,
            false,
            false,
            1 << 20,
            nowSeconds);
    Hash128 digest =
        FragmentCodec.digest(
            store
                .await(store.engine().read(definition.id(), all, ReadOutput.RANGE_FRAGMENT))
                .result());
    answers.put(when + "all rows", digest.toString());
  }

  private static List<Slice> slices(Family family, PathOrder order) {
    List<Slice> slices = new ArrayList<>();
    slices.add(new Slice(List.of(PathRange.ALL), false, order.isSuper(), Long.MAX_VALUE));
    slices.add(new Slice(List.of(PathRange.ALL), true, order.isSuper(), 2));
    List<PathRange> columns = new ArrayList<>();
    for (int name = 0; name < NAMES; name++) {
      byte[] top = Generator.name(family, name, false);
      columns.add(order.isSuper() ? PathRange.of(top, new byte[] {1}) : PathRange.of(top));
    }
    for (PathRange column : columns) {
      slices.add(new Slice(List.of(column), false, false, Long.MAX_VALUE));
    }
    return slices;
  }

  /** Writes to few places at few timestamps. */
  private static final class Generator {

    /** The clock's wall time when the last write was made. */
    static final long BASE = new SimClock().wallSeconds() + WRITING_TIME.toSeconds();

    private static final List<Family> FAMILIES = List.of(Family.values());

    private final Random random;

    Generator(Random random) {
      this.random = random;
    }

    List<Write> writes() {
      List<Write> writes = new ArrayList<>();
      for (int i = 0; i < WRITES; i++) {
        Family family = FAMILIES.get(random.nextInt(FAMILIES.size()));
        writes.add(new Write(family, random.nextInt(KEYS), update(family)));
      }
      return writes;
    }

    private RowUpdate update(Family family) {
      RowUpdate.Builder update =
          RowUpdate.builder(
              new PathOrder(
                  ColumnComparators.BYTES,
                  family == Family.NESTED ? ColumnComparators.INTEGER : null));
      byte[] top = name(family, random.nextInt(NAMES), random.nextInt(3) == 0);
      byte @Nullable [] sub =
          family == Family.NESTED ? number(1 + random.nextInt(2), random.nextInt(3) == 0) : null;
      long timestamp = random.nextInt(5);
      byte[] value = {(byte) random.nextInt(2)};
      switch (random.nextInt(12)) {
        case 0 -> update.deleteRow(new DeletionTime(timestamp, deletedAt()));
        case 1 ->
            update.deleteRange(
                new PathRange(Bound.before(top), Bound.END),
                new DeletionTime(timestamp, deletedAt()));
        case 2 -> update.deleteRange(PathRange.of(top), new DeletionTime(timestamp, deletedAt()));
        case 3, 4 -> update.add(Cell.deleted(top, sub, new DeletionTime(timestamp, deletedAt())));
        case 5, 6, 7, 8 ->
            update.add(
                Cell.expiring(
                    top,
                    sub,
                    value,
                    timestamp,
                    1 + random.nextInt(2),
                    BASE + 20L * random.nextInt(5)));
        default -> update.add(Cell.live(top, sub, value, timestamp));
      }
      return update.build();
    }

    /** Purgeable at some of the moments of {@link #ASKED_AT}. */
    private long deletedAt() {
      return BASE - 40 + 20L * random.nextInt(4);
    }

    static byte[] name(Family family, int number, boolean longer) {
      return family == Family.NUMBERED
          ? number(number, longer)
          : new byte[] {(byte) ('a' + number)};
    }

    private static byte[] number(int number, boolean longer) {
      return longer ? new byte[] {0, (byte) number} : new byte[] {(byte) number};
    }
  }
}
