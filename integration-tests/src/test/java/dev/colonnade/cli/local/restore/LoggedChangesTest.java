package dev.colonnade.cli.local.restore;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.colonnade.server.base.model.Bound;
import dev.colonnade.server.base.model.Cell;
import dev.colonnade.server.base.model.DeletionTime;
import dev.colonnade.server.base.model.RowUpdate;
import dev.colonnade.server.base.schema.ColumnFamily;
import dev.colonnade.server.base.schema.ComparatorResolver;
import dev.colonnade.server.base.schema.FamilyDefinition;
import dev.colonnade.server.base.schema.KeyspaceDefinition;
import dev.colonnade.server.sim.SimClock;
import dev.colonnade.server.sim.SimFileSystem;
import dev.colonnade.server.sim.SubdirectoryFiles;
import dev.colonnade.server.sim.store.EngineSettingsBuilder;
import dev.colonnade.server.sim.store.SimulatedStore;
import dev.colonnade.server.storage.commitlog.CommitLogSettings;
import dev.colonnade.server.storage.engine.EngineSettings;
import dev.colonnade.server.storage.mutation.Mutation;
import dev.colonnade.server.storage.snapshot.SnapshotManifest;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Snapshots of two replicas and their archived logs, restored to a moment. Here because it needs
 * the simulated store, in this package because it looks into the restore.
 */
final class LoggedChangesTest {

  private static final long SEED = 20_261_128L;
  private static final int HISTORIES = Integer.getInteger("colonnade.restore.histories", 10);
  private static final List<String> FAMILIES = List.of("A", "B");

  /** Small segments, which may all wait for the archive. */
  private static final EngineSettings SETTINGS =
      EngineSettingsBuilder.of(SimulatedStore.TINY)
          .withLog(new CommitLogSettings(2 << 10, 1 << 20, 1 << 20))
          .build();

  @TempDir private Path temporary;

  /** One column that was written, or deleted, and where that is. */
  private static final class Change {
    private final String family;
    private final String path;
    private final long timestamp;
    private final boolean isDeletion;
    private final long truncation;
    private boolean isStored;
    private boolean isInSnapshot;

    Change(String family, String path, long timestamp, boolean isDeletion, long truncation) {
      this.family = family;
      this.path = path;
      this.timestamp = timestamp;
      this.isDeletion = isDeletion;
      this.truncation = truncation;
    }

    @Override
    public String toString() {
      return family + " " + path + " @" + timestamp + (isDeletion ? " deleted" : "");
    }
  }

  /** A mutation that a replica has still to get. */
  private record Hint(int node, List<Change> changes, long nowSeconds) {}

  /** Two replicas with all rows, clocks that are stepped, and what a restore should give. */
  private final class History {
    private final Random random;
    private final List<SimFileSystem> archives = List.of(new SimFileSystem(), new SimFileSystem());
    private final List<SimFileSystem> disks = List.of(new SimFileSystem(), new SimFileSystem());
    private final List<SimClock> clocks = List.of(new SimClock(), new SimClock());
    private final List<SimulatedStore> nodes = new ArrayList<>();
    private final List<Change> changes = new ArrayList<>();
    private final List<Hint> hints = new ArrayList<>();
    private final Set<Long> timestamps = new HashSet<>();
    private final Map<String, List<Long>> truncations = new TreeMap<>();
    private final Map<String, Long> truncatedInSnapshot = new TreeMap<>();
    private final Path directory;
    private long createdMicros;
    private int families;

    History(long seed) throws Exception {
      random = new Random(seed);
      directory = Files.createDirectory(temporary.resolve("history" + seed));
      for (int node = 0; node < 2; node++) {
        open(node);
        SimulatedStore store = nodes.get(node);
        store.await(store.schema().createKeyspace(KeyspaceDefinition.of("K")));
        for (String family : FAMILIES) {
          store.await(
              store.schema().createFamily(FamilyDefinition.standard("K", family, "UTF8Type")));
        }
      }
      for (String family : FAMILIES) {
        assertEquals(family(0, family).id(), family(1, family).id(), "made alike");
        truncations.put(family, new ArrayList<>());
      }
    }

    private void open(int node) throws Exception {
      SimulatedStore store =
          SimulatedStore.openArchiving(
              disks.get(node), archives.get(node), SETTINGS, clocks.get(node));
      if (nodes.size() > node) {
        nodes.set(node, store);
      } else {
        nodes.add(store);
      }
    }

    private List<Long> truncationsOf(String family) {
      return Objects.requireNonNull(truncations.get(family));
    }

    private ColumnFamily family(int node, String name) {
      return nodes.get(node).family("K", name);
    }

    void steps(int count) throws Exception {
      for (int i = 0; i < count; i++) {
        int node = random.nextInt(2);
        SimulatedStore store = nodes.get(node);
        clocks.forEach(clock -> clock.advance(Duration.ofMillis(random.nextInt(2_000))));
        switch (random.nextInt(40)) {
          case 0, 1 ->
              clocks.get(node).stepWall(Duration.ofSeconds(random.nextInt(7_201) - 3_600L));
          case 2 -> truncate(FAMILIES.get(random.nextInt(2)));
          case 3 -> store.await(store.engine().flush(family(node, "A").id()));
          case 4 -> store.await(store.engine().compact(family(node, "B").id(), done -> {}));
          case 5 ->
              store.await(
                  store
                      .schema()
                      .createFamily(
                          FamilyDefinition.standard("K", "More" + node + families++, "UTF8Type")));
          case 6 -> {
            store.close();
            open(node);
          }
          case 7, 8, 9, 10 -> deliver(random.nextInt(3));
          default -> write(node);
        }
      }
    }

    private void truncate(String family) throws Exception {
      // As a coordinator does, which asks for it when no write is under way.
      deliver(Integer.MAX_VALUE);
      long number = clocks.get(0).wallMicros();
      for (long known : truncationsOf(family)) {
        number = Math.max(number, known + 1);
      }
      for (int node = 0; node < 2; node++) {
        SimulatedStore store = nodes.get(node);
        store.await(store.schema().truncateHere(family(node, family).id(), number));
      }
      truncationsOf(family).add(number);
    }

    private void write(int coordinator) throws Exception {
      long micros = clocks.get(coordinator).wallMicros();
      while (!timestamps.add(micros)) {
        micros++;
      }
      String key = "row" + random.nextInt(6);
      List<Change> written = new ArrayList<>();
      for (String family : FAMILIES) {
        if (written.isEmpty() || random.nextBoolean()) {
          written.add(
              new Change(
                  family,
                  key + "/c" + random.nextInt(4),
                  micros,
                  random.nextInt(4) == 0,
                  family(coordinator, family).truncation()));
        }
      }
      changes.addAll(written);
      long nowSeconds = clocks.get(coordinator).wallSeconds();
      for (int node = 0; node < 2; node++) {
        Hint hint = new Hint(node, written, nowSeconds);
        if (node != coordinator && random.nextInt(3) == 0) {
          hints.add(hint);
        } else {
          apply(hint);
        }
      }
    }

    private void deliver(int count) {
      for (int i = 0; i < count && !hints.isEmpty(); i++) {
        apply(hints.remove(random.nextInt(hints.size())));
      }
    }

    private void apply(Hint hint) {
      SimulatedStore store = nodes.get(hint.node());
      List<Mutation.FamilyMutation> parts = new ArrayList<>();
      String key = "";
      for (Change change : hint.changes()) {
        key = change.path.substring(0, change.path.indexOf('/'));
        byte[] name = change.path.substring(key.length() + 1).getBytes(StandardCharsets.UTF_8);
        Cell cell =
            change.isDeletion
                ? Cell.deleted(name, null, new DeletionTime(change.timestamp, hint.nowSeconds()))
                : Cell.live(name, null, new byte[60], change.timestamp);
        ColumnFamily family = family(hint.node(), change.family);
        parts.add(
            new Mutation.FamilyMutation(
                family.id(),
                RowUpdate.builder(family.order()).add(cell).build(),
                change.truncation));
        change.isStored = true;
      }
      store.await(
          store.engine().write(new Mutation(store.key(key), parts, hint.nowSeconds()), true));
    }

    void snapshot() {
      createdMicros = clocks.get(0).wallMicros();
      for (int node = 0; node < 2; node++) {
        SimulatedStore store = nodes.get(node);
        SnapshotManifest described =
            new SnapshotManifest(
                "s",
                createdMicros,
                "sim",
                id(node),
                store.partitioner().name(),
                List.of(),
                store.schema().current().rows(),
                List.of(),
                List.of(),
                Optional.empty());
        store.await(
            store
                .engine()
                .snapshots()
                .take(
                    described,
                    List.of(family(node, "A").id(), family(node, "B").id()),
                    done -> {}));
        int at = node;
        for (Change change : changes) {
          boolean waits =
              hints.stream().anyMatch(it -> it.node() == at && it.changes().contains(change));
          change.isInSnapshot |= change.isStored && !waits;
        }
      }
      for (String family : FAMILIES) {
        truncatedInSnapshot.put(family, family(0, family).truncation());
      }
    }

    void end() throws Exception {
      deliver(Integer.MAX_VALUE);
      for (int node = 0; node < 2; node++) {
        nodes.get(node).close();
        SimFileSystem archive = archives.get(node);
        Path target = Files.createDirectories(archive().resolve(id(node)));
        for (String folder : archive.list("")) {
          for (String segment : archive.list(folder)) {
            Files.write(target.resolve(segment), archive.content(folder + "/" + segment));
          }
        }
      }
    }

    Path archive() {
      return directory.resolve("archive");
    }

    String id(int node) {
      return "0".repeat(31) + (node + 1);
    }

    /** A moment after the snapshots, at a change or between two. */
    long moment() {
      long latest = createdMicros;
      for (Change change : changes) {
        latest = Math.max(latest, change.timestamp);
      }
      return createdMicros + (long) (random.nextDouble() * (latest - createdMicros + 2));
    }

    List<String> expected(long until) {
      List<String> expected = new ArrayList<>();
      for (String family : FAMILIES) {
        long truncation = Objects.requireNonNull(truncatedInSnapshot.get(family));
        for (long number : truncationsOf(family)) {
          truncation = number <= until ? Math.max(truncation, number) : truncation;
        }
        Map<String, Change> rows = new TreeMap<>();
        for (Change change : changes) {
          if (change.family.equals(family)
              && change.truncation >= truncation
              && (change.timestamp <= until || change.isInSnapshot)) {
            rows.merge(change.path, change, (a, b) -> a.timestamp > b.timestamp ? a : b);
          }
        }
        rows.values().stream()
            .filter(change -> !change.isDeletion)
            .map(Change::toString)
            .forEach(expected::add);
      }
      return expected.stream().sorted().toList();
    }

    List<String> restored(long until, boolean acceptGaps, List<String> told) throws Exception {
      List<SubdirectoryFiles> directories =
          disks.stream().map(disk -> new SubdirectoryFiles(disk, "snapshots/s")).toList();
      List<String> found = new ArrayList<>();
      try (SnapshotSet snapshots = SnapshotSet.open(directories, ComparatorResolver.builtIns())) {
        SnapshotRestore.Options options =
            new SnapshotRestore.Options(
                false,
                false,
                List.of(),
                SnapshotRestore.Accounts.LEFT,
                Optional.empty(),
                Optional.of(directory),
                64 << 10,
                Optional.empty());
        snapshots.merge(
            LoggedChanges.read(
                new LogArchives(List.of(archive()), until, acceptGaps),
                snapshots,
                snapshots.families(),
                options,
                told::add));
        for (ColumnFamily family : snapshots.families()) {
          snapshots.forEach(family, clocks.get(0).wallSeconds(), new Found(family, found));
        }
      }
      return found.stream().sorted().toList();
    }
  }

  /** Lists the columns that are live. */
  private record Found(ColumnFamily family, List<String> cells) implements SnapshotSet.Sink {
    @Override
    public void live(byte[] key, Cell cell) {
      cells.add(
          family.name()
              + " "
              + new String(key, StandardCharsets.UTF_8)
              + "/"
              + new String(cell.name(), StandardCharsets.UTF_8)
              + " @"
              + cell.timestamp());
    }

    @Override
    public void deleted(byte[] key, Cell cell) {
      // Not listed.
    }

    @Override
    public void deletedRow(byte[] key, long timestamp) {
      // Not listed.
    }

    @Override
    public void deletedRange(byte[] key, Bound from, Bound to, long timestamp) {
      // Not listed.
    }
  }

  @Test
  void whateverClocksDoARestoreGivesTheMoment() throws Exception {
    int later = 0;
    int truncated = 0;
    for (int number = 0; number < HISTORIES; number++) {
      long seed = Long.getLong("colonnade.restore.seed", SEED) + number;
      History history = new History(seed);
      history.steps(20 + history.random.nextInt(80));
      history.snapshot();
      history.steps(20 + history.random.nextInt(120));
      history.end();
      for (int i = 0; i < 2; i++) {
        long until = history.moment();
        List<String> told = new ArrayList<>();
        List<String> restored = history.restored(until, false, told);
        assertEquals(
            history.expected(until), restored, () -> "seed " + seed + " until " + until + told);
        later += restored.equals(history.expected(history.createdMicros)) ? 0 : 1;
      }
      truncated += history.truncationsOf("A").size() + history.truncationsOf("B").size();
    }
    assertTrue(later > HISTORIES / 2, later + " moments differ from the snapshots");
    assertTrue(truncated > HISTORIES / 2, truncated + " truncations");
  }

  @Test
  void aClockThatIsSetBackAfterTheSnapshotHidesNoChange() throws Exception {
    History history = new History(SEED);
    history.write(0);
    history.clocks.forEach(clock -> clock.advance(Duration.ofHours(2)));
    history.write(1);
    history.snapshot();
    history.clocks.forEach(clock -> clock.stepWall(Duration.ofMinutes(-10)));
    int before = history.changes.size();
    for (int i = 0; i < 30; i++) {
      history.write(i % 2);
    }
    history.end();
    long until = history.createdMicros + 1;
    List<String> told = new ArrayList<>();
    List<String> restored = history.restored(until, false, told);
    assertEquals(history.expected(until), restored);
    int merged = history.changes.size() - before;
    assertTrue(restored.size() > 5, restored::toString);
    assertTrue(
        told.stream().anyMatch(line -> line.contains("behind position")),
        () -> merged + " changes: " + told);
  }

  @Test
  void aHoleBehindTheSnapshotIsNamedAndOneBeforeItIsNone() throws Exception {
    History history = new History(SEED + 1);
    for (int i = 0; i < 60; i++) {
      history.write(0);
    }
    history.snapshot();
    long first = position(history);
    for (int i = 0; i < 60; i++) {
      history.write(0);
    }
    history.end();
    List<Path> segments = segments(history);
    assertTrue(number(segments.get(0)) < first);
    for (Path segment : segments) {
      if (number(segment) < first) {
        Files.delete(segment);
      }
    }
    long until = history.moment();
    assertEquals(history.expected(until), history.restored(until, false, new ArrayList<>()));

    for (long missing : List.of(first, first + 1)) {
      Path segment =
          segments(history).stream()
              .filter(each -> number(each) == missing)
              .findFirst()
              .orElseThrow();
      byte[] content = Files.readAllBytes(segment);
      Files.delete(segment);
      RestoreException refused =
          assertThrows(
              RestoreException.class, () -> history.restored(until, false, new ArrayList<>()));
      assertTrue(
          String.valueOf(refused.getMessage())
              .contains("lacks segment " + missing + " of node " + history.id(0)),
          refused.getMessage());
      List<String> told = new ArrayList<>();
      history.restored(until, true, told);
      assertTrue(told.toString().contains("segment " + missing + " of node"), told::toString);
      Files.write(segment, content);
    }
    assertEquals(history.expected(until), history.restored(until, false, new ArrayList<>()));
    for (Path segment : segments(history)) {
      Files.delete(segment);
    }
    RestoreException refused =
        assertThrows(
            RestoreException.class, () -> history.restored(until, false, new ArrayList<>()));
    assertTrue(
        String.valueOf(refused.getMessage())
            .contains("segment " + first + " and all behind it of node"),
        refused.getMessage());
  }

  private static long position(History history) throws Exception {
    return history
        .nodes
        .get(0)
        .await(history.nodes.get(0).engine().snapshots().list())
        .get(0)
        .manifest()
        .moment()
        .orElseThrow()
        .position()
        .segment();
  }

  private static List<Path> segments(History history) throws IOException {
    try (Stream<Path> found = Files.list(history.archive().resolve(history.id(0)))) {
      return found.sorted().toList();
    }
  }

  private static long number(Path segment) {
    return Long.parseLong(String.valueOf(segment.getFileName()).replaceAll("[^0-9]", ""));
  }
}
