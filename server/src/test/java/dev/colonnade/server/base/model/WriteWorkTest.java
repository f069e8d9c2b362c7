package dev.colonnade.server.base.model;

import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.BiConsumer;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * What one small write makes the thread of the write pipeline do does not depend on what its row
 * holds: neither the comparisons, which a plug-in may make slow, nor what is copied.
 */
final class WriteWorkTest {

  /** Some times the depth of a tree of the greatest row here. */
  private static final int COMPARISONS_MAX = 120;

  private static final long ALLOCATED_BYTES_MAX = 16 << 10;

  private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

  /** What a row holds before the write. */
  enum Hostile {
    MANY_DELETIONS(
        false,
        (row, order) -> {
          for (int i = 0; i < 400_000; i++) {
            row.deleteRange(PathRange.of(column(2 * i)), new DeletionTime(1_000_000 + i, 9));
          }
        }),
    NESTED_DELETIONS(
        false,
        (row, order) -> {
          for (int i = 0; i < 100_000; i++) {
            row.deleteRange(
                new PathRange(Bound.before(column(i)), Bound.after(column(900_000 - i))),
                new DeletionTime(1_000_000 + i, 9));
          }
        }),
    REMOVED_SUPER_COLUMNS(
        true,
        (row, order) -> {
          for (int i = 0; i < 100_000; i++) {
            row.deleteRange(PathRange.of(column(2 * i)), new DeletionTime(1_000_000 + i, 9));
          }
        }),
    DELETIONS_IN_A_SUPER_COLUMN(
        true,
        (row, order) -> {
          for (int i = 0; i < 100_000; i++) {
            row.deleteRange(
                PathRange.of(column(50), column(2 * i)), new DeletionTime(1_000_000 + i, 9));
          }
        }),
    ONE_HUGE_COLUMN(
        false, (row, order) -> row.add(Cell.live(column(1), null, new byte[32 << 20], 1_000_000))),
    MANY_COLUMNS(
        false,
        (row, order) -> {
          for (int i = 0; i < 500_000; i++) {
            row.add(Cell.live(column(2 * i), null, new byte[4], 1_000_000));
          }
        }),
    ONE_FULL_ARRAY(
        false,
        (row, order) -> {
          for (int i = 0; i < 32; i++) {
            row.add(Cell.live(column(2 * i), null, new byte[500], 1_000_000));
          }
        }),
    LONG_NAMES(
        false,
        (row, order) -> {
          for (int i = 0; i < 400; i++) {
            byte[] name = new byte[65_535];
            System.arraycopy(column(2 * i), 0, name, name.length - 8, 8);
            row.add(Cell.live(name, null, new byte[4], 1_000_000));
            row.deleteRange(PathRange.of(name), new DeletionTime(1_000_000 + i, 9));
          }
        });

    private final boolean inSuperColumns;
    private final BiConsumer<RowUpdate.Builder, PathOrder> content;

    Hostile(boolean inSuperColumns, BiConsumer<RowUpdate.Builder, PathOrder> content) {
      this.inSuperColumns = inSuperColumns;
      this.content = content;
    }
  }

  private static byte[] column(int number) {
    byte[] digits = Integer.toString(number).getBytes(StandardCharsets.US_ASCII);
    byte[] name = new byte[8];
    Arrays.fill(name, (byte) '0');
    System.arraycopy(digits, 0, name, 8 - digits.length, digits.length);
    return name;
  }

  private static Map<String, RowUpdate> smallWrites(PathOrder order) {
    byte[] sub = order.isSuper() ? column(7) : null;
    PathRange wide = new PathRange(Bound.before(column(0)), Bound.after(column(99_999_999)));
    PathRange half = new PathRange(Bound.before(column(1_000)), Bound.after(column(40_000)));
    Map<String, RowUpdate> writes = new LinkedHashMap<>();
    for (long timestamp : new long[] {1, 1_040_000, 9_000_000}) {
      DeletionTime deletion = new DeletionTime(timestamp, 9);
      writes.put(
          "a new column at " + timestamp,
          RowUpdate.builder(order).add(Cell.live(column(51), sub, new byte[4], timestamp)).build());
      writes.put(
          "a known column at " + timestamp,
          RowUpdate.builder(order).add(Cell.live(column(50), sub, new byte[4], timestamp)).build());
      writes.put(
          "a deleted column at " + timestamp,
          RowUpdate.builder(order).add(Cell.deleted(column(50), sub, deletion)).build());
      writes.put(
          "a deleted range at " + timestamp,
          RowUpdate.builder(order).deleteRange(half, deletion).build());
      writes.put(
          "a removed column or super column at " + timestamp,
          RowUpdate.builder(order).deleteRange(PathRange.of(column(50)), deletion).build());
      writes.put(
          "all columns deleted at " + timestamp,
          RowUpdate.builder(order).deleteRange(wide, deletion).build());
      writes.put(
          "a removed row at " + timestamp, RowUpdate.builder(order).deleteRow(deletion).build());
    }
    return writes;
  }

  @ParameterizedTest
  @EnumSource
  void aSmallWriteCostsTheSameWhateverItsRowHolds(Hostile hostile) {
    Counting names = new Counting();
    PathOrder order = new PathOrder(names, hostile.inSuperColumns ? names : null);
    RowUpdate.Builder content = RowUpdate.builder(order);
    hostile.content.accept(content, order);
    CellNamePool pool = new CellNamePool();
    RowState row = RowState.EMPTY.apply(content.build(), order, pool);
    for (int round = 0; round < 2; round++) {
      for (Map.Entry<String, RowUpdate> write : smallWrites(order).entrySet()) {
        RowState changed = row;
        for (int again = 0; again < 3; again++) {
          names.comparisons = 0;
          long bytes = THREADS.getCurrentThreadAllocatedBytes();
          changed = changed.apply(write.getValue(), order, pool);
          bytes = THREADS.getCurrentThreadAllocatedBytes() - bytes;
          String what =
              write.getKey() + ": " + names.comparisons + " comparisons, " + bytes + " bytes";
          assertTrue(names.comparisons <= COMPARISONS_MAX, what);
          // What the first round allocates is for classes that it loads.
          assertTrue(round == 0 || bytes <= ALLOCATED_BYTES_MAX, what);
        }
      }
    }
  }

  /** Counts comparisons, each of which may take long in a plug-in. */
  private static final class Counting implements ColumnComparator {
    private long comparisons;

    @Override
    public String typeName() {
      return "Counting";
    }

    @Override
    public int compare(byte[] left, byte[] right) {
      comparisons++;
      return ColumnComparators.BYTES.compare(left, right);
    }

    @Override
    public void validate(byte[] name) {}

    @Override
    public String display(byte[] name) {
      return ColumnComparators.BYTES.display(name);
    }

    @Override
    public byte[] parse(String text) throws InvalidNameException {
      return ColumnComparators.BYTES.parse(text);
    }
  }
}
