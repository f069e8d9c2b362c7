package dev.colonnade.connectors.hadoop;

import dev.colonnade.client.Colonnade;
import dev.colonnade.client.ColonnadeException;
import dev.colonnade.client.Column;
import dev.colonnade.client.ColumnFamily;
import dev.colonnade.client.Cursor;
import dev.colonnade.client.Endpoint;
import dev.colonnade.client.KeyRange;
import dev.colonnade.client.Keyspace;
import dev.colonnade.client.RingRange;
import dev.colonnade.client.Row;
import dev.colonnade.client.Serializers;
import dev.colonnade.client.Slice;
import dev.colonnade.client.SuperColumn;
import dev.colonnade.client.SuperColumnFamily;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.io.BytesWritable;
import org.apache.hadoop.mapreduce.InputSplit;
import org.apache.hadoop.mapreduce.RecordReader;
import org.apache.hadoop.mapreduce.TaskAttemptContext;
import org.jspecify.annotations.Nullable;

/** Reads the rows of one split, at a node of this machine if one holds them. For one thread. */
final class ColumnFamilyRecordReader extends RecordReader<BytesWritable, RowWritable> {

  private @Nullable Colonnade client;
  private @Nullable Rows rows;
  private @Nullable TaskAttemptContext context;
  private long estimatedRows;
  private long read;
  private boolean ended;

  private final BytesWritable key = new BytesWritable();
  private RowWritable value = new RowWritable();

  /** Rows in the form of the job, whatever the kind of the family. */
  private interface Rows extends AutoCloseable {
    boolean next();

    byte[] key();

    RowWritable row();

    @Override
    void close();
  }

  @Override
  public void initialize(InputSplit split, TaskAttemptContext taskContext) throws IOException {
    ColumnFamilySplit part = (ColumnFamilySplit) split;
    context = taskContext;
    estimatedRows = part.estimatedRows();
    Configuration conf = taskContext.getConfiguration();
    RingRange range = part.range().nearestFirst();
    Colonnade made =
        Clients.connect(conf, range.endpoints().stream().map(Endpoint::target).toList());
    client = made;
    try {
      rows = rows(made, conf, part, range);
    } catch (ColonnadeException e) {
      throw failure(e);
    }
  }

  private static Rows rows(
      Colonnade client, Configuration conf, ColumnFamilySplit part, RingRange range) {
    Keyspace keyspace = client.keyspace(ConfigHelper.keyspace(conf));
    KeyRange<byte[]> keys =
        part.key().map(one -> KeyRange.from(one).to(one)).orElseGet(() -> KeyRange.in(range));
    Slice<byte[]> slice = ConfigHelper.slice(conf);
    if (!part.isSuper()) {
      ColumnFamily<byte[], byte[], byte[]> family =
          keyspace.columnFamily(
              part.family(), Serializers.BYTES, Serializers.BYTES, Serializers.BYTES);
      return new OfColumns(null, family.range(keys, slice));
    }
    SuperColumnFamily<byte[], byte[], byte[], byte[]> family =
        keyspace.superColumnFamily(
            part.family(),
            Serializers.BYTES,
            Serializers.BYTES,
            Serializers.BYTES,
            Serializers.BYTES);
    Optional<byte[]> one = ConfigHelper.superColumn(conf);
    return one.isPresent()
        ? new OfColumns(one.get(), family.within(one.get()).range(keys, slice))
        : new OfSuperColumns(family.range(keys, slice));
  }

  private static final class OfColumns implements Rows {
    private final byte @Nullable [] superColumn;
    private final Cursor<Row<byte[], Column<byte[], byte[]>>> cursor;
    private @Nullable Row<byte[], Column<byte[], byte[]>> row;

    OfColumns(byte @Nullable [] superColumn, Cursor<Row<byte[], Column<byte[], byte[]>>> cursor) {
      this.superColumn = superColumn;
      this.cursor = cursor;
    }

    @Override
    public boolean next() {
      row = cursor.hasNext() ? cursor.next() : null;
      return row != null;
    }

    @Override
    public byte[] key() {
      return present(row).key();
    }

    @Override
    public RowWritable row() {
      List<CellWritable> cells = new ArrayList<>();
      present(row).entries().forEach(column -> cells.add(cell(superColumn, column)));
      return new RowWritable(cells);
    }

    @Override
    public void close() {
      cursor.close();
    }
  }

  private static final class OfSuperColumns implements Rows {
    private final Cursor<Row<byte[], SuperColumn<byte[], byte[], byte[]>>> cursor;
    private @Nullable Row<byte[], SuperColumn<byte[], byte[], byte[]>> row;

    OfSuperColumns(Cursor<Row<byte[], SuperColumn<byte[], byte[], byte[]>>> cursor) {
      this.cursor = cursor;
    }

    @Override
    public boolean next() {
      row = cursor.hasNext() ? cursor.next() : null;
      return row != null;
    }

    @Override
    public byte[] key() {
      return present(row).key();
    }

    @Override
    public RowWritable row() {
      List<CellWritable> cells = new ArrayList<>();
      for (SuperColumn<byte[], byte[], byte[]> each : present(row).entries()) {
        each.columns().forEach(column -> cells.add(cell(each.name(), column)));
      }
      return new RowWritable(cells);
    }

    @Override
    public void close() {
      cursor.close();
    }
  }

  private static <T> T present(@Nullable T row) {
    if (row == null) {
      throw new IllegalStateException("there is no row: the end was reached");
    }
    return row;
  }

  private static CellWritable cell(byte @Nullable [] superColumn, Column<byte[], byte[]> column) {
    CellWritable cell = CellWritable.of(superColumn, column.name(), column.value());
    column.timestampMicros().ifPresent(cell::withTimestamp);
    column.ttl().ifPresent(cell::withTtl);
    return cell;
  }

  @Override
  public boolean nextKeyValue() throws IOException {
    Rows source = rows;
    TaskAttemptContext task = context;
    if (source == null || task == null || ended) {
      return false;
    }
    try {
      if (!source.next()) {
        ended = true;
        return false;
      }
    } catch (ColonnadeException e) {
      throw failure(e);
    }
    byte[] bytes = source.key();
    key.set(bytes, 0, bytes.length);
    value = source.row();
    read++;
    task.getCounter(ColumnFamilyCounter.ROWS_READ).increment(1);
    task.getCounter(ColumnFamilyCounter.COLUMNS_READ).increment(value.cells().size());
    return true;
  }

  private static IOException failure(ColonnadeException e) {
    return new IOException("the rows of the split cannot be read: " + e.getMessage(), e);
  }

  @Override
  public BytesWritable getCurrentKey() {
    return key;
  }

  @Override
  public RowWritable getCurrentValue() {
    return value;
  }

  /** By the estimate of rows; the end is not reached before there are no more. */
  @Override
  public float getProgress() {
    if (ended) {
      return 1;
    }
    return estimatedRows == 0 ? 0 : Math.min(0.99f, (float) read / estimatedRows);
  }

  @Override
  public void close() {
    Colonnade made = client;
    if (rows != null) {
      rows.close();
    }
    if (made != null) {
      made.close();
    }
  }
}
