package dev.colonnade.server.sim.cluster;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.colonnade.server.base.env.FileSystem;
import dev.colonnade.server.base.model.Atom;
import dev.colonnade.server.base.model.AtomCursor;
import dev.colonnade.server.base.model.Cell;
import dev.colonnade.server.base.model.PageSink;
import dev.colonnade.server.base.model.PathRange;
import dev.colonnade.server.base.model.RowKey;
import dev.colonnade.server.base.model.RowUpdate;
import dev.colonnade.server.base.model.Slice;
import dev.colonnade.server.base.model.SlicePosition;
import dev.colonnade.server.base.schema.ColumnFamily;
import dev.colonnade.server.base.schema.ComparatorResolver;
import dev.colonnade.server.base.schema.FamilyDefinition;
import dev.colonnade.server.base.schema.Keyspace;
import dev.colonnade.server.base.schema.KeyspaceDefinition;
import dev.colonnade.server.base.schema.SchemaException;
import dev.colonnade.server.cluster.repair.RepairProgress;
import dev.colonnade.server.cluster.ring.InvalidKeyException;
import dev.colonnade.server.cluster.ring.Partitioner;
import dev.colonnade.server.cluster.ring.Partitioners;
import dev.colonnade.server.cluster.ring.RingNode;
import dev.colonnade.server.cluster.ring.TokenRange;
import dev.colonnade.server.cluster.ring.Topology;
import dev.colonnade.server.node.offline.DataDirectory;
import dev.colonnade.server.node.offline.DataFileImport;
import dev.colonnade.server.node.offline.FamilyRows;
import dev.colonnade.server.node.offline.OfflineFamily;
import dev.colonnade.server.node.offline.OfflineFile;
import dev.colonnade.server.service.bulkload.BulkLoad;
import dev.colonnade.server.service.bulkload.LoadTarget;
import dev.colonnade.server.service.consistency.Consistency;
import dev.colonnade.server.service.read.SliceRead;
import dev.colonnade.server.service.write.RowMutation;
import dev.colonnade.server.sim.Machine;
import dev.colonnade.server.sim.SimFileSystem;
import dev.colonnade.server.sim.SubdirectoryFiles;
import dev.colonnade.server.sim.store.EngineSettingsBuilder;
import dev.colonnade.server.storage.commitlog.CommitLogSettings;
import dev.colonnade.server.storage.snapshot.SnapshotVerifier;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.io.TempDir;

/**
 * What clients may write at most, at least and at its oddest goes every way that data goes: to
 * hints, files, merges, logs, other nodes, snapshots and loads, and comes back as it was.
 */
final class LargestDataTest {

  private static final int FAMILIES = 3;

  /** With a copy at each of the first three nodes. */
  private static final String KEYSPACE = "All";

  @TestFactory
  Stream<DynamicTest> whatIsAcceptedIsKeptSentAndReadUnderEachPartitioner() {
    return Partitioners.all().stream()
        .map(each -> DynamicTest.dynamicTest(each.name(), () -> new Scenario(each).run()));
  }

  @TempDir private Path folder;

  private final class Scenario extends MembershipScenario {
    private final Partitioner partitioner;
    private final List<RowKey> keys = new ArrayList<>();
    private long writtenSeconds;

    Scenario(Partitioner partitioner) throws InvalidKeyException {
      super(
          partitioner,
          EngineSettingsBuilder.forHeap(64 << 20)
              .withSync(true, Duration.ofSeconds(1))
              .withLog(new CommitLogSettings(1 << 20, 64 << 20, 64 << 20))
              .build());
      this.partitioner = partitioner;
      for (byte[] key : LargestRows.keys(partitioner)) {
        keys.add(partitioner.rowKey(key));
      }
      keys.sort(null);
    }

    void run() throws Exception {
      begin(3);
      createFamilies();
      writtenSeconds = world.clock().wallSeconds();
      assertEquals(keys.size(), load(world.machines().get(0)), "rows loaded at one replica");
      assertTrue(repair(world.machines().get(0)) > 0, "the others lack them");
      for (Machine<CoreNode> machine : world.machines()) {
        assertEquals(0, repair(machine), machine.name());
      }

      Machine<CoreNode> third = world.machines().get(2);
      String id = third.node().orElseThrow().core().cluster().nodeId();
      third.kill();
      assertTrue(
          world.runUntil(() -> !node(0).core().cluster().topology().isAlive(id), LIMIT),
          "the others notice");
      write(Consistency.ONE);
      third.start();
      awaitRing(3);
      assertTrue(
          world.runUntil(
              () ->
                  node(0).core().clusterOperations().hints().isEmpty()
                      && node(1).core().clusterOperations().hints().isEmpty(),
              LIMIT),
          "hints arrive");
      requireAllRead("after hints");

      world.machines().forEach(this::flush);
      requireAllRead("from files");
      write(Consistency.ALL);
      restart(world.machines().get(1));
      requireAllRead("after a replay");
      world.machines().forEach(this::flush);
      world.machines().forEach(this::compact);
      requireAllRead("after a merge");
      world.machines().forEach(this::requireNoProblem);
      restart(world.machines().get(1));
      requireAllRead("after a restart");

      snapshot();
      readWithFileTools(world.machines().get(0).disk());
      Machine<CoreNode> fourth = add();
      awaitRing(4);
      requireAllRead("after streams to a new node");
      assertEquals(0, repair(fourth), "the new node has what the others have");
      world.machines().forEach(this::requireNoProblem);
      // The content of four clusters would be much, if anything kept them.
      for (Machine<CoreNode> machine : world.machines()) {
        machine.kill();
        machine.wipe();
      }
    }

    private void createFamilies() {
      await(
          world.machines().get(0),
          node ->
              node.core()
                  .schema()
                  .createKeyspace(
                      KeyspaceDefinition.of(KEYSPACE)
                          .withReplicationFactor(3)
                          .withFamily(FamilyDefinition.of(KEYSPACE, "F"))));
      await(
          world.machines().get(0),
          node ->
              node.core()
                  .schema()
                  .createFamily(
                      FamilyDefinition.superFamily(KEYSPACE, "S", "BytesType", "BytesType")));
      await(
          world.machines().get(0),
          node ->
              node.core().schema().createFamily(FamilyDefinition.of(KEYSPACE, LargestRows.FAMILY)));
      assertTrue(
          world.runUntil(
              () ->
                  world.machines().stream()
                      .allMatch(m -> m.node().orElseThrow().knows(KEYSPACE, LargestRows.FAMILY)),
              LIMIT),
          "the schema spreads");
    }

    private static List<ColumnFamily> allFamilies(CoreNode node) {
      List<ColumnFamily> families = new ArrayList<>();
      try {
        for (String name : List.of("F", "S", LargestRows.FAMILY)) {
          families.add(node.family(KEYSPACE, name));
        }
      } catch (SchemaException e) {
        throw new AssertionError(e);
      }
      assertEquals(FAMILIES, families.size());
      return families;
    }

    /** Long keys are in one family, so that the test takes little memory. */
    private static List<ColumnFamily> familiesWith(RowKey key, CoreNode node) {
      List<ColumnFamily> all = allFamilies(node);
      return isShort(key) ? all : all.subList(0, 1);
    }

    private static boolean isShort(RowKey key) {
      return key.key().length < 10;
    }

    /** All families of a row in one mutation, as BatchMutate writes them. */
    private void write(Consistency level) {
      for (RowKey key : keys) {
        await(
            world.machines().get(0),
            node -> {
              List<RowMutation.FamilyUpdate> updates = new ArrayList<>();
              for (ColumnFamily family : familiesWith(key, node)) {
                updates.add(
                    new RowMutation.FamilyUpdate(
                        family, LargestRows.row(family, key.key(), writtenSeconds)));
              }
              return node.core()
                  .coordinator()
                  .write(List.of(new RowMutation(key, updates)), true, level, deadlineNanos(node))
                  .thenApply(asked -> 0);
            });
      }
    }

    private static long deadlineNanos(CoreNode node) {
      return node.clock().monotonicNanos() + Duration.ofSeconds(20).toNanos();
    }

    private void requireAllRead(String when) {
      for (RowKey key : keys) {
        for (ColumnFamily family : familiesWith(key, node(0))) {
          assertEquals(
              live(LargestRows.row(family, key.key(), writtenSeconds)),
              read(family, key),
              () -> when + ": " + family.name() + ", " + key.key().length + " bytes of key");
        }
      }
    }

    private List<Cell> live(RowUpdate row) {
      return row.cells().stream()
          .filter(cell -> cell.isLiveAt(world.clock().wallSeconds()))
          .toList();
    }

    private List<Cell> read(ColumnFamily family, RowKey key) {
      List<Cell> cells = new ArrayList<>();
      Optional<SlicePosition> from = Optional.empty();
      do {
        Optional<SlicePosition> at = from;
        from =
            await(
                world.machines().get(0),
                node ->
                    node.core()
                        .coordinator()
                        .read(
                            new SliceRead(
                                family,
                                key,
                                new Slice(List.of(PathRange.ALL), false, false, Long.MAX_VALUE),
                                at,
                                1 << 16,
                                Consistency.ALL,
                                deadlineNanos(node),
                                PageSink.LISTS))
                        .thenApply(
                            page -> {
                              cells.addAll(page.cells());
                              return page.next();
                            }));
      } while (from.isPresent());
      return cells;
    }

    private void flush(Machine<CoreNode> machine) {
      await(machine, node -> flushed(node));
    }

    private static CompletableFuture<Void> flushed(CoreNode node) {
      return CompletableFuture.allOf(
          allFamilies(node).stream()
              .map(family -> node.core().engine().flush(family.id()))
              .toArray(CompletableFuture[]::new));
    }

    private void compact(Machine<CoreNode> machine) {
      await(
          machine,
          node ->
              CompletableFuture.allOf(
                  allFamilies(node).stream()
                      .map(family -> node.core().engine().compact(family.id(), progress -> {}))
                      .toArray(CompletableFuture[]::new)));
    }

    private void requireNoProblem(Machine<CoreNode> machine) {
      CoreNode node = machine.node().orElseThrow();
      assertEquals(List.of(), node.core().health().report().problems(), machine.name());
    }

    private void restart(Machine<CoreNode> machine) throws Exception {
      machine.kill();
      machine.start();
      assertTrue(world.runUntil(this::isStarted, LIMIT), "it starts again");
      awaitRing(3);
    }

    private void snapshot() throws Exception {
      var taken =
          await(
              world.machines().get(0),
              node ->
                  node.core()
                      .backend()
                      .snapshots()
                      .take(
                          "s",
                          allFamilies(node).stream().map(ColumnFamily::id).toList(),
                          true,
                          progress -> {}));
      assertEquals(List.of(), taken.failed());
      for (Machine<CoreNode> machine : world.machines()) {
        SnapshotVerifier.Report report =
            SnapshotVerifier.verify(
                new SubdirectoryFiles(machine.disk(), "snapshots/s"),
                ComparatorResolver.builtIns(),
                bytes -> {});
        assertEquals(List.of(), report.damage(), machine.name());
        assertEquals("", report.unchecked());
        assertEquals(
            FAMILIES,
            report.manifest().families().stream().filter(f -> !f.files().isEmpty()).count());
      }
    }

    /** Checks the files of a node that does not run, and writes each of them again, as tools do. */
    private void readWithFileTools(SimFileSystem disk) throws Exception {
      Path copy = Files.createDirectory(folder.resolve(partitioner.name()));
      copy(disk, "", copy);
      try (DataDirectory directory = DataDirectory.open(copy)) {
        assertEquals(List.of(), directory.problems());
        for (String name : List.of("F", "S", LargestRows.FAMILY)) {
          OfflineFamily family = directory.family(KEYSPACE + "." + name);
          long rows = 0;
          for (OfflineFile file : family.files()) {
            assertEquals(List.of(), directory.check(file, bytes -> {}).problems());
          }
          Path written = Files.createDirectory(copy.resolve("written" + family.id()));
          try (FamilyRows all = directory.rows(family);
              DataFileImport again =
                  DataFileImport.create(
                      written,
                      new DataFileImport.Shape(family.id(), partitioner.name(), family.order()))) {
            for (RowKey key = all.nextRow(); key != null; key = all.nextRow()) {
              rows++;
              AtomCursor atoms = all.atoms();
              again.startRow(key.key(), atoms.rowDeletion(), atoms.open());
              for (Atom atom = atoms.next(); atom != null; atom = atoms.next()) {
                again.add(atom);
              }
            }
            assertTrue(again.finish().isPresent());
            assertEquals(rows, again.rows());
          }
          long wanted = keys.stream().filter(key -> name.equals("F") || isShort(key)).count();
          assertEquals(wanted, rows, name);
        }
      }
    }

    private static void copy(SimFileSystem disk, String directory, Path to) throws IOException {
      for (String name : disk.list(directory)) {
        String path = directory.isEmpty() ? name : directory + "/" + name;
        try (FileSystem.ReadableFile file = disk.open(path)) {
          ByteBuffer content = ByteBuffer.allocate((int) file.size());
          file.read(0, content);
          // The simulated key index has a form of its own, and a real one is made where none is.
          if (!name.endsWith("-Keys.map")) {
            Files.write(to.resolve(name), content.array());
          }
        } catch (FileNotFoundException isDirectory) {
          copy(disk, path, Files.createDirectory(to.resolve(name)));
        }
      }
    }

    private long repair(Machine<CoreNode> machine) {
      RepairProgress repaired =
          await(
              machine,
              node ->
                  node.core()
                      .repairs()
                      .repair(allFamilies(node), Optional.empty(), false, progress -> {}));
      return repaired.mismatchedRanges();
    }

    /** Loads a column into each row that the node owns, at this replica alone. */
    private long load(Machine<CoreNode> machine) {
      return await(
          machine,
          node -> {
            ColumnFamily family = allFamilies(node).get(0);
            Keyspace keyspace = node.core().schema().current().keyspace(KEYSPACE).orElseThrow();
            List<TokenRange> own = ownRanges(node, keyspace);
            BulkLoad load =
                node.core()
                    .bulkLoads()
                    .open(new LoadTarget(keyspace, family, family.truncation(), own, "a test"));
            List<RowKey> owned =
                keys.stream()
                    .filter(key -> own.stream().anyMatch(range -> range.contains(key.token())))
                    .toList();
            return load.write(
                    0,
                    1_000,
                    writer -> {
                      for (RowKey key : owned) {
                        writer.beginRow(key);
                        for (Cell cell :
                            LargestRows.row(family, key.key(), writtenSeconds).cells()) {
                          if (cell.kind() == Cell.CellKind.LIVE) {
                            writer.add(cell);
                          }
                        }
                      }
                    })
                .thenCompose(sent -> load.commit(1, owned.size(), null))
                .thenApply(BulkLoad.Committed::rows);
          });
    }

    private static List<TokenRange> ownRanges(CoreNode node, Keyspace keyspace) {
      Topology topology = node.core().cluster().topology();
      String self = topology.self().id();
      List<TokenRange> own = new ArrayList<>();
      for (TokenRange range : topology.ring().ranges()) {
        for (RingNode replica : topology.placement(keyspace).owners(range.end()).replicas()) {
          if (replica.id().equals(self)) {
            own.add(range);
          }
        }
      }
      return own;
    }

    @Override
    public String toString() {
      return partitioner.name();
    }
  }
}
