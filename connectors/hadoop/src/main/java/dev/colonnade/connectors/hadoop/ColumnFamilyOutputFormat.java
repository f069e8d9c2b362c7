package dev.colonnade.connectors.hadoop;

import dev.colonnade.client.CallOptions;
import dev.colonnade.client.Colonnade;
import dev.colonnade.client.ColonnadeException;
import dev.colonnade.client.Column;
import dev.colonnade.client.ColumnFamily;
import dev.colonnade.client.Columns;
import dev.colonnade.client.Keyspace;
import dev.colonnade.client.RoutedWriter;
import dev.colonnade.client.Serializers;
import dev.colonnade.client.SuperColumn;
import dev.colonnade.client.SuperColumnFamily;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.io.BytesWritable;
import org.apache.hadoop.mapreduce.JobContext;
import org.apache.hadoop.mapreduce.OutputCommitter;
import org.apache.hadoop.mapreduce.OutputFormat;
import org.apache.hadoop.mapreduce.RecordWriter;
import org.apache.hadoop.mapreduce.TaskAttemptContext;
import org.apache.hadoop.mapreduce.lib.output.NullOutputFormat;
import org.jspecify.annotations.Nullable;

/**
 * Writes columns, and deletes, in rows of one family: the key, and what to do to a column of it.
 * Changes go in batches to nodes that hold their rows, several without an answer at a time.
 *
 * <p>A column without a timestamp gets that of the job, which is the same for all attempts of a
 * task: one that is made again, or twice, changes nothing. What a task has written stays when it
 * fails later. Of two tasks that write the same column without timestamps, the greater value wins.
 */
public final class ColumnFamilyOutputFormat extends OutputFormat<BytesWritable, CellWritable> {

  /**
   * Looks whether there is such a family, and fixes the timestamp of the job.
   *
   * @throws IOException if there is none, or no node answers
   */
  @Override
  public void checkOutputSpecs(JobContext context) throws IOException {
    Configuration conf = context.getConfiguration();
    try (Colonnade client = Clients.connect(conf, List.of())) {
      OutputFamily.of(client, conf);
    }
    ConfigHelper.fixTimestamp(conf);
  }

  @Override
  public RecordWriter<BytesWritable, CellWritable> getRecordWriter(TaskAttemptContext context)
      throws IOException {
    Configuration conf = context.getConfiguration();
    Colonnade client = Clients.connect(conf, List.of());
    try {
      return new Writer(client, OutputFamily.of(client, conf), context);
    } catch (IOException | RuntimeException e) {
      client.close();
      throw e;
    }
  }

  /** What is written is written: there is nothing to commit. */
  @Override
  public OutputCommitter getOutputCommitter(TaskAttemptContext context) {
    return new NullOutputFormat<BytesWritable, CellWritable>().getOutputCommitter(context);
  }

  private static final class Writer extends RecordWriter<BytesWritable, CellWritable> {

    private final Colonnade client;
    private final OutputFamily target;
    private final TaskAttemptContext context;
    private final OptionalLong timestampMicros;
    private final @Nullable ColumnFamily<byte[], byte[], byte[]> standard;
    private final @Nullable SuperColumnFamily<byte[], byte[], byte[], byte[]> supers;
    private final RoutedWriter writer;

    Writer(Colonnade client, OutputFamily target, TaskAttemptContext context) {
      this.client = client;
      this.target = target;
      this.context = context;
      this.timestampMicros = ConfigHelper.timestamp(context.getConfiguration());
      CallOptions options = Clients.calls(context.getConfiguration());
      if (timestampMicros.isPresent()) {
        options = options.withTimestamp(timestampMicros.getAsLong());
      }
      Keyspace keyspace = client.keyspace(target.keyspace()).with(options);
      this.standard =
          target.isSuper()
              ? null
              : keyspace.columnFamily(
                  target.family(), Serializers.BYTES, Serializers.BYTES, Serializers.BYTES);
      this.supers =
          target.isSuper()
              ? keyspace.superColumnFamily(
                  target.family(),
                  Serializers.BYTES,
                  Serializers.BYTES,
                  Serializers.BYTES,
                  Serializers.BYTES)
              : null;
      this.writer = client.routedWriter(keyspace);
    }

    @Override
    public void write(BytesWritable key, CellWritable cell) throws IOException {
      byte[] row = key.copyBytes();
      try {
        target.require(cell);
        if (standard != null) {
          write(standard, row, cell);
        } else if (supers != null) {
          write(supers, row, cell);
        }
      } catch (ColonnadeException e) {
        throw failure(e);
      }
    }

    private void write(Columns<byte[], byte[], byte[]> into, byte[] row, CellWritable cell) {
      Optional<byte[]> name = cell.deletedName();
      if (!cell.isDeletion()) {
        writer.insert(into, row, column(cell));
      } else if (name.isPresent()) {
        writer.remove(into, row, name.get());
      } else {
        writer.remove(into, row);
      }
    }

    private void write(
        SuperColumnFamily<byte[], byte[], byte[], byte[]> into, byte[] row, CellWritable cell) {
      Optional<byte[]> within = cell.superColumn();
      if (!cell.isDeletion()) {
        writer.insert(into, row, new SuperColumn<>(within.orElseThrow(), List.of(column(cell))));
      } else if (within.isEmpty()) {
        writer.remove(into, row);
      } else if (cell.deletedName().isPresent()) {
        write(into.within(within.get()), row, cell);
      } else {
        writer.remove(into, row, within.get());
      }
    }

    @Override
    public void close(TaskAttemptContext taskContext) throws IOException {
      try (client) {
        writer.close();
        context.getCounter(ColumnFamilyCounter.CHANGES_WRITTEN).increment(writer.added());
      } catch (ColonnadeException e) {
        throw failure(e);
      }
    }

    private IOException failure(ColonnadeException e) {
      return new IOException(
          "what the job writes to " + target.qualifiedName() + " is not written: " + e.getMessage(),
          e);
    }
  }

  /** A column to write, as the client has it. */
  static Column<byte[], byte[]> column(CellWritable cell) {
    Column<byte[], byte[]> column = Column.of(cell.name(), cell.value());
    if (cell.timestampMicros().isPresent()) {
      column = column.withTimestamp(cell.timestampMicros().getAsLong());
    }
    return cell.ttlSeconds().isPresent()
        ? column.withTtl(Duration.ofSeconds(cell.ttlSeconds().getAsInt()))
        : column;
  }
}
