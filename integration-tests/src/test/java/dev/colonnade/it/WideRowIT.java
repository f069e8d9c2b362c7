package dev.colonnade.it;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.ByteString;
import dev.colonnade.admin.v1.ColumnFamilyDef;
import dev.colonnade.admin.v1.ColumnFamilyStats;
import dev.colonnade.admin.v1.ColumnType;
import dev.colonnade.admin.v1.CreateKeyspaceRequest;
import dev.colonnade.admin.v1.KeyspaceDef;
import dev.colonnade.v1.Column;
import dev.colonnade.v1.ColumnOrSuperColumn;
import dev.colonnade.v1.ColumnParent;
import dev.colonnade.v1.ColumnPath;
import dev.colonnade.v1.GetRequest;
import dev.colonnade.v1.GetResponse;
import dev.colonnade.v1.GetSliceRequest;
import dev.colonnade.v1.GetSliceResponse;
import dev.colonnade.v1.InsertRequest;
import dev.colonnade.v1.ReadOptions;
import dev.colonnade.v1.RequestStats;
import dev.colonnade.v1.SlicePredicate;
import dev.colonnade.v1.SliceRange;
import dev.colonnade.v1.StreamSliceRequest;
import dev.colonnade.v1.StreamSliceResponse;
import dev.colonnade.v1.WriteOptions;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * A row, and a super column, of a million columns in one server: only the requested columns are
 * read, as the server's own counters show, and a slow reader costs no memory.
 */
final class WideRowIT {

  private static final String KEYSPACE = "Wide";
  private static final String STANDARD = "Standard";
  private static final String SUPER = "Super";
  private static final ByteString KEY = ByteString.copyFromUtf8("wide");
  private static final ByteString SUPER_COLUMN = ByteString.copyFromUtf8("all");
  private static final int COLUMNS = 1_000_000;
  private static final int VALUE_BYTES = 32;

  /** Blocks of one file that ten neighbouring columns may take: their own and the row's index. */
  private static final int MOST_BLOCKS = 8;

  private static final int ABSENT_KEYS = 5_000;

  /** What a stream may hold: some chunks, not a row. The row itself has 48 MB. */
  private static final long STREAM_HEAP_LIMIT_BYTES = 16L << 20;

  @TempDir static Path folder;

  private static LocalNode node;
  private static NodeProbe probe;

  @BeforeAll
  static void load() throws Exception {
    node =
        LocalNode.process(
            LocalNode.Settings.in(folder.resolve("data")).withJvmArguments("-Xmx512m"));
    probe = new NodeProbe(node);
    node.schema()
        .createKeyspace(
            CreateKeyspaceRequest.newBuilder()
                .setKeyspace(
                    KeyspaceDef.newBuilder()
                        .setName(KEYSPACE)
                        .addColumnFamilies(
                            ColumnFamilyDef.newBuilder()
                                .setKeyspace(KEYSPACE)
                                .setName(STANDARD)
                                .setCompareWith("LongType"))
                        .addColumnFamilies(
                            ColumnFamilyDef.newBuilder()
                                .setKeyspace(KEYSPACE)
                                .setName(SUPER)
                                .setColumnType(ColumnType.COLUMN_TYPE_SUPER)
                                .setCompareSubcolumnsWith("LongType")))
                .build());
    row(STANDARD, null).load(node.channel());
    row(SUPER, SUPER_COLUMN).load(node.channel());
    probe.flush(KEYSPACE);
    probe.compact(KEYSPACE);
  }

  @AfterAll
  static void stop() {
    node.close();
  }

  @ParameterizedTest
  @CsvSource({
    "0, false, Standard",
    "499995, false, Standard",
    "999990, false, Standard",
    "999999, true, Standard",
    "500000, true, Standard",
    "9, true, Standard",
    "0, false, Super",
    "499995, false, Super",
    "999999, true, Super",
  })
  void aSliceOfTenColumnsReadsTheBlocksThatHoldThem(long start, boolean reversed, String family) {
    GetSliceResponse answer =
        node.data()
            .getSlice(
                GetSliceRequest.newBuilder()
                    .setKeyspace(KEYSPACE)
                    .setKey(KEY)
                    .setColumnParent(parent(family))
                    .setPredicate(
                        SlicePredicate.newBuilder()
                            .setSliceRange(
                                SliceRange.newBuilder()
                                    .setStart(WideRow.name(start))
                                    .setReversed(reversed)
                                    .setCount(10)))
                    .setOptions(withStats())
                    .build());
    List<ByteString> names = new ArrayList<>();
    answer.getColumnsList().forEach(column -> names.add(column.getColumn().getName()));
    List<ByteString> wanted = new ArrayList<>();
    for (int i = 0; i < 10; i++) {
      wanted.add(WideRow.name(reversed ? start - i : start + i));
    }
    assertEquals(wanted, names);
    assertFewBlocks(answer.getStats());
  }

  @ParameterizedTest
  @CsvSource({"0", "654321", "999999"})
  void oneSubcolumnOfAMillionReadsTheBlockThatHoldsIt(long n) {
    GetResponse answer =
        node.data()
            .get(
                GetRequest.newBuilder()
                    .setKeyspace(KEYSPACE)
                    .setKey(KEY)
                    .setColumnPath(
                        ColumnPath.newBuilder()
                            .setColumnFamily(SUPER)
                            .setSuperColumn(SUPER_COLUMN)
                            .setColumn(WideRow.name(n)))
                    .setOptions(withStats())
                    .build());
    assertEquals(WideRow.name(n), answer.getColumnOrSuperColumn().getColumn().getName());
    assertFewBlocks(answer.getStats());
  }

  @Test
  void anAbsentKeyTouchesNoBlockInNinetyNineOfAHundredReads() {
    int touching = 0;
    for (int i = 0; i < ABSENT_KEYS; i++) {
      GetSliceResponse answer =
          node.data()
              .getSlice(
                  GetSliceRequest.newBuilder()
                      .setKeyspace(KEYSPACE)
                      .setKey(ByteString.copyFromUtf8("absent" + i))
                      .setColumnParent(parent(STANDARD))
                      .setPredicate(
                          SlicePredicate.newBuilder()
                              .setSliceRange(SliceRange.getDefaultInstance()))
                      .setOptions(withStats())
                      .build());
      assertEquals(0, answer.getColumnsCount());
      if (blocks(answer.getStats()) > 0) {
        touching++;
      }
    }
    assertTrue(
        touching <= ABSENT_KEYS / 100, touching + " of " + ABSENT_KEYS + " reads touched a block");
  }

  @Test
  void aWriteReadsNoDataFile() {
    ColumnFamilyStats before = probe.stats(KEYSPACE, SUPER);
    for (int i = 0; i < 100; i++) {
      RequestStats stats =
          node.data()
              .insert(
                  InsertRequest.newBuilder()
                      .setKeyspace(KEYSPACE)
                      .setKey(KEY)
                      .setColumnParent(
                          ColumnParent.newBuilder()
                              .setColumnFamily(SUPER)
                              .setSuperColumn(ByteString.copyFromUtf8("other")))
                      .setColumn(Column.newBuilder().setName(WideRow.name(i)))
                      .setOptions(WriteOptions.newBuilder().setIncludeStats(true))
                      .build())
              .getStats();
      assertEquals(0, stats.getSstablesRead());
      assertEquals(0, blocks(stats));
    }
    ColumnFamilyStats after = probe.stats(KEYSPACE, SUPER);
    assertEquals(before.getBlocksRead(), after.getBlocksRead());
    assertEquals(before.getSstablesTouched(), after.getSstablesTouched());
    assertEquals(before.getWrites() + 100, after.getWrites());
  }

  @Test
  void aReaderThatTakesItsTimeCostsTheServerNoMemory() throws Exception {
    // Once at full speed, so that the caches are full and only the stream can grow.
    SlowReader hasty = SlowReader.open(node.channel(), wholeRow(""));
    while (hasty.next().isPresent()) {
      // Nothing is done with it.
    }
    long before = probe.heapAfterCollectionBytes();
    SlowReader reader = SlowReader.open(node.channel(), wholeRow(""));
    long expected = 0;
    int messages = 0;
    long most = 0;
    for (Optional<StreamSliceResponse> part = reader.next();
        part.isPresent();
        part = reader.next()) {
      for (ColumnOrSuperColumn column : part.get().getColumnsList()) {
        assertEquals(WideRow.name(expected++), column.getColumn().getName());
      }
      // The pause: no calls while the server collects garbage and reports its heap.
      if (messages++ % 200 == 100) {
        most = Math.max(most, probe.heapAfterCollectionBytes());
      }
    }
    assertEquals(COLUMNS, expected);
    long grown = most - before;
    System.out.printf(
        "A slow stream of %,d columns in %,d messages: heap after collection %,d bytes more%n",
        COLUMNS, messages, grown);
    assertTrue(
        grown <= STREAM_HEAP_LIMIT_BYTES,
        "the heap grew by " + grown + " bytes while a stream waited for its reader");
  }

  @Test
  void aStreamResumesInsideTheRow() throws Exception {
    SlowReader first = SlowReader.open(node.channel(), wholeRow(""));
    StreamSliceResponse part = first.next().orElseThrow();
    first.cancel();
    long next = part.getColumnsCount();
    SlowReader second = SlowReader.open(node.channel(), wholeRow(part.getResumeToken()));
    assertEquals(
        WideRow.name(next), second.next().orElseThrow().getColumns(0).getColumn().getName());
    second.cancel();
  }

  @Test
  void aMillionColumnsArePagedInUnaryCalls() {
    GetSliceRequest.Builder request =
        GetSliceRequest.newBuilder()
            .setKeyspace(KEYSPACE)
            .setKey(KEY)
            .setColumnParent(parent(STANDARD))
            .setPredicate(
                SlicePredicate.newBuilder().setSliceRange(SliceRange.getDefaultInstance()));
    long expected = 0;
    do {
      GetSliceResponse page = node.data().getSlice(request.build());
      assertTrue(page.getSerializedSize() <= 2 << 20, "a page of " + page.getSerializedSize());
      for (ColumnOrSuperColumn column : page.getColumnsList()) {
        assertEquals(WideRow.name(expected++), column.getColumn().getName());
      }
      request.setPageToken(page.getNextPageToken());
    } while (!request.getPageToken().isEmpty());
    assertEquals(COLUMNS, expected);
  }

  @Test
  void aWholeSuperColumnOfThatSizeIsRefusedWithTheWayOut() {
    try {
      node.data()
          .get(
              GetRequest.newBuilder()
                  .setKeyspace(KEYSPACE)
                  .setKey(KEY)
                  .setColumnPath(
                      ColumnPath.newBuilder().setColumnFamily(SUPER).setSuperColumn(SUPER_COLUMN))
                  .build());
    } catch (StatusRuntimeException e) {
      assertEquals(Status.Code.FAILED_PRECONDITION, e.getStatus().getCode());
      assertTrue(String.valueOf(e.getMessage()).contains("GetSlice"), e::getMessage);
      return;
    }
    throw new AssertionError("a super column of 48 MB came in one answer");
  }

  private static WideRow row(String family, @Nullable ByteString parent) {
    return new WideRow(KEYSPACE, family, KEY, parent, COLUMNS, VALUE_BYTES);
  }

  private static StreamSliceRequest wholeRow(String resumeToken) {
    return StreamSliceRequest.newBuilder()
        .setKeyspace(KEYSPACE)
        .setKey(KEY)
        .setColumnParent(parent(STANDARD))
        .setPredicate(SlicePredicate.newBuilder().setSliceRange(SliceRange.getDefaultInstance()))
        .setResumeToken(resumeToken)
        .build();
  }

  private static ColumnParent parent(String family) {
    ColumnParent.Builder parent = ColumnParent.newBuilder().setColumnFamily(family);
    if (family.equals(SUPER)) {
      parent.setSuperColumn(SUPER_COLUMN);
    }
    return parent.build();
  }

  private static ReadOptions withStats() {
    return ReadOptions.newBuilder().setIncludeStats(true).build();
  }

  private static void assertFewBlocks(RequestStats stats) {
    long blocks = blocks(stats);
    assertTrue(blocks >= 1 && blocks <= MOST_BLOCKS, () -> blocks + " blocks: " + stats);
  }

  /** Blocks that a call needed, from the cache or from disk. */
  private static long blocks(RequestStats stats) {
    return stats.getBlocksRead() + stats.getBlockCacheHits();
  }
}
