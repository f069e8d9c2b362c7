package dev.colonnade.client;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.ByteString;
import com.google.protobuf.CodedOutputStream;
import com.google.protobuf.UnknownFieldSet;
import dev.colonnade.v1.ColumnOrSuperColumn;
import dev.colonnade.v1.GetSliceResponse;
import dev.colonnade.v1.KeySlice;
import dev.colonnade.v1.RequestStats;
import dev.colonnade.v1.StreamRangeSlicesResponse;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** What is made of the bytes of an answer. */
final class AnswerReadersTest {

  private static final int ROUNDS = 500;
  private static final UnknownFieldSet LATER_FIELDS =
      UnknownFieldSet.newBuilder()
          .addField(77, UnknownFieldSet.Field.newBuilder().addVarint(7).build())
          .addField(
              78,
              UnknownFieldSet.Field.newBuilder()
                  .addLengthDelimited(ByteString.copyFromUtf8("later"))
                  .build())
          .build();

  private record Cell(int row, int superColumn, int column) {}

  @Test
  void rowsAreTheSameHoweverTheyWereCut() throws IOException {
    for (long seed = 0; seed < ROUNDS; seed++) {
      Random random = new Random(seed);
      List<Cell> cells = cells(random);
      RowReader<SuperColumn<String, String, String>, String> reader =
          new RowReader<>(
              new SuperColumnsReader<>(
                  Serializers.UTF8, new ColumnReader<>(Serializers.UTF8, Serializers.UTF8)),
              (key, entries) -> new String(key, UTF_8) + entries);
      List<String> joined = new ArrayList<>();
      int from = 0;
      while (from < cells.size()) {
        int to = Math.min(cells.size(), from + 1 + random.nextInt(5));
        boolean more = to < cells.size();
        boolean rowGoesOn = more && cells.get(to).row() == cells.get(to - 1).row();
        boolean superGoesOn =
            rowGoesOn && cells.get(to).superColumn() == cells.get(to - 1).superColumn();
        reader.read(part(cells.subList(from, to), rowGoesOn, superGoesOn), joined);
        from = to;
      }
      reader.end(joined);
      List<String> whole = new ArrayList<>();
      for (KeySlice row : rows(cells)) {
        whole.add(row.getKey().toStringUtf8() + superColumns(row));
      }
      assertEquals(whole, joined, "seed " + seed);
    }
  }

  @Test
  void columnsHaveAllThatTheMessageSays() throws IOException {
    GetSliceResponse answer =
        GetSliceResponse.newBuilder()
            .addColumns(column("plain", new byte[] {1, -1}, -5))
            .addColumns(
                ColumnOrSuperColumn.newBuilder()
                    .setColumn(
                        column("brief", new byte[0], Long.MAX_VALUE).getColumn().toBuilder()
                            .setTtlSeconds(90)
                            .setUnknownFields(LATER_FIELDS))
                    .setUnknownFields(LATER_FIELDS))
            .setNextPageToken("onwards")
            .setStats(RequestStats.newBuilder().setSstablesRead(3))
            .setUnknownFields(LATER_FIELDS)
            .build();
    AnswerPart part = AnswerPart.parse(AnswerPart.GET_SLICE, answer.toByteArray());
    List<Column<String, byte[]>> columns = new ArrayList<>();
    columnsReader(Serializers.UTF8).read(part, columns);

    assertEquals("onwards", part.token());
    assertEquals(answer.getStats(), part.stats());
    assertEquals(List.of("plain", "brief"), columns.stream().map(Column::name).toList());
    assertArrayEquals(new byte[] {1, -1}, columns.get(0).value());
    assertEquals(OptionalLong.of(-5), columns.get(0).timestampMicros());
    assertEquals(Optional.empty(), columns.get(0).ttl());
    assertEquals(0, columns.get(1).value().length);
    assertEquals(OptionalLong.of(Long.MAX_VALUE), columns.get(1).timestampMicros());
    assertEquals(Optional.of(Duration.ofSeconds(90)), columns.get(1).ttl());
  }

  /** Rows repeat names; only what cannot be changed may then be one object for several columns. */
  @Test
  void namesThatAreArraysAreNotShared() throws IOException {
    GetSliceResponse answer =
        GetSliceResponse.newBuilder()
            .addColumns(column("same", new byte[1], 1))
            .addColumns(column("same", new byte[1], 2))
            .build();
    List<Column<byte[], byte[]>> columns = new ArrayList<>();
    columnsReader(Serializers.BYTES)
        .read(AnswerPart.parse(AnswerPart.GET_SLICE, answer.toByteArray()), columns);
    assertArrayEquals(columns.get(0).name(), columns.get(1).name());
    assertNotSame(columns.get(0).name(), columns.get(1).name());
    assertNotSame(columns.get(0).value(), columns.get(1).value());
  }

  @Test
  void namesOfRowsThatDifferAreTheirOwn() throws IOException {
    Random random = new Random(7);
    List<String> names = new ArrayList<>();
    GetSliceResponse.Builder answer = GetSliceResponse.newBuilder();
    for (int i = 0; i < 2_000; i++) {
      String name = "x".repeat(random.nextInt(70)) + random.nextInt(40);
      names.add(name);
      answer.addColumns(column(name, new byte[0], i));
    }
    List<Column<String, byte[]>> columns = new ArrayList<>();
    columnsReader(Serializers.UTF8)
        .read(AnswerPart.parse(AnswerPart.GET_SLICE, answer.build().toByteArray()), columns);
    assertEquals(names, columns.stream().map(Column::name).toList());
  }

  @Test
  void bytesThatAreNoAnswerAreRefused() throws IOException {
    byte[] answer =
        part(List.of(new Cell(1, 1, 1), new Cell(1, 1, 2), new Cell(2, 1, 1)), false, false)
            .encoded();
    for (int length = 0; length < answer.length; length++) {
      byte[] cut = Arrays.copyOf(answer, length);
      boolean whole;
      try {
        whole = StreamRangeSlicesResponse.parseFrom(cut).isInitialized();
      } catch (IOException e) {
        whole = false;
      }
      assertEquals(whole, readable(cut), "the first " + length + " bytes");
    }
    Random random = new Random(3);
    for (int i = 0; i < 5_000; i++) {
      byte[] damaged = answer.clone();
      damaged[random.nextInt(damaged.length)] = (byte) random.nextInt();
      boolean unused = readable(damaged); // ends, with the client's own exception or with none
    }
  }

  @Test
  void entriesBeforeTheirKeyAreRefused() throws IOException {
    ByteArrayOutputStream row = new ByteArrayOutputStream();
    CodedOutputStream out = CodedOutputStream.newInstance(row);
    out.writeMessage(KeySlice.COLUMNS_FIELD_NUMBER, column("name", new byte[1], 1));
    out.writeBytes(KeySlice.KEY_FIELD_NUMBER, ByteString.copyFromUtf8("key"));
    out.flush();
    ByteArrayOutputStream answer = new ByteArrayOutputStream();
    CodedOutputStream rows = CodedOutputStream.newInstance(answer);
    rows.writeByteArray(StreamRangeSlicesResponse.ROWS_FIELD_NUMBER, row.toByteArray());
    rows.flush();
    AnswerPart part = AnswerPart.parse(AnswerPart.STREAM_RANGE_SLICES, answer.toByteArray());
    RowReader<?, String> reader =
        new RowReader<>(columnsReader(Serializers.UTF8), (key, entries) -> "row");
    ColonnadeException refusal =
        assertThrows(ColonnadeException.class, () -> reader.read(part, new ArrayList<>()));
    assertTrue(refusal.toString().contains("could not be decoded"), refusal::toString);
  }

  private static boolean readable(byte[] message) {
    try {
      List<String> rows = new ArrayList<>();
      new RowReader<>(
              new SuperColumnsReader<>(
                  Serializers.BYTES, new ColumnReader<>(Serializers.BYTES, Serializers.BYTES)),
              (key, entries) -> "row")
          .read(AnswerPart.parse(AnswerPart.STREAM_RANGE_SLICES, message), rows);
      return true;
    } catch (IOException | ColonnadeException e) {
      return false;
    } catch (IllegalArgumentException e) {
      return true; // A time to live out of its range, which is not the bytes' fault.
    }
  }

  private static <N> ColumnsReader<N, byte[]> columnsReader(Serializer<N> names) {
    return new ColumnsReader<>(new ColumnReader<>(names, Serializers.BYTES));
  }

  private static ColumnOrSuperColumn column(String name, byte[] value, long timestamp) {
    return ColumnOrSuperColumn.newBuilder()
        .setColumn(
            dev.colonnade.v1.Column.newBuilder()
                .setName(ByteString.copyFromUtf8(name))
                .setValue(ByteString.copyFrom(value))
                .setTimestamp(timestamp))
        .build();
  }

  private static List<SuperColumn<String, String, String>> superColumns(KeySlice row) {
    List<SuperColumn<String, String, String>> superColumns = new ArrayList<>();
    for (ColumnOrSuperColumn entry : row.getColumnsList()) {
      List<Column<String, String>> columns = new ArrayList<>();
      for (dev.colonnade.v1.Column column : entry.getSuperColumn().getColumnsList()) {
        columns.add(
            Column.of(column.getName().toStringUtf8(), column.getValue().toStringUtf8())
                .withTimestamp(column.getTimestamp()));
      }
      superColumns.add(new SuperColumn<>(entry.getSuperColumn().getName().toStringUtf8(), columns));
    }
    return superColumns;
  }

  private static AnswerPart part(List<Cell> cells, boolean rowGoesOn, boolean superGoesOn)
      throws IOException {
    return AnswerPart.parse(
        AnswerPart.STREAM_RANGE_SLICES,
        StreamRangeSlicesResponse.newBuilder()
            .addAllRows(rows(cells))
            .setRowContinues(rowGoesOn)
            .setSuperColumnContinues(superGoesOn)
            .build()
            .toByteArray());
  }

  private static List<Cell> cells(Random random) {
    List<Cell> cells = new ArrayList<>();
    for (int row = 0; row < random.nextInt(5); row++) {
      for (int superColumn = 0; superColumn <= random.nextInt(4); superColumn++) {
        for (int column = 0; column <= random.nextInt(4); column++) {
          cells.add(new Cell(row, superColumn, column));
        }
      }
    }
    return cells;
  }

  private static List<KeySlice> rows(List<Cell> cells) {
    List<KeySlice.Builder> rows = new ArrayList<>();
    Cell before = new Cell(-1, -1, -1);
    for (Cell cell : cells) {
      if (cell.row() != before.row()) {
        rows.add(KeySlice.newBuilder().setKey(name(cell.row())));
      }
      KeySlice.Builder row = rows.get(rows.size() - 1);
      if (cell.row() != before.row() || cell.superColumn() != before.superColumn()) {
        row.addColumns(ColumnOrSuperColumn.newBuilder());
        row.getColumnsBuilder(row.getColumnsCount() - 1)
            .getSuperColumnBuilder()
            .setName(name(cell.superColumn()));
      }
      row.getColumnsBuilder(row.getColumnsCount() - 1)
          .getSuperColumnBuilder()
          .addColumnsBuilder()
          .setName(name(cell.column()))
          .setTimestamp(cell.row() * 100L + cell.column());
      before = cell;
    }
    return rows.stream().map(KeySlice.Builder::build).toList();
  }

  private static ByteString name(int number) {
    return ByteString.copyFromUtf8(Integer.toString(number));
  }
}
