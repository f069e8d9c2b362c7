package dev.colonnade.connectors.spark;

import dev.colonnade.client.BulkLoadOptions;
import dev.colonnade.client.BulkLoadResult;
import dev.colonnade.client.BulkLoader;
import dev.colonnade.client.Colonnade;
import dev.colonnade.client.ColonnadeException;
import dev.colonnade.client.Column;
import dev.colonnade.client.Columns;
import dev.colonnade.client.Consistency;
import dev.colonnade.client.Keyspace;
import dev.colonnade.client.RoutedWriter;
import dev.colonnade.client.SuperColumn;
import dev.colonnade.client.SuperColumnFamily;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.connector.write.DataWriter;
import org.apache.spark.sql.connector.write.WriterCommitMessage;
import org.jspecify.annotations.Nullable;

/** Writes the rows of one attempt of a task. For one thread. */
final class FamilyWriter implements DataWriter<InternalRow> {

  private static final System.Logger LOGGER = System.getLogger(FamilyWriter.class.getName());

  private final WritePlan plan;
  private final long timestampMicros;
  private final Colonnade client;
  private final Target target;

  /** How columns get into the family. */
  private interface Target {
    void add(WritePlan.Written row);

    /** Waits until all that was added is there. */
    void finish();

    /** Lets go of what {@link #finish} has not written. */
    void release();
  }

  private FamilyWriter(WritePlan plan, long timestampMicros, Colonnade client, Target target) {
    this.plan = plan;
    this.timestampMicros = timestampMicros;
    this.client = client;
    this.target = target;
  }

  /**
   * Connects.
   *
   * @param timestampMicros of all columns that do not bring their own
   */
  static FamilyWriter of(WritePlan plan, long timestampMicros) {
    Colonnade client = plan.settings().connect(List.of());
    try {
      Target target = plan.settings().isBulk() ? new Bulk(client, plan) : new Append(client, plan);
      return new FamilyWriter(plan, timestampMicros, client, target);
    } catch (RuntimeException e) {
      client.close();
      throw e;
    }
  }

  @Override
  public void write(InternalRow row) throws IOException {
    WritePlan.Written written = plan.written(row, timestampMicros);
    if (written.columns().isEmpty()) {
      return;
    }
    try {
      target.add(written);
    } catch (ColonnadeException | UncheckedIOException e) {
      throw failure(e);
    }
  }

  @Override
  public WriterCommitMessage commit() throws IOException {
    try {
      target.finish();
    } catch (ColonnadeException | UncheckedIOException e) {
      throw failure(e);
    }
    return new FamilyWrite.Done();
  }

  /** What was sent stays: the next attempt writes the same. */
  @Override
  public void abort() {}

  @Override
  public void close() {
    try (client) {
      target.release();
    }
  }

  private IOException failure(RuntimeException e) {
    return new IOException(
        "what the task writes to "
            + plan.settings().qualifiedName()
            + " is not written, or a part of it: "
            + e.getMessage(),
        e);
  }

  /** Batches to nodes that hold the rows, several without an answer at a time. */
  private static final class Append implements Target {
    private final RoutedWriter writer;
    private final @Nullable SuperColumnFamily<byte[], byte[], byte[], byte[]> supers;
    private final Columns<byte[], byte[], byte[]> columns;

    Append(Colonnade client, WritePlan plan) {
      Settings settings = plan.settings();
      Keyspace keyspace =
          client.keyspace(settings.keyspace()).with(settings.builder().options().calls());
      supers = plan.types().isSuper() ? FamilyRows.supers(keyspace, settings.family()) : null;
      columns = FamilyRows.columns(keyspace, settings, plan.types());
      writer = client.routedWriter(keyspace);
    }

    @Override
    public void add(WritePlan.Written row) {
      byte[] superColumn = row.superColumn();
      if (supers != null && superColumn != null) {
        writer.insert(supers, row.key(), new SuperColumn<>(superColumn, row.columns()));
      } else {
        writer.insertAll(columns, row.key(), row.columns());
      }
    }

    @Override
    public void finish() {
      writer.close();
    }

    /** An attempt that failed sends the rest, which does no harm, so that no call is left open. */
    @Override
    public void release() {
      try {
        writer.close();
      } catch (ColonnadeException e) {
        LOGGER.log(
            System.Logger.Level.DEBUG, "the rest of an attempt that failed was not written", e);
      }
    }
  }

  /** Sorted on this machine, and then straight into the data files of all replicas. */
  private static final class Bulk implements Target {
    private final BulkLoader loader;
    private final Optional<byte[]> meant;

    Bulk(Colonnade client, WritePlan plan) {
      Settings settings = plan.settings();
      Consistency level = settings.builder().options().calls().writeConsistency();
      BulkLoadOptions options = BulkLoadOptions.defaults().withConsistency(level);
      if (settings.bulkDirectory().isPresent()) {
        options = options.withDirectory(Path.of(settings.bulkDirectory().get()));
      }
      if (settings.bulkMemory().isPresent()) {
        options = options.withMemoryBytes(settings.bulkMemory().getAsLong());
      }
      meant = plan.types().meant(settings);
      loader = client.bulkLoader(settings.keyspace(), settings.family(), options);
    }

    @Override
    public void add(WritePlan.Written row) {
      byte[] superColumn = row.superColumn() == null ? meant.orElse(null) : row.superColumn();
      for (Column<byte[], byte[]> each : row.columns()) {
        if (superColumn == null) {
          loader.add(row.key(), each);
        } else {
          loader.add(row.key(), superColumn, each);
        }
      }
    }

    @Override
    public void finish() {
      if (loader.added() == 0) {
        return;
      }
      BulkLoadResult result = loader.load();
      for (BulkLoadResult.MissingPart part : result.missing()) {
        LOGGER.log(
            System.Logger.Level.WARNING,
            "a replica lacks a part, which a repair of the family brings: {0}",
            part);
      }
    }

    @Override
    public void release() {
      loader.close();
    }
  }
}
