package dev.colonnade.it.ycsb;

import dev.colonnade.client.ColonnadeException;
import dev.colonnade.client.Column;
import dev.colonnade.client.Columns;
import dev.colonnade.client.Cursor;
import dev.colonnade.client.KeyRange;
import dev.colonnade.client.Row;
import dev.colonnade.client.Slice;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.Vector;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;
import site.ycsb.ByteArrayByteIterator;
import site.ycsb.ByteIterator;
import site.ycsb.DB;
import site.ycsb.Status;

/**
 * YCSB's view of Colonnade, with blocking calls. A record is a row with a column for each field; in
 * a Super family, the columns of one super column of the row. For one thread; all of them share a
 * client.
 */
final class ColonnadeDb extends DB {

  /** The kinds of call that are measured each for itself. */
  enum Operation {
    READ,
    UPDATE,
    INSERT,
    SCAN,
    DELETE
  }

  private final Columns<String, String, byte[]> records;
  private final BooleanSupplier measuring;
  private final Map<Operation, Histogram> latencies = new EnumMap<>(Operation.class);
  private long failures;
  private @Nullable String firstFailure;

  /**
   * Binds records to a client.
   *
   * @param measuring whether a call that ends now counts
   */
  ColonnadeDb(Columns<String, String, byte[]> records, BooleanSupplier measuring) {
    this.records = records;
    this.measuring = measuring;
  }

  /** Latencies in nanoseconds of the calls that counted. */
  Map<Operation, Histogram> latencies() {
    return latencies;
  }

  /** How many calls failed, or did not find their row, whether they counted or not. */
  long failures() {
    return failures;
  }

  /** What became of the first of them; null if there was none. */
  @Nullable String firstFailure() {
    return firstFailure;
  }

  private Status measured(Operation operation, String key, Supplier<Status> call) {
    long start = System.nanoTime();
    Status status;
    String failure = "nothing was found";
    try {
      status = call.get();
    } catch (ColonnadeException e) {
      status = Status.ERROR;
      failure = e.toString();
    }
    if (measuring.getAsBoolean()) {
      latencies
          .computeIfAbsent(operation, kind -> new Histogram(3))
          .recordValue(System.nanoTime() - start);
    }
    if (!status.isOk()) {
      failures++;
      if (firstFailure == null) {
        firstFailure = operation + " of " + key + ": " + failure;
      }
    }
    return status;
  }

  @Override
  public Status read(
      String table, String key, @Nullable Set<String> fields, Map<String, ByteIterator> result) {
    return measured(
        Operation.READ,
        key,
        () -> {
          List<Column<String, byte[]>> found = records.slice(key, slice(fields));
          fill(found, result);
          return found.isEmpty() ? Status.NOT_FOUND : Status.OK;
        });
  }

  @Override
  @SuppressWarnings("NonApiType") // YCSB's signature.
  public Status scan(
      String table,
      String startKey,
      int count,
      @Nullable Set<String> fields,
      Vector<HashMap<String, ByteIterator>> result) {
    return measured(
        Operation.SCAN,
        startKey,
        () -> {
          try (Cursor<Row<String, Column<String, byte[]>>> rows =
              records.range(KeyRange.from(startKey).limit(count), slice(fields))) {
            while (rows.hasNext()) {
              HashMap<String, ByteIterator> row = new HashMap<>();
              fill(rows.next().entries(), row);
              result.add(row);
            }
          }
          return result.isEmpty() ? Status.NOT_FOUND : Status.OK;
        });
  }

  @Override
  public Status update(String table, String key, Map<String, ByteIterator> values) {
    return write(Operation.UPDATE, key, values);
  }

  @Override
  public Status insert(String table, String key, Map<String, ByteIterator> values) {
    return write(Operation.INSERT, key, values);
  }

  @Override
  public Status delete(String table, String key) {
    return measured(
        Operation.DELETE,
        key,
        () -> {
          records.remove(key);
          return Status.OK;
        });
  }

  private Status write(Operation operation, String key, Map<String, ByteIterator> values) {
    return measured(
        operation,
        key,
        () -> {
          List<Column<String, byte[]>> columns = new ArrayList<>(values.size());
          values.forEach((name, value) -> columns.add(Column.of(name, value.toArray())));
          records.insertAll(key, columns);
          return Status.OK;
        });
  }

  private static Slice<String> slice(@Nullable Set<String> fields) {
    return fields == null || fields.isEmpty() ? Slice.all() : Slice.named(fields);
  }

  private static void fill(List<Column<String, byte[]>> columns, Map<String, ByteIterator> into) {
    for (Column<String, byte[]> column : columns) {
      into.put(column.name(), new ByteArrayByteIterator(column.value()));
    }
  }
}
