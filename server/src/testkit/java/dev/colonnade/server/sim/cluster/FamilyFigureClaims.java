package dev.colonnade.server.sim.cluster;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.colonnade.admin.v1.ColumnFamilyStats;
import dev.colonnade.admin.v1.CompactRequest;
import dev.colonnade.admin.v1.CompactResponse;
import dev.colonnade.admin.v1.NodeServiceGrpc;
import dev.colonnade.server.base.model.FamilyId;
import dev.colonnade.server.base.schema.FamilyField;
import dev.colonnade.server.sim.FileFault;
import dev.colonnade.server.sim.FileOperation;
import dev.colonnade.server.sim.Machine;
import dev.colonnade.server.storage.engine.FamilyFigure;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.function.Executable;

/** What a family holds, and what flushes and merges did to it. */
final class FamilyFigureClaims {

  private final FigureScenario cluster;

  FamilyFigureClaims(FigureScenario cluster) {
    this.cluster = cluster;
  }

  void addTo(Map<String, Executable> claims) {
    claims.put("ColumnFamilyStats.sstables", this::aFlushMakesAFile);
    claims.put("ColumnFamilyStats.live_bytes", this::theRowsOnDisk);
    claims.put("ColumnFamilyStats.disk_bytes", this::allThatLiesOnDisk);
    claims.put("ColumnFamilyStats.quarantined_files", () -> aDamagedFile("quarantined"));
    claims.put("QuarantinedFile.number", () -> aDamagedFile("number"));
    claims.put("QuarantinedFile.offset", () -> aDamagedFile("offset"));
    claims.put("QuarantinedFile.since_seconds", () -> aDamagedFile("since_seconds"));
    claims.put("ColumnFamilyStats.memtable_keys", this::rowsInMemory);
    claims.put("ColumnFamilyStats.memtable_bytes", this::bytesInMemory);
    claims.put("ColumnFamilyStats.memtable_operations", this::columnsInMemory);
    claims.put("ColumnFamilyStats.flushes_by_size", this::aMemtableThatIsFull);
    claims.put("ColumnFamilyStats.flushes_by_operations", this::aMemtableOfManyOperations);
    claims.put("ColumnFamilyStats.flushes_by_age", this::anOldMemtable);
    claims.put("ColumnFamilyStats.flushes_on_demand", this::aFlushThatWasAskedFor);
    claims.put("ColumnFamilyStats.pending_compactions", this::aMergeThatRuns);
    claims.put("ColumnFamilyStats.compacted_bytes", this::mergesThatTookPlace);
  }

  private ColumnFamilyStats stats(String family) {
    return cluster.stats(0, family);
  }

  private Machine<CoreNode> machine() {
    return cluster.world.machines().get(0);
  }

  private FamilyId id(String family) throws Exception {
    return cluster.node(0).family(FigureScenario.ALL, family).id();
  }

  private String directory(String family) throws Exception {
    return "keyspaces/" + FigureScenario.ALL + "/" + family + "-" + id(family);
  }

  /** The lengths of the files of a family that end so. */
  private long onDisk(String family, String ending) throws Exception {
    long bytes = 0;
    for (String name : machine().disk().list(directory(family))) {
      if (name.endsWith(ending)) {
        bytes += machine().disk().content(directory(family) + "/" + name).length;
      }
    }
    return bytes;
  }

  private void writeRows(String family, int rows) {
    for (int i = 0; i < rows; i++) {
      cluster.insert(0, family, "row" + i, "column", "value".repeat(20));
    }
  }

  private void aFlushMakesAFile() {
    String family = cluster.family("Sstables");
    writeRows(family, 2);
    assertEquals(0, stats(family).getSstables());
    cluster.flush(0, family);
    assertEquals(1, stats(family).getSstables());
  }

  private void theRowsOnDisk() throws Exception {
    String family = cluster.family("LiveBytes");
    writeRows(family, 10);
    assertEquals(0, stats(family).getLiveBytes());
    cluster.flush(0, family);
    assertEquals(onDisk(family, "Data.db"), stats(family).getLiveBytes());
  }

  private void allThatLiesOnDisk() throws Exception {
    String family = cluster.family("DiskBytes");
    writeRows(family, 10);
    assertEquals(0, stats(family).getDiskBytes());
    cluster.flush(0, family);
    assertEquals(onDisk(family, ""), stats(family).getDiskBytes());
    assertTrue(stats(family).getDiskBytes() > stats(family).getLiveBytes());
  }

  /** Each look at another figure damages a file of its own. */
  private void aDamagedFile(String figure) throws Exception {
    String family = cluster.family("Damaged_" + figure);
    for (int file = 0; file < 2; file++) {
      writeRows(family, 10);
      cluster.flush(0, family);
    }
    String data =
        machine().disk().list(directory(family)).stream()
            .filter(name -> name.endsWith("2-Data.db"))
            .findFirst()
            .orElseThrow();
    String path = directory(family) + "/" + data;
    long middle = machine().disk().content(path).length / 2;
    machine().disk().flipBit(path, 8 * middle);
    assertEquals(0, stats(family).getQuarantinedFiles());
    // The other replicas have the row.
    assertEquals(1, cluster.read(0, family, "row5").getColumnsCount());
    assertTrue(
        cluster.world.runUntil(
            () -> stats(family).getQuarantinedFiles() > 0, FigureScenario.LIMIT));
    assertEquals(1, stats(family).getQuarantinedFiles());
    var file =
        cluster.stats(0).getQuarantinedFilesList().stream()
            .filter(each -> each.getColumnFamily().equals(family))
            .findFirst()
            .orElseThrow();
    assertEquals(2, file.getNumber());
    assertTrue(file.getOffset() > 0 && file.getOffset() <= middle, "offset " + file.getOffset());
    FigureScenario.requireNear(machine().clock().wallSeconds(), file.getSinceSeconds(), 1);
  }

  private void rowsInMemory() {
    String family = cluster.family("MemtableKeys");
    writeRows(family, 3);
    writeRows(family, 2);
    assertEquals(3, stats(family).getMemtableKeys());
    cluster.flush(0, family);
    assertEquals(0, stats(family).getMemtableKeys());
  }

  private void bytesInMemory() {
    String family = cluster.family("MemtableBytes");
    assertEquals(0, stats(family).getMemtableBytes());
    writeRows(family, 1);
    long one = stats(family).getMemtableBytes();
    assertTrue(one >= 100, "bytes of a row: " + one);
    cluster.flush(0, family);
    assertEquals(0, stats(family).getMemtableBytes());
  }

  private void columnsInMemory() {
    String family = cluster.family("MemtableOperations");
    cluster.insert(0, family, "row", "a", "1");
    cluster.insert(0, family, "row", "a", "2");
    cluster.insert(0, family, "row", "b", "3");
    assertEquals(3, stats(family).getMemtableOperations());
    cluster.flush(0, family);
    assertEquals(0, stats(family).getMemtableOperations());
  }

  /** Flushes for size, for operations, for age, on demand. */
  private List<Long> flushes(String family) {
    ColumnFamilyStats stats = stats(family);
    return List.of(
        stats.getFlushesBySize(),
        stats.getFlushesByOperations(),
        stats.getFlushesByAge(),
        stats.getFlushesOnDemand());
  }

  private void awaitFlushes(String family, List<Long> wanted) {
    boolean came =
        cluster.world.runUntil(() -> flushes(family).equals(wanted), Duration.ofSeconds(20));
    assertTrue(came, () -> "flushes are " + flushes(family) + ", not " + wanted);
  }

  private void aMemtableThatIsFull() {
    String family =
        cluster.family(
            FigureScenario.definition("FlushesBySize").with(FamilyField.MEMTABLE_THROUGHPUT, 1));
    for (int i = 0; i < 4; i++) {
      cluster.insert(0, family, "row" + i, "column", "x".repeat(300_000));
    }
    awaitFlushes(family, List.of(1L, 0L, 0L, 0L));
  }

  private void aMemtableOfManyOperations() {
    String family =
        cluster.family(
            FigureScenario.definition("FlushesByOperations")
                .with(FamilyField.MEMTABLE_MAX_OPERATIONS, 3));
    writeRows(family, 7);
    awaitFlushes(family, List.of(0L, 2L, 0L, 0L));
  }

  private void anOldMemtable() {
    String family =
        cluster.family(
            FigureScenario.definition("FlushesByAge")
                .with(FamilyField.MEMTABLE_FLUSH_AFTER, Duration.ofSeconds(5)));
    writeRows(family, 1);
    awaitFlushes(family, List.of(0L, 0L, 1L, 0L));
  }

  private void aFlushThatWasAskedFor() {
    String family = cluster.family("FlushesOnDemand");
    writeRows(family, 1);
    cluster.flush(0, family);
    cluster.flush(0, family);
    assertEquals(List.of(0L, 0L, 0L, 1L), flushes(family));
  }

  /** A merge is pending from the file that makes it due until it has ended. */
  private void aMergeThatRuns() throws Exception {
    String family = cluster.family("PendingCompactions");
    FamilyId id = id(family);
    for (int file = 0; file < 3; file++) {
      writeRows(family, 5);
      cluster.flush(0, family);
      assertEquals(0, stats(family).getPendingCompactions());
    }
    writeRows(family, 5);
    var flushed = cluster.node(0).core().engine().flush(id).thenApply(files -> stats(family));
    assertTrue(cluster.world.runUntil(flushed::isDone, FigureScenario.LIMIT));
    boolean began =
        cluster.world.runUntil(
            () -> cluster.node(0).core().engine().figure(id, FamilyFigure.PENDING_COMPACTIONS) > 0,
            FigureScenario.LIMIT);
    assertTrue(began, "four files of one size are merged");
    assertEquals(1, stats(family).getPendingCompactions());
    assertTrue(
        cluster.world.runUntil(
            () -> stats(family).getPendingCompactions() == 0, FigureScenario.LIMIT));
    assertEquals(1, stats(family).getSstables());
  }

  /** A merge that fails has merged nothing, however much of it was written. */
  private void mergesThatTookPlace() throws Exception {
    String family =
        cluster.family(
            FigureScenario.definition("CompactedBytes")
                .with(FamilyField.MAX_COMPACTION_THRESHOLD, 0)
                .with(FamilyField.MIN_COMPACTION_THRESHOLD, 0));
    for (int file = 0; file < 2; file++) {
      writeRows(family, 10);
      cluster.flush(0, family);
    }
    String directory = directory(family);
    machine()
        .disk()
        .plan()
        .add(FileFault.ERROR)
        .on(FileOperation.SYNC)
        .where(path -> path.startsWith(directory))
        .once();
    CompactRequest request =
        CompactRequest.newBuilder()
            .setKeyspace(FigureScenario.ALL)
            .addColumnFamilies(family)
            .build();
    String refusal =
        cluster.failure(
            machine(), node -> node.core().engine().compact(idOrFail(family), progress -> {}));
    assertTrue(refusal.contains("Input/output error"), refusal);
    machine().disk().plan().clear();
    // Until its disk is held to be sound again its reads would go to the others.
    assertTrue(
        cluster.world.runUntil(
            () -> cluster.node(0).core().health().report().impact().isFavourable(),
            FigureScenario.LIMIT));
    assertEquals(0, stats(family).getCompactedBytes());
    assertEquals(2, stats(family).getSstables());

    List<CompactResponse> progress =
        cluster.stream(
            0, (channel, observer) -> NodeServiceGrpc.newStub(channel).compact(request, observer));
    assertTrue(!progress.isEmpty());
    assertEquals(1, stats(family).getSstables());
    assertEquals(stats(family).getDiskBytes(), stats(family).getCompactedBytes());
  }

  private FamilyId idOrFail(String family) {
    try {
      return id(family);
    } catch (Exception e) {
      throw new AssertionError(e);
    }
  }
}
