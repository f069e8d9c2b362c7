package dev.colonnade.cli.shell.run;

import dev.colonnade.cli.shell.copy.BadRecordException;
import dev.colonnade.cli.shell.copy.ColumnRecord;
import dev.colonnade.cli.shell.copy.RecordFormat;
import dev.colonnade.cli.shell.copy.RecordReader;
import dev.colonnade.client.Batch;
import dev.colonnade.client.BulkWriter;
import dev.colonnade.client.Columns;
import dev.colonnade.client.InvalidRequestException;
import dev.colonnade.client.Keyspace;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Writes the records of a file into a family, many in a batch and many batches on their way. A
 * record that cannot be written goes into another file, and the next is read. When a call fails, it
 * says how many records, counted from the beginning of the file, have been dealt with for certain.
 */
final class FamilyImport {

  /** A compromise between round trips and what a node holds at once. */
  private static final int BATCH_RECORDS = 100;

  private static final int BATCH_BYTES = 256 << 10;

  /** Of batches without an answer; the writer has its own bound below it. */
  private static final int MOST_UNDER_WAY = 128;

  /**
   * A record as it was read, and what it adds to a batch.
   *
   * @param line where it begins
   */
  private record Change(long line, String raw, Consumer<Batch> into) {}

  private record UnderWay(
      List<Change> records, long readSoFar, CompletableFuture<@Nullable Void> end) {}

  private final Session session;
  private final Family family;
  private final Keyspace keyspace;
  private final RecordFormat format;
  private final long startedNanos = System.nanoTime();
  private final Deque<UnderWay> underWay = new ArrayDeque<>();

  /** Records that were read, and of these the first ones, that have been dealt with. */
  private long read;

  private long settled;
  private long written;

  FamilyImport(Session session, Family family, Keyspace keyspace, RecordFormat format) {
    this.session = session;
    this.family = family;
    this.keyspace = keyspace;
    this.format = format;
  }

  /**
   * Runs it.
   *
   * @param skip how many records of the file to pass over
   * @param badFile takes the records that cannot be written, if there are any
   */
  void run(Path file, long skip, Path badFile) throws IOException, StatementFailure {
    try (InputStream bytes = Files.newInputStream(file)) {
      run(bytes, skip, badFile);
    }
    session
        .output()
        .done(
            "Copied "
                + Sizes.counted(written, "column")
                + " from "
                + file
                + ", "
                + CopyStatement.rate(written, startedNanos)
                + ".");
  }

  void run(InputStream bytes, long skip, Path badFile) throws IOException, StatementFailure {
    try (RecordReader records = format.reader(bytes, family.isSuper());
        BadRecords bad = new BadRecords(badFile, records.heading(), skip > 0)) {
      try {
        copy(records, skip, bad);
      } catch (IOException | RuntimeException e) {
        tellSettled();
        throw e;
      }
      bad.complain(read - skip);
    }
  }

  private void tellSettled() {
    if (settled > 0) {
      session
          .output()
          .note(
              "The first "
                  + Sizes.counted(settled, "record")
                  + " have been copied; add `with skip = "
                  + settled
                  + "` to go on after them.");
    }
  }

  private void copy(RecordReader records, long skip, BadRecords bad) throws IOException {
    BulkWriter writer = keyspace.bulkWriter();
    try {
      List<Change> batch = new ArrayList<>();
      int bytes = 0;
      boolean more = true;
      while (more) {
        try {
          Optional<ColumnRecord> record = records.next();
          more = record.isPresent();
          if (more && ++read > skip) {
            batch.add(record(records, record.get()));
            bytes += records.raw().length();
          }
        } catch (BadRecordException e) {
          read++;
          if (read > skip) {
            bad.add(records.line(), records.raw(), String.valueOf(e.getMessage()));
          }
        } catch (StatementFailure e) {
          bad.add(records.line(), records.raw(), String.valueOf(e.getMessage()));
        }
        if (!batch.isEmpty() && (!more || batch.size() == BATCH_RECORDS || bytes > BATCH_BYTES)) {
          send(writer, batch, bad);
          batch = new ArrayList<>();
          bytes = 0;
        }
      }
      settle(0, bad);
    } catch (IOException e) {
      // The file has failed, not the node: what is under way can still be told of.
      settleAfter(e, bad);
      throw e;
    } finally {
      end(writer);
    }
  }

  private void settleAfter(IOException failure, BadRecords bad) {
    try {
      settle(0, bad);
    } catch (IOException | RuntimeException e) {
      failure.addSuppressed(e);
    }
  }

  /** What has failed was told of by the futures. */
  private static void end(BulkWriter writer) {
    try {
      writer.close();
    } catch (dev.colonnade.client.ColonnadeException e) {
      return;
    }
  }

  private Change record(RecordReader at, ColumnRecord record) throws StatementFailure {
    RecordBytes bytes = RecordBytes.of(family, record);
    byte[] superColumn = bytes.superColumn();
    Columns<byte[], byte[], byte[]> into =
        superColumn == null
            ? Level.standard(family, keyspace)
            : Level.superFamily(family, keyspace).within(superColumn);
    return new Change(
        at.line(),
        at.raw(),
        batch -> {
          Batch unused = batch.insert(into, bytes.key(), bytes.column());
        });
  }

  private void send(BulkWriter writer, List<Change> records, BadRecords bad) throws IOException {
    settle(MOST_UNDER_WAY - 1, bad);
    underWay.add(new UnderWay(records, read, writer.write(batch(records))));
    session
        .output()
        .steps(
            "Copied " + Sizes.counted(written, "column"),
            0,
            0,
            CopyStatement.rate(written, startedNanos));
  }

  private Batch batch(List<Change> records) {
    Batch batch = keyspace.batch();
    for (Change each : records) {
      each.into().accept(batch);
    }
    return batch;
  }

  /** Waits for the oldest batches until no more than so many are under way. */
  private void settle(int most, BadRecords bad) throws IOException {
    while (!underWay.isEmpty() && (underWay.size() > most || underWay.peek().end().isDone())) {
      UnderWay oldest = underWay.remove();
      try {
        await(oldest.end());
        written += oldest.records().size();
      } catch (InvalidRequestException e) {
        one(oldest.records(), bad);
      }
      settled = oldest.readSoFar();
    }
  }

  /** Finds the records for which a batch was refused. */
  private void one(List<Change> records, BadRecords bad) throws IOException {
    for (Change each : records) {
      try {
        batch(List.of(each)).apply();
        written++;
      } catch (InvalidRequestException e) {
        bad.add(each.line(), each.raw(), String.valueOf(e.getMessage()));
      }
    }
  }

  private static void await(CompletableFuture<@Nullable Void> end) {
    try {
      @Nullable Void unused = end.get();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      CancellationException cancelled = new CancellationException("the thread was interrupted");
      cancelled.initCause(e);
      throw cancelled;
    } catch (ExecutionException e) {
      if (e.getCause() instanceof RuntimeException failure) {
        throw failure;
      }
      throw new CompletionException(e.getCause());
    }
  }
}
