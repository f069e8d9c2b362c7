package dev.colonnade.connectors.hadoop;

import dev.colonnade.client.BulkLoadOptions;
import dev.colonnade.client.BulkLoadResult;
import dev.colonnade.client.BulkLoader;
import dev.colonnade.client.Colonnade;
import dev.colonnade.client.ColonnadeException;
import dev.colonnade.client.Column;
import java.io.IOException;
import java.io.UncheckedIOException;
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

/**
 * Loads columns into one family in bulk: each task sorts what it gets by token on its own disk, and
 * sends each range of the ring to all nodes that hold it, straight into their data files. It costs
 * the nodes a fraction of writes, and suits jobs that load much.
 *
 * <p>A task loads at its end. One that is made again loads the same once more, which changes
 * nothing: all attempts have the timestamp of the job. What a task has loaded stays when it fails.
 * The level is that of writes. Deletions cannot be loaded.
 */
public final class BulkOutputFormat extends OutputFormat<BytesWritable, CellWritable> {

  private static final System.Logger LOGGER = System.getLogger(BulkOutputFormat.class.getName());

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
      OutputFamily target = OutputFamily.of(client, conf);
      BulkLoadOptions options =
          BulkLoadOptions.defaults()
              .withConsistency(Clients.calls(conf).writeConsistency())
              // Hadoop kills a task that is silent for long.
              .withProgress(news -> context.progress());
      Optional<java.nio.file.Path> directory = ConfigHelper.bulkDirectory(conf);
      if (directory.isPresent()) {
        options = options.withDirectory(directory.get());
      }
      OptionalLong memory = ConfigHelper.bulkMemory(conf);
      if (memory.isPresent()) {
        options = options.withMemoryBytes(memory.getAsLong());
      }
      return new Writer(
          client, target, client.bulkLoader(target.keyspace(), target.family(), options), context);
    } catch (ColonnadeException | UncheckedIOException e) {
      client.close();
      throw new IOException("a bulk load cannot begin: " + e.getMessage(), e);
    } catch (IOException | RuntimeException e) {
      client.close();
      throw e;
    }
  }

  /** What is loaded is loaded: there is nothing to commit. */
  @Override
  public OutputCommitter getOutputCommitter(TaskAttemptContext context) {
    return new NullOutputFormat<BytesWritable, CellWritable>().getOutputCommitter(context);
  }

  private static final class Writer extends RecordWriter<BytesWritable, CellWritable> {

    private final Colonnade client;
    private final OutputFamily target;
    private final BulkLoader loader;
    private final TaskAttemptContext context;
    private final OptionalLong timestampMicros;
    private boolean failed;

    Writer(Colonnade client, OutputFamily target, BulkLoader loader, TaskAttemptContext context) {
      this.client = client;
      this.target = target;
      this.loader = loader;
      this.context = context;
      this.timestampMicros = ConfigHelper.timestamp(context.getConfiguration());
    }

    @Override
    public void write(BytesWritable key, CellWritable cell) throws IOException {
      // Hadoop closes the writer of a task that has failed as well.
      boolean ends = false;
      try {
        if (cell.isDeletion()) {
          throw new IllegalArgumentException(
              "a deletion cannot be loaded in bulk; write it with ColumnFamilyOutputFormat");
        }
        target.require(cell);
        Column<byte[], byte[]> column = ColumnFamilyOutputFormat.column(cell);
        if (column.timestampMicros().isEmpty() && timestampMicros.isPresent()) {
          column = column.withTimestamp(timestampMicros.getAsLong());
        }
        byte[] row = key.copyBytes();
        Optional<byte[]> within = cell.superColumn();
        if (within.isPresent()) {
          loader.add(row, within.get(), column);
        } else {
          loader.add(row, column);
        }
        ends = true;
      } catch (UncheckedIOException e) {
        throw new IOException(e.getMessage(), e);
      } finally {
        failed |= !ends;
      }
    }

    @Override
    public void close(TaskAttemptContext taskContext) throws IOException {
      try (client;
          loader) {
        if (failed || loader.added() == 0) {
          return;
        }
        BulkLoadResult result = loader.load();
        context.getCounter(ColumnFamilyCounter.COLUMNS_LOADED).increment(result.columns());
        context
            .getCounter(ColumnFamilyCounter.PARTS_MISSING_AT_A_REPLICA)
            .increment(result.missing().size());
        result
            .missing()
            .forEach(
                part ->
                    LOGGER.log(
                        System.Logger.Level.WARNING,
                        "a replica lacks a part, which a repair of the family brings: {0}",
                        part));
      } catch (ColonnadeException | UncheckedIOException e) {
        throw new IOException(
            "what the job made is not loaded into "
                + target.qualifiedName()
                + ": "
                + e.getMessage(),
            e);
      }
    }
  }
}
