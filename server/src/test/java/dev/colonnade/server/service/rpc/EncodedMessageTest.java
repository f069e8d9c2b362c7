package dev.colonnade.server.service.rpc;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.ByteString;
import com.google.protobuf.MessageLite;
import dev.colonnade.server.base.model.Cell;
import dev.colonnade.server.base.model.ColumnComparators;
import dev.colonnade.server.base.model.LiveCells;
import dev.colonnade.server.base.model.PageSink;
import dev.colonnade.server.base.model.PathOrder;
import dev.colonnade.server.base.model.PathRange;
import dev.colonnade.server.base.model.PlainCells;
import dev.colonnade.server.base.model.RowKey;
import dev.colonnade.server.base.model.Slice;
import dev.colonnade.v1.Column;
import dev.colonnade.v1.ColumnOrSuperColumn;
import dev.colonnade.v1.GetRangeSlicesResponse;
import dev.colonnade.v1.GetSliceResponse;
import dev.colonnade.v1.KeySlice;
import dev.colonnade.v1.RequestStats;
import dev.colonnade.v1.SuperColumn;
import io.grpc.Drainable;
import io.grpc.KnownLength;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.CancellationException;
import org.junit.jupiter.api.Test;

/** Encoded answers are, byte for byte, what protobuf makes of the messages they stand for. */
final class EncodedMessageTest {

  private static final int ROUNDS = 200;

  private interface Property {
    void holds(Random random) throws IOException;
  }

  private static void forEachSeed(Property property) {
    for (long seed = 1; seed <= ROUNDS; seed++) {
      try {
        property.holds(new Random(seed));
      } catch (Throwable e) {
        throw new AssertionError("fails with seed " + seed + ": " + e.getMessage(), e);
      }
    }
  }

  @Test
  void columnsAreEncodedAsProtobufDoes() {
    forEachSeed(random -> slice(random, false));
  }

  @Test
  void cellsInPlaceAreEncodedAsCellsAre() {
    forEachSeed(
        random -> {
          List<Cell> cells = new ArrayList<>(cells(random, false));
          cells.removeIf(cell -> cell.kind() != Cell.CellKind.LIVE);
          EncodedColumns one = columns(false, Long.MAX_VALUE, () -> {});
          EncodedColumns all = columns(false, Long.MAX_VALUE, () -> {});
          long assumed = fill(one, cells);
          assertEquals(!cells.isEmpty(), all.addAll(inPlace(cells)));
          assertEquals(assumed, all.bytes());
          assertEquals(one.position(), all.position());
          assertEquals(one.isEmpty(), all.isEmpty());
          assertArrayEquals(bytes(one.finish()), bytes(all.finish()));
        });
  }

  @Test
  void cellsInPlaceAreLeftAloneIfTheyDoNotFitOrBelongToSuperColumns() {
    List<Cell> cells = List.of(Cell.live(new byte[10], null, new byte[90], 1));
    EncodedColumns small = columns(false, 99, () -> {});
    assertFalse(small.addAll(inPlace(cells)));
    assertTrue(small.isEmpty());
    EncodedColumns grouped = columns(true, Long.MAX_VALUE, () -> {});
    assertFalse(grouped.addAll(inPlace(cells)));
    assertTrue(grouped.isEmpty());
  }

  private static PlainCells inPlace(List<Cell> cells) {
    ByteArrayOutputStream array = new ByteArrayOutputStream();
    List<int[]> places = new ArrayList<>();
    for (Cell cell : cells) {
      array.write(7);
      places.add(new int[] {array.size(), array.size() + cell.name().length});
      array.writeBytes(cell.name());
      array.writeBytes(cell.value());
    }
    PlainCells plain = new PlainCells();
    plain.begin(array.toByteArray(), cells.size());
    for (int i = 0; i < cells.size(); i++) {
      Cell cell = cells.get(i);
      int[] at = places.get(i);
      plain.add(at[0], cell.name().length, at[1], cell.valueLength(), cell.timestamp());
    }
    return plain;
  }

  private static byte[] bytes(ByteChunks chunks) throws IOException {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    chunks.writeTo(out);
    return out.toByteArray();
  }

  @Test
  void superColumnsAreEncodedAsProtobufDoes() {
    forEachSeed(random -> slice(random, true));
  }

  @Test
  void rowsAreEncodedAsProtobufDoes() {
    forEachSeed(random -> rows(random, random.nextBoolean()));
  }

  /** A page ends before the cell that does not fit, but not before its first. */
  @Test
  void aPageIsNoLongerThanItsLimit() {
    forEachSeed(
        random -> {
          boolean grouped = random.nextBoolean();
          List<Cell> cells = cells(random, grouped);
          int limit = 1 + random.nextInt(5_000);
          EncodedColumns columns = columns(grouped, limit, () -> {});
          PathOrder order =
              new PathOrder(ColumnComparators.BYTES, grouped ? ColumnComparators.BYTES : null);
          LiveCells live =
              new LiveCells(order, slice(grouped), Optional.empty(), limit, 0, columns);
          int taken = 0;
          while (taken < cells.size() && live.take(cells.get(taken), false, false)) {
            taken++;
          }
          assertEquals(taken, live.delivered());
          assertEquals(taken < cells.size(), live.next().isPresent());
          assertTrue(taken > 0 || cells.isEmpty(), "nothing was taken");
          assertTrue(columns.bytes() <= limit || taken == 1, columns.bytes() + " of " + limit);
          assertTrue(columns.finish().size() <= limit || taken == 1, "longer than " + limit);
        });
  }

  @Test
  void encodingEndsSoonAfterThePageIsNoLongerWanted() {
    EncodedColumns columns =
        columns(
            false,
            Long.MAX_VALUE,
            () -> {
              throw new CancellationException();
            });
    Cell cell = Cell.live(new byte[10], null, new byte[90], 1);
    assertThrows(
        CancellationException.class,
        () -> {
          while (columns.bytes() < 1 << 20) {
            columns.add(cell);
          }
        });
    assertTrue(columns.bytes() < 32 << 10, "encoded " + columns.bytes() + " bytes");
  }

  private static EncodedColumns columns(boolean grouped, long limit, Runnable check) {
    return new EncodedColumns(
        GetSliceResponse.COLUMNS_FIELD_NUMBER,
        slice(grouped),
        ColumnComparators.BYTES,
        null,
        new EncodedColumns.Room(limit, check),
        new ByteChunks());
  }

  /** Chunks that were taken over from another list are not overwritten when that one is reused. */
  @Test
  void appendedBytesStayAsTheyAre() throws IOException {
    ByteChunks all = new ByteChunks();
    ByteChunks part = new ByteChunks();
    ByteArrayOutputStream expected = new ByteArrayOutputStream();
    Random random = new Random(1);
    for (int i = 0; i < 60; i++) {
      for (int j = random.nextInt(400); j >= 0; j--) {
        byte[] array = array(random, 1 + random.nextInt(j == 7 ? 20_000 : 900));
        part.bytes(array);
        expected.write(array);
      }
      all.append(part);
      part.clear();
    }
    ByteArrayOutputStream actual = new ByteArrayOutputStream();
    all.writeTo(actual);
    assertArrayEquals(expected.toByteArray(), actual.toByteArray());
    assertEquals(actual.size(), all.size());
    assertTrue(all.heapBytes() >= all.size(), "holds " + all.heapBytes());
    assertTrue(all.heapBytes() < all.size() * 2, "holds " + all.heapBytes());
  }

  private static void slice(Random random, boolean grouped) throws IOException {
    EncodedColumns columns =
        new EncodedColumns(
            GetSliceResponse.COLUMNS_FIELD_NUMBER, slice(grouped), ColumnComparators.BYTES, null);
    List<Cell> cells = cells(random, grouped);
    long assumed = fill(columns, cells);
    ByteChunks encoded = columns.finish();
    assertTrue(encoded.size() <= assumed, encoded.size() + " bytes instead of " + assumed);
    GetSliceResponse rest =
        GetSliceResponse.newBuilder()
            .setNextPageToken(random.nextBoolean() ? "t".repeat(random.nextInt(300)) : "")
            .setSuperColumnContinues(random.nextBoolean())
            .setStats(RequestStats.newBuilder().setServerMicros(random.nextInt(9)))
            .build();
    same(
        GetSliceResponse.newBuilder().addAllColumns(built(cells, grouped)).mergeFrom(rest).build(),
        EncodedMessage.of(encoded, rest));
  }

  private static void rows(Random random, boolean grouped) throws IOException {
    EncodedRows rows =
        new EncodedRows(
            GetRangeSlicesResponse.ROWS_FIELD_NUMBER, slice(grouped), ColumnComparators.BYTES);
    GetRangeSlicesResponse.Builder expected = GetRangeSlicesResponse.newBuilder();
    PageSink sink = rows.sink(Long.MAX_VALUE, () -> {});
    List<Cell> cellsOfLast = List.of();
    Map<RowKey, EncodedColumns> page = new LinkedHashMap<>();
    for (int i = random.nextInt(12); i > 0; i--) {
      byte[] key = array(random, 1 + random.nextInt(200));
      List<Cell> cells = cells(random, grouped);
      RowKey rowKey = new RowKey(key, key);
      EncodedColumns columns = (EncodedColumns) sink.row(rowKey, Optional.empty());
      fill(columns, cells);
      page.put(rowKey, columns);
      cellsOfLast = cells;
      expected.addRows(
          KeySlice.newBuilder()
              .setKey(ByteString.copyFrom(key))
              .addAllColumns(built(cells, grouped)));
    }
    if (!page.isEmpty()) {
      // What follows the last row of the page is added to it.
      List<Cell> more = cells(random, grouped);
      EncodedColumns last = page.values().stream().reduce((one, next) -> next).orElseThrow();
      fill(last, more);
      KeySlice.Builder row = expected.getRowsBuilder(expected.getRowsCount() - 1);
      List<Cell> all = new ArrayList<>(cellsOfLast);
      all.addAll(more);
      row.clearColumns().addAllColumns(built(all, grouped));
    }
    page.forEach(rows::add);
    GetRangeSlicesResponse rest =
        GetRangeSlicesResponse.newBuilder().setRowContinues(random.nextBoolean()).build();
    same(expected.mergeFrom(rest).build(), EncodedMessage.of(rows.finish(), rest));
  }

  /** The encoded message equals the built one, whichever way the transport takes it. */
  private static void same(MessageLite expected, EncodedMessage actual) throws IOException {
    byte[] bytes = expected.toByteArray();
    assertEquals(bytes.length, actual.size());
    InputStream drained = EncodedMessage.MARSHALLER.stream(actual);
    assertInstanceOf(KnownLength.class, drained);
    assertEquals(bytes.length, drained.available());
    ByteArrayOutputStream target = new ByteArrayOutputStream();
    assertEquals(bytes.length, assertInstanceOf(Drainable.class, drained).drainTo(target));
    assertArrayEquals(bytes, target.toByteArray());
    assertEquals(0, drained.available());
    InputStream piecemeal = EncodedMessage.MARSHALLER.stream(actual);
    assertEquals(expected, expected.getParserForType().parseFrom(piecemeal));
  }

  private static Slice slice(boolean grouped) {
    return new Slice(List.of(PathRange.ALL), false, grouped, Long.MAX_VALUE);
  }

  private static long fill(EncodedColumns columns, List<Cell> cells) {
    long assumed = 0;
    for (Cell cell : cells) {
      assumed += columns.bytesOf(cell);
      columns.add(cell);
    }
    return assumed;
  }

  private static List<Cell> cells(Random random, boolean grouped) {
    List<Cell> cells = new ArrayList<>();
    byte[] top = array(random, 1 + random.nextInt(300));
    int count = random.nextInt(random.nextInt(10) == 0 ? 3_000 : 30);
    for (int i = 0; i < count; i++) {
      byte[] name = array(random, 1 + random.nextInt(random.nextInt(9) == 0 ? 300 : 20));
      byte[] value = array(random, random.nextInt(random.nextInt(9) == 0 ? 20_000 : 50));
      long timestamp = random.nextLong() >> random.nextInt(64);
      if (random.nextInt(4) == 0) {
        top = array(random, 1 + random.nextInt(100));
      }
      byte[] first = grouped ? top : name;
      byte[] second = grouped ? name : null;
      cells.add(
          random.nextInt(3) == 0
              ? Cell.expiring(
                  first, second, value, timestamp, 1 + random.nextInt(Integer.MAX_VALUE), 1)
              : Cell.live(first, second, value, timestamp));
    }
    return cells;
  }

  private static byte[] array(Random random, int length) {
    byte[] array = new byte[length];
    random.nextBytes(array);
    return array;
  }

  private static List<ColumnOrSuperColumn> built(List<Cell> cells, boolean grouped) {
    List<ColumnOrSuperColumn> columns = new ArrayList<>();
    SuperColumn.Builder open = null;
    byte[] top = null;
    for (Cell cell : cells) {
      if (!grouped) {
        columns.add(ColumnOrSuperColumn.newBuilder().setColumn(column(cell)).build());
        continue;
      }
      if (open == null || !Arrays.equals(top, cell.top())) {
        if (open != null) {
          columns.add(ColumnOrSuperColumn.newBuilder().setSuperColumn(open).build());
        }
        open = SuperColumn.newBuilder().setName(ByteString.copyFrom(cell.top()));
        top = cell.top();
      }
      open.addColumns(column(cell));
    }
    if (open != null) {
      columns.add(ColumnOrSuperColumn.newBuilder().setSuperColumn(open).build());
    }
    return columns;
  }

  private static Column column(Cell cell) {
    Column.Builder column =
        Column.newBuilder()
            .setName(ByteString.copyFrom(cell.name()))
            .setValue(ByteString.copyFrom(cell.value()))
            .setTimestamp(cell.timestamp());
    if (cell.kind() == Cell.CellKind.EXPIRING) {
      column.setTtlSeconds(cell.ttlSeconds());
    }
    return column.build();
  }
}
