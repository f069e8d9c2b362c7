package dev.colonnade.server.service.rpc;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.ByteString;
import dev.colonnade.admin.v1.LoadChunk;
import dev.colonnade.admin.v1.LoadCommitted;
import dev.colonnade.admin.v1.LoadHeader;
import dev.colonnade.admin.v1.LoadRow;
import dev.colonnade.admin.v1.LoadRowsRequest;
import dev.colonnade.admin.v1.TokenRange;
import dev.colonnade.server.base.model.Cell;
import dev.colonnade.server.base.model.RowUpdate;
import dev.colonnade.server.base.schema.ColumnFamily;
import dev.colonnade.server.cluster.ring.Partitioners;
import dev.colonnade.server.cluster.ring.RingNode;
import dev.colonnade.server.cluster.ring.Topology;
import dev.colonnade.server.service.bulkload.BulkLoads;
import dev.colonnade.server.sim.SimClock;
import dev.colonnade.server.sim.SimFileSystem;
import dev.colonnade.server.sim.store.SimulatedStore;
import dev.colonnade.server.storage.engine.FamilyFigure;
import dev.colonnade.server.storage.mutation.Mutation;
import dev.colonnade.v1.Column;
import dev.colonnade.v1.SuperColumn;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.SortedMap;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** All rows of a load become visible with its commit, or none do, and nothing is left of it. */
final class BulkLoadCallsTest {
  private static final long SEED = Long.getLong("colonnade.sweep.seed", 20_261_123L);

  /** Rows of a Standard family in the order of their tokens. */
  private static List<LoadRow> plainRows(int count) {
    Random random = new Random(SEED);
    List<LoadRow> rows = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      LoadRow.Builder row = LoadRow.newBuilder().setKey(Service.bytes("row" + i));
      for (int c = 0; c < 1 + random.nextInt(4); c++) {
        row.addColumns(column("c" + c, "value " + random.nextInt(1_000), random));
      }
      rows.add(row.build());
    }
    return sorted(rows);
  }

  private static List<LoadRow> nestedRows(int count) {
    Random random = new Random(SEED);
    List<LoadRow> rows = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      LoadRow.Builder row = LoadRow.newBuilder().setKey(Service.bytes("row" + i));
      for (int s = 0; s < 1 + random.nextInt(3); s++) {
        SuperColumn.Builder top = SuperColumn.newBuilder().setName(Service.bytes("s" + s));
        for (int c = 0; c < 1 + random.nextInt(3); c++) {
          top.addColumns(column("c" + c, "value " + random.nextInt(1_000), random));
        }
        row.addSuperColumns(top);
      }
      rows.add(row.build());
    }
    return sorted(rows);
  }

  private static Column column(String name, String value, Random random) {
    Column.Builder column =
        Column.newBuilder().setName(Service.bytes(name)).setValue(Service.bytes(value));
    if (random.nextInt(3) == 0) {
      column.setTimestamp(random.nextInt(100));
    }
    if (random.nextInt(3) == 0) {
      column.setTtlSeconds(1 + random.nextInt(1_000_000_000 / 2));
    }
    return column.build();
  }

  private static List<LoadRow> sorted(List<LoadRow> rows) {
    rows.sort(Comparator.comparing(row -> key(row.getKey())));
    return rows;
  }

  private static dev.colonnade.server.base.model.RowKey key(ByteString key) {
    try {
      return Partitioners.RANDOM.rowKey(key.toByteArray());
    } catch (dev.colonnade.server.cluster.ring.InvalidKeyException e) {
      throw new AssertionError(e);
    }
  }

  private static LoadRow row(String key, String... names) {
    LoadRow.Builder row = LoadRow.newBuilder().setKey(Service.bytes(key));
    for (String name : names) {
      row.addColumns(Column.newBuilder().setName(Service.bytes(name)).setValue(Service.bytes("v")));
    }
    return row.build();
  }

  /** Sends rows in chunks of a few. */
  private static LoadService.Call sendAll(LoadService.Call call, List<LoadRow> rows) {
    for (int i = 0; i < rows.size(); i += 7) {
      call.chunk(rows.subList(i, Math.min(rows.size(), i + 7)));
    }
    return call;
  }

  private static void assertNothingHeld(LoadService service) throws Exception {
    assertEquals(List.of(), service.unfinishedFiles());
    assertEquals(0, service.loads.figures().open(), "places");
    assertEquals(0, service.requestBytes(), "heap of requests");
    assertEquals(List.of(), service.store.scheduler().failures());
  }

  /** Writes the same rows as inserts do. */
  private static void insert(LoadService service, String family, List<LoadRow> rows) {
    ColumnFamily target = service.store.family("K", family);
    for (LoadRow row : rows) {
      RowUpdate.Builder update = RowUpdate.builder(target.order());
      row.getColumnsList().forEach(column -> update.add(cell(null, column)));
      row.getSuperColumnsList()
          .forEach(
              top ->
                  top.getColumnsList()
                      .forEach(column -> update.add(cell(top.getName().toByteArray(), column))));
      service.store.await(
          service
              .store
              .engine()
              .write(
                  new Mutation(
                      key(row.getKey()),
                      List.of(new Mutation.FamilyMutation(target.id(), update.build())),
                      LoadService.NOW_SECONDS),
                  true));
    }
  }

  private static Cell cell(byte @org.jspecify.annotations.Nullable [] top, Column column) {
    byte[] name = column.getName().toByteArray();
    byte[] value = column.getValue().toByteArray();
    long timestamp = column.hasTimestamp() ? column.getTimestamp() : LoadService.TIMESTAMP;
    int ttl = column.getTtlSeconds();
    byte[] first = top == null ? name : top;
    byte[] second = top == null ? null : name;
    return ttl > 0
        ? Cell.expiring(first, second, value, timestamp, ttl, LoadService.NOW_SECONDS + ttl)
        : Cell.live(first, second, value, timestamp);
  }

  @Test
  void loadedRowsAreThoseThatInsertsWriteAndVisibleWithTheCommit() throws Exception {
    for (Map.Entry<String, List<LoadRow>> each :
        Map.of("Plain", plainRows(200), "Nested", nestedRows(200)).entrySet()) {
      String family = each.getKey();
      List<LoadRow> rows = each.getValue();
      try (LoadService inserted = new LoadService();
          LoadService loaded = new LoadService()) {
        insert(inserted, family, rows);
        SortedMap<String, String> expected = inserted.content(family);
        assertEquals(200, expected.size());

        LoadService.Call call = sendAll(loaded.load(loaded.header(family)), rows).written();
        assertEquals(new TreeMap<>(), loaded.content(family), "nothing before the commit");
        call.commit().await();

        assertNull(call.failure, call.message());
        LoadCommitted committed = call.committed;
        assertNotNull(committed);
        assertEquals(200, committed.getRows());
        assertTrue(committed.getBytes() > 1_000);
        assertEquals(
            (long)
                loaded
                    .store
                    .engine()
                    .figure(loaded.store.family("K", family).id(), FamilyFigure.DISK_BYTES),
            committed.getFileBytes(),
            "the last block too");
        assertEquals(loaded.store.schema().current().version(), committed.getSchemaVersion());
        assertEquals(expected, loaded.content(family), "seed " + SEED);
        assertNothingHeld(loaded);
      }
    }
  }

  @Test
  void aRowLargerThanAChunkGoesOnInTheNext() throws Exception {
    try (LoadService service = new LoadService()) {
      LoadService.Call call =
          service
              .load(service.header("Plain"))
              .chunk(List.of(row("a", "c1", "c2")))
              .chunk(List.of(row("a", "c3").toBuilder().setContinues(true).build()))
              .commit()
              .await();
      assertNull(call.failure, call.message());
      assertEquals(1, service.content("Plain").size());
      assertEquals(
          3, service.content("Plain").getOrDefault("a", "").lines().count() - 1, "columns");
      assertNothingHeld(service);
    }
  }

  @Test
  void anythingOutOfOrderEndsTheLoadAndLeavesNothing() throws Exception {
    List<LoadRow> sorted = sorted(new ArrayList<>(List.of(row("a", "c"), row("b", "c"))));
    LoadRow first = sorted.get(0);
    LoadRow second = sorted.get(1);
    LoadRow goesOn = first.toBuilder().setContinues(true).build();
    for (List<LoadRow> wrong :
        List.of(
            List.of(second, first),
            List.of(first, first),
            List.of(row("a", "c2", "c1")),
            List.of(row("a", "c", "c")),
            List.of(goesOn))) {
      try (LoadService service = new LoadService()) {
        LoadService.Call call = service.load(service.header("Plain")).chunk(wrong);
        assertEquals("ROWS_OUT_OF_ORDER", call.reason(), call.message());
        assertEquals(new TreeMap<>(), service.content("Plain"));
        assertNothingHeld(service);
      }
    }
    try (LoadService service = new LoadService()) {
      LoadService.Call across = service.load(service.header("Plain")).chunk(List.of(second));
      assertEquals("ROWS_OUT_OF_ORDER", across.chunk(List.of(first)).reason(), across.message());
      LoadService.Call gap = service.load(service.header("Plain"));
      gap.send(LoadRowsRequest.newBuilder().setChunk(LoadService.chunk(1, List.of(row("a", "c")))));
      assertEquals("ROWS_OUT_OF_ORDER", gap.reason(), gap.message());
      for (long[] said : new long[][] {{2, 1}, {1, 2}, {0, 0}}) {
        LoadService.Call miscounted = service.load(service.header("Plain")).chunk(List.of(first));
        miscounted.commit(said[0], said[1]);
        assertEquals("ROWS_OUT_OF_ORDER", miscounted.reason(), miscounted.message());
      }
      assertEquals(new TreeMap<>(), service.content("Plain"));
      assertNothingHeld(service);
    }
  }

  @Test
  void badContentIsRefusedWithItsPlace() throws Exception {
    try (LoadService service = new LoadService()) {
      LoadChunk whole = LoadService.chunk(0, List.of(row("a", "c")));
      LoadService.Call damaged = service.load(service.header("Plain"));
      damaged.send(
          LoadRowsRequest.newBuilder()
              .setChunk(whole.toBuilder().setChecksum(whole.getChecksum() ^ 1)));
      assertEquals("CHUNK_DAMAGED", damaged.reason(), damaged.message());

      LoadService.Call unnamed =
          service.load(service.header("Plain")).chunk(List.of(row("a", "c"), row("", "c")));
      assertEquals("INVALID_REQUEST", unnamed.reason(), unnamed.message());
      assertEquals("chunk.rows[1].key", Service.field(error(unnamed)));

      LoadService.Call nested = service.load(service.header("Plain")).chunk(nestedRows(1));
      assertEquals("INVALID_REQUEST", nested.reason(), nested.message());
      assertEquals("chunk.rows[0].super_columns", Service.field(error(nested)));

      ByteString noRows = ByteString.copyFromUtf8("no message");
      LoadService.Call garbage = service.load(service.header("Plain"));
      garbage.send(
          LoadRowsRequest.newBuilder()
              .setChunk(
                  LoadChunk.newBuilder()
                      .setRows(noRows)
                      .setChecksum(
                          dev.colonnade.server.base.codec.Checksums.crc32c(noRows.toByteArray()))));
      assertEquals("INVALID_REQUEST", garbage.reason(), garbage.message());

      LoadService.Call twice = service.load(service.header("Plain"));
      twice.send(LoadRowsRequest.newBuilder().setHeader(service.header("Plain")));
      assertEquals("INVALID_REQUEST", twice.reason(), twice.message());

      LoadService.Call unfinished =
          service.load(service.header("Plain")).chunk(List.of(row("a", "c"))).halfClose();
      assertEquals("INVALID_REQUEST", unfinished.reason(), unfinished.message());
      assertEquals(new TreeMap<>(), service.content("Plain"));
      assertNothingHeld(service);
    }
  }

  private static io.grpc.StatusRuntimeException error(LoadService.Call call) {
    if (call.failure instanceof io.grpc.StatusRuntimeException error) {
      return error;
    }
    throw new AssertionError("no failure", call.failure);
  }

  @Test
  void aHeaderOfAnotherFamilyOrTruncationIsRefused() throws Exception {
    try (LoadService service = new LoadService()) {
      LoadHeader.Builder described = service.header("Plain");
      assertEquals(
          "FAMILY_CHANGED", service.load(described.clone().setFamilyId("0".repeat(32))).reason());
      assertEquals(
          "NODE_NOT_READY", service.load(described.clone().setTruncation(1L << 60)).reason());
      assertEquals(
          "COLUMN_FAMILY_NOT_FOUND",
          service.load(described.clone().setColumnFamily("Other")).reason());
      assertEquals(
          "NODE_NOT_READY",
          service.load(described.clone().setColumnFamily("Other").setSchemaVersion("x")).reason(),
          "the node may not have heard of it");
      assertEquals("INVALID_REQUEST", service.load(described.clone().clearRanges()).reason());
      assertEquals("INVALID_REQUEST", service.load(described.clone().clearNowSeconds()).reason());
      long tomorrow = service.store.clock().wallSeconds() + Duration.ofDays(1).toSeconds();
      for (long now : new long[] {tomorrow + 1, Long.MAX_VALUE}) {
        assertEquals(
            "INVALID_REQUEST",
            service.load(described.clone().setNowSeconds(now)).reason(),
            "columns with a time to live would not expire, or nobody would see them");
      }
      LoadService.Call accepted =
          service.load(described.clone().setNowSeconds(tomorrow)).commit().await();
      assertNull(accepted.failure, accepted.message());
      truncate(service);
      assertEquals("FAMILY_CHANGED", service.load(described.clone()).reason());
      assertNothingHeld(service);
    }
  }

  private static void truncate(LoadService service) {
    service.store.await(
        service.store.schema().truncate(service.store.family("K", "Plain"), Long.MAX_VALUE));
  }

  @Test
  void aFamilyThatIsTruncatedOrDroppedMeanwhileGetsNoRows() throws Exception {
    try (LoadService service = new LoadService()) {
      LoadService.Call call =
          service.load(service.header("Plain")).chunk(List.of(row("a", "c"))).written();
      truncate(service);
      assertEquals("FAMILY_CHANGED", call.commit().reason(), call.message());
      assertEquals(new TreeMap<>(), service.content("Plain"));

      LoadService.Call dropped =
          service.load(service.header("Nested")).chunk(nestedRows(5)).written();
      service.store.await(service.store.schema().dropFamily("K", "Nested"));
      assertEquals("FAMILY_CHANGED", dropped.commit().reason(), dropped.message());
      assertNothingHeld(service);
    }
  }

  @Test
  void onlyRowsOfTheNodesRangesAreTaken() throws Exception {
    try (LoadService service = new LoadService()) {
      List<LoadRow> rows = plainRows(20);
      byte[] tenth = key(rows.get(9).getKey()).token();
      String cut = Partitioners.RANDOM.printToken(tenth);
      TokenRange upTo = TokenRange.newBuilder().setStartToken("0").setEndToken(cut).build();
      LoadHeader.Builder half = service.header("Plain").clearRanges().addRanges(upTo);
      LoadService.Call within = service.load(half).chunk(rows.subList(0, 10)).commit().await();
      assertNull(within.failure, within.message());
      assertEquals(10, service.content("Plain").size());
      LoadService.Call beyond = service.load(half).chunk(rows.subList(0, 11));
      assertEquals("NOT_A_REPLICA", beyond.reason(), beyond.message());

      RingNode self = service.node.self();
      RingNode other = new RingNode("n2", "127.0.0.2", 7000, 9160, "dc1", "r1", List.of(tenth));
      Topology.Place own = new Topology.Place(self, Topology.RingState.NORMAL, List.of(), true);
      service.node.become(
          Topology.of(
              self,
              List.of(
                  own, new Topology.Place(other, Topology.RingState.JOINING, List.of(), true))));
      LoadService.Call joining = service.load(half);
      assertEquals("RING_CHANGING", joining.reason(), joining.message());
      service.node.become(
          Topology.of(
              self,
              List.of(own, new Topology.Place(other, Topology.RingState.NORMAL, List.of(), true))));
      LoadService.Call notMine = service.load(half);
      assertEquals("NOT_A_REPLICA", notMine.reason(), notMine.message());
      LoadService.Call whole = service.load(service.header("Plain"));
      assertEquals("NOT_A_REPLICA", whole.reason(), "a part of the ring is the other node's");
      assertNothingHeld(service);
    }
  }

  /** The node would hand over only what it had before. */
  @Test
  void aChangeOfTheRingDuringTheLoadEndsIt() throws Exception {
    try (LoadService service = new LoadService()) {
      LoadService.Call call = service.load(service.header("Plain")).chunk(plainRows(5)).written();
      RingNode self = service.node.self();
      RingNode other =
          new RingNode("n2", "127.0.0.2", 7000, 9160, "dc1", "r1", List.of(new byte[] {9}));
      service.node.become(
          Topology.of(
              self,
              List.of(
                  new Topology.Place(self, Topology.RingState.NORMAL, List.of(), true),
                  new Topology.Place(other, Topology.RingState.JOINING, List.of(), true))));
      assertEquals("RING_CHANGING", call.commit().reason(), call.message());
      assertEquals(new TreeMap<>(), service.content("Plain"));
      assertNothingHeld(service);
    }
  }

  @Test
  void placesAreBoundedAndFreedHoweverALoadEnds() throws Exception {
    try (LoadService service = new LoadService()) {
      LoadService.Call first = service.load(service.header("Plain")).chunk(plainRows(5)).written();
      LoadService.Call second = service.load(service.header("Plain")).chunk(plainRows(5)).written();
      assertEquals("OVERLOADED", service.load(service.header("Plain")).reason());
      first.cancel();
      service
          .store
          .scheduler()
          .runUntil(() -> service.loads.figures().open() == 1, Duration.ofSeconds(10));
      LoadService.Call third = service.load(service.header("Plain")).chunk(plainRows(5)).written();
      // The second client says nothing more; the third goes on.
      service.store.scheduler().advance(Duration.ofSeconds(40));
      third
          .chunk(
              List.of(
                  row("row0", "z").toBuilder()
                      .setKey(last(plainRows(5)))
                      .setContinues(true)
                      .build()))
          .written();
      service.store.scheduler().advance(Duration.ofSeconds(40));
      assertTrue(second.over, "nothing came for 80 s");
      assertEquals("LOAD_ABANDONED", second.reason(), second.message());
      third.commit().await();
      assertNull(third.failure, third.message());
      assertEquals(5, service.content("Plain").size());
      assertNothingHeld(service);
    }
  }

  /** A load that keeps to the node's rate is not silent; one that has its answer and rests is. */
  @Test
  void waitingForTheRateOfAllLoadsIsNoSilence() throws Exception {
    SimFileSystem disk = new SimFileSystem();
    try (LoadService service =
        new LoadService(disk, new BulkLoads.Settings(2, 1, Duration.ofSeconds(60)))) {
      LoadService.Call call = service.load(service.header("Plain"));
      call.chunk(plainRows(5));
      service.store.scheduler().advance(Duration.ofSeconds(75));
      assertFalse(call.over, () -> "ended after 75 s: " + call.message());
      call.written();
      call.commit().await();
      assertNull(call.failure, call.message());
      assertEquals(5, service.content("Plain").size());
      assertNothingHeld(service);

      LoadService.Call silent = service.load(service.header("Plain"));
      silent.chunk(plainRows(5)).written();
      service.store.scheduler().advance(Duration.ofSeconds(55));
      assertFalse(silent.over, silent::message);
      service.store.scheduler().advance(Duration.ofSeconds(15));
      assertTrue(silent.over, "nothing came for 70 s after the answer");
      assertEquals("LOAD_ABANDONED", silent.reason(), silent.message());
      assertNothingHeld(service);
    }
  }

  private static ByteString last(List<LoadRow> rows) {
    return rows.get(rows.size() - 1).getKey();
  }

  @Test
  void aNodeThatStopsEndsItsLoads() throws Exception {
    try (LoadService service = new LoadService()) {
      LoadService.Call call = service.load(service.header("Plain")).chunk(plainRows(5)).written();
      service.store.await(service.loads.stop());
      assertEquals("NODE_NOT_READY", call.reason(), call.message());
      assertEquals("NODE_NOT_READY", service.load(service.header("Plain")).reason());
      assertNothingHeld(service);
    }
  }

  @Test
  void theRateOfAllLoadsIsThatOfTheSetting() throws Exception {
    SimFileSystem disk = new SimFileSystem();
    try (LoadService service =
        new LoadService(disk, new BulkLoads.Settings(2, 1_000, Duration.ofSeconds(60)))) {
      long begun = service.store.clock().monotonicNanos();
      LoadService.Call call =
          sendAll(service.load(service.header("Plain")), plainRows(200)).written();
      long seconds = (service.store.clock().monotonicNanos() - begun) / 1_000_000_000L;
      assertNotNull(call.progress);
      long bytes = call.progress.getBytes();
      assertTrue(Math.abs(seconds - bytes / 1_000) <= 1, bytes + " bytes took " + seconds + " s");
    }
  }

  /** After each file operation the power fails, and the node starts from what the disk has. */
  @Test
  void afterACrashAllRowsAreThereOrNone() throws Exception {
    SimFileSystem disk = new SimFileSystem();
    List<LoadRow> rows = plainRows(12);
    List<SimFileSystem> crashes = new ArrayList<>();
    int visible = 0;
    try (LoadService service = new LoadService(disk, LoadService.SETTINGS)) {
      disk.afterEach(() -> crashes.add(disk.crashClone()));
      LoadService.Call call = sendAll(service.load(service.header("Plain")), rows).commit().await();
      assertNull(call.failure, call.message());
      disk.afterEach(() -> {});
    }
    assertTrue(crashes.size() > 10, crashes.size() + " operations");
    // What was acknowledged survives.
    crashes.add(disk.crashClone());
    for (int i = 0; i < crashes.size(); i++) {
      SimulatedStore opened =
          SimulatedStore.open(crashes.get(i), SimulatedStore.TINY, new SimClock());
      int found = LoadService.content(opened, "Plain").size();
      assertTrue(found == 0 || found == rows.size(), found + " rows after operation " + i);
      assertTrue(visible == 0 || found > 0, "rows that were durable are gone, operation " + i);
      visible = found;
      int state = i;
      for (String directory : crashes.get(i).list("keyspaces/K")) {
        assertTrue(
            crashes.get(i).list("keyspaces/K/" + directory).stream()
                .noneMatch(name -> name.endsWith(".tmp")),
            () -> "a file is left after operation " + state);
      }
      opened.close();
    }
    assertEquals(rows.size(), visible, "after the answer");
  }

  @Test
  void loadingAgainChangesNothing() throws Exception {
    try (LoadService service = new LoadService()) {
      List<LoadRow> rows = plainRows(50);
      sendAll(service.load(service.header("Plain")), rows).commit().await();
      SortedMap<String, String> once = service.content("Plain");
      LoadService.Call again =
          sendAll(service.load(service.header("Plain")), rows).commit().await();
      assertNull(again.failure, again.message());
      assertEquals(once, service.content("Plain"));
      assertEquals(100, service.loads.figures().rows());
    }
  }
}
