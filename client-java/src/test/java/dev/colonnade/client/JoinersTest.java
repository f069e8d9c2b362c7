package dev.colonnade.client;

import static org.junit.jupiter.api.Assertions.assertEquals;

import com.google.protobuf.ByteString;
import dev.colonnade.v1.ColumnOrSuperColumn;
import dev.colonnade.v1.KeySlice;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** However an answer is cut into parts, the same rows come out. */
final class JoinersTest {

  private static final int ROUNDS = 500;

  private record Cell(int row, int superColumn, int column) {}

  @Test
  void rowsAreTheSameHoweverTheyWereCut() {
    for (long seed = 0; seed < ROUNDS; seed++) {
      Random random = new Random(seed);
      List<Cell> cells = cells(random);
      RowJoiner joiner = new RowJoiner();
      List<KeySlice> joined = new ArrayList<>();
      int from = 0;
      while (from < cells.size()) {
        int to = Math.min(cells.size(), from + 1 + random.nextInt(5));
        boolean more = to < cells.size();
        boolean rowGoesOn = more && cells.get(to).row() == cells.get(to - 1).row();
        boolean superGoesOn =
            rowGoesOn && cells.get(to).superColumn() == cells.get(to - 1).superColumn();
        joined.addAll(joiner.join(rows(cells.subList(from, to)), rowGoesOn, superGoesOn));
        from = to;
      }
      joined.addAll(joiner.end());
      assertEquals(rows(cells), joined, "seed " + seed);
    }
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
          .setName(name(cell.column()));
      before = cell;
    }
    return rows.stream().map(KeySlice.Builder::build).toList();
  }

  private static ByteString name(int number) {
    return ByteString.copyFromUtf8(Integer.toString(number));
  }
}
