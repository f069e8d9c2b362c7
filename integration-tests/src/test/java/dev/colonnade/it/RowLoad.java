package dev.colonnade.it;

import com.google.protobuf.ByteString;
import dev.colonnade.v1.BatchMutateRequest;
import dev.colonnade.v1.Column;
import dev.colonnade.v1.ColumnOrSuperColumn;
import dev.colonnade.v1.ColumnParent;
import dev.colonnade.v1.ColumnPath;
import dev.colonnade.v1.ColumnStoreServiceGrpc;
import dev.colonnade.v1.GetSliceRequest;
import dev.colonnade.v1.Mutation;
import dev.colonnade.v1.RemoveRequest;
import dev.colonnade.v1.RowMutation;
import dev.colonnade.v1.SlicePredicate;
import dev.colonnade.v1.SliceRange;
import io.grpc.StatusRuntimeException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Clients that write whole rows to one node, each its own rows, one call after the other, and that
 * know what each row may look like after any failure of the node. Small segments and memtables make
 * rotation, flush and merge happen all the time.
 */
public final class RowLoad {

  /** The keyspace of the rows. */
  public static final String KEYSPACE = "Load";

  /**
   * The options of the node: small segments and memtables make rotation, flush and merge happen all
   * the time.
   */
  public static final String STORAGE_CONF = storageConf(1);

  /** With these options only the period syncs the log. */
  public static final String ROOMY_STORAGE_CONF = storageConf(64);

  private static final String FAMILY = "Rows";
  private static final int WRITERS = 4;
  private static final int ROWS_PER_WRITER = 16;
  private static final long PATIENCE_SECONDS = 60;
  private static final long PAUSE_AFTER_REFUSAL_NANOS = TimeUnit.MILLISECONDS.toNanos(5);

  /**
   * The result of reading all rows.
   *
   * @param violations of promises, as text; empty if there are none
   * @param lost how many acknowledged writes are lost that were allowed to be
   * @param lostSinceNanoTime when the first of these was acknowledged; meaningless without any
   */
  public record Found(List<String> violations, int lost, long lostSinceNanoTime) {}

  private final List<List<ExpectedRow>> rows = new ArrayList<>();

  private static String storageConf(int megabytes) {
    return """
    <Storage>
      <Keyspaces>
        <Keyspace Name="Load">
          <ColumnFamily Name="Rows" CompareWith="BytesType"/>
        </Keyspace>
      </Keyspaces>
      <CommitLogRotationThresholdInMB>%1$d</CommitLogRotationThresholdInMB>
      <MemtableThroughputInMB>%1$d</MemtableThroughputInMB>
      <MemtableOperationsInMillions>0.%2$03d</MemtableOperationsInMillions>
    </Storage>
    """
        .formatted(megabytes, megabytes);
  }

  /** A load of rows that are not there yet. */
  public RowLoad() {
    for (int writer = 0; writer < WRITERS; writer++) {
      List<ExpectedRow> own = new ArrayList<>();
      for (int row = 0; row < ROWS_PER_WRITER; row++) {
        int number = writer * ROWS_PER_WRITER + row;
        own.add(new ExpectedRow(ByteString.copyFromUtf8("row" + number), number));
      }
      rows.add(own);
    }
  }

  /**
   * Starts to write.
   *
   * @param refused whether a failure says that nothing was written, so that a writer may continue;
   *     any other failure ends it
   */
  public Running start(LocalNode node, long seed, Predicate<StatusRuntimeException> refused) {
    Random random = new Random(seed);
    List<Writer> writers = new ArrayList<>();
    for (List<ExpectedRow> own : rows) {
      writers.add(new Writer(node, own, random.nextLong(), refused));
    }
    writers.forEach(Thread::start);
    return new Running(writers);
  }

  /** After a power cut: writes acknowledged at this time or later may be lost. */
  public void mayHaveLostSince(long nanoTime) {
    rows.forEach(own -> own.forEach(row -> row.mayHaveLostSince(nanoTime)));
  }

  /** Reads all rows while nothing writes, and takes the result for the state from now on. */
  public Found verify(LocalNode node) {
    List<String> violations = new ArrayList<>();
    ExpectedRow.Loss loss = ExpectedRow.Loss.NONE;
    for (List<ExpectedRow> own : rows) {
      for (ExpectedRow row : own) {
        try {
          loss = loss.and(row.verify(read(node, row)));
        } catch (AssertionError | StatusRuntimeException e) {
          violations.add(String.valueOf(e.getMessage()));
        }
      }
    }
    return new Found(violations, loss.writes(), loss.sinceNanoTime());
  }

  /**
   * Reads one row while others write.
   *
   * @throws AssertionError when it is half of one write
   */
  public void readAny(LocalNode node, Random random) {
    List<ExpectedRow> own = rows.get(random.nextInt(rows.size()));
    ExpectedRow row = own.get(random.nextInt(own.size()));
    List<ColumnOrSuperColumn> found = read(node, row);
    if (!found.isEmpty()) {
      row.wholeVersion(found);
    }
  }

  private static List<ColumnOrSuperColumn> read(LocalNode node, ExpectedRow row) {
    return node.data()
        .withDeadlineAfter(PATIENCE_SECONDS, TimeUnit.SECONDS)
        .getSlice(
            GetSliceRequest.newBuilder()
                .setKeyspace(KEYSPACE)
                .setKey(row.key())
                .setColumnParent(ColumnParent.newBuilder().setColumnFamily(FAMILY))
                .setPredicate(
                    SlicePredicate.newBuilder().setSliceRange(SliceRange.getDefaultInstance()))
                .build())
        .getColumnsList();
  }

  /** The clients while they write. */
  public static final class Running {
    private final List<Writer> writers;

    private Running(List<Writer> writers) {
      this.writers = writers;
    }

    /** How many writes were acknowledged. */
    public long acknowledged() {
      return writers.stream().mapToLong(writer -> writer.acknowledged.get()).sum();
    }

    /** How many writes were refused. */
    public long refused() {
      return writers.stream().mapToLong(writer -> writer.refused.get()).sum();
    }

    /**
     * Returns when a number of writes were acknowledged.
     *
     * @throws AssertionError when a writer failed before, or it takes too long
     */
    public void awaitAcknowledged(long count) {
      Await.until(
          () -> acknowledged() >= count || failure() != null,
          Duration.ofSeconds(PATIENCE_SECONDS),
          () -> "only " + acknowledged() + " of " + count + " writes were acknowledged");
      StatusRuntimeException failure = failure();
      if (failure != null && acknowledged() < count) {
        throw new AssertionError("a write failed: " + failure.getMessage(), failure);
      }
    }

    /** The first failure that ended a writer; null if none did. */
    public @Nullable StatusRuntimeException failure() {
      for (Writer writer : writers) {
        if (writer.failure != null) {
          return writer.failure;
        }
      }
      return null;
    }

    /** Returns when no writer writes any more; each ends its call first. */
    public void end() throws InterruptedException {
      writers.forEach(writer -> writer.ending = true);
      for (Writer writer : writers) {
        writer.join(TimeUnit.SECONDS.toMillis(PATIENCE_SECONDS));
        if (writer.isAlive()) {
          throw new AssertionError("a write has no answer after " + PATIENCE_SECONDS + " s");
        }
      }
    }
  }

  private static final class Writer extends Thread {

    private final ColumnStoreServiceGrpc.ColumnStoreServiceBlockingStub stub;
    private final List<ExpectedRow> rows;
    private final Random random;
    private final Predicate<StatusRuntimeException> goesOn;
    private final AtomicLong acknowledged = new AtomicLong();
    private final AtomicLong refused = new AtomicLong();
    private volatile boolean ending;
    private volatile @Nullable StatusRuntimeException failure;

    Writer(
        LocalNode node,
        List<ExpectedRow> rows,
        long seed,
        Predicate<StatusRuntimeException> goesOn) {
      super("row-writer");
      setDaemon(true);
      this.stub = node.data();
      this.rows = rows;
      this.random = new Random(seed);
      this.goesOn = goesOn;
    }

    @Override
    public void run() {
      while (!ending) {
        ExpectedRow row = rows.get(random.nextInt(rows.size()));
        long version = row.begin();
        try {
          write(row, version);
          row.acknowledge(version);
          acknowledged.incrementAndGet();
        } catch (StatusRuntimeException e) {
          if (!goesOn.test(e)) {
            failure = e;
            return;
          }
          row.refuse(version);
          refused.incrementAndGet();
          LockSupport.parkNanos(PAUSE_AFTER_REFUSAL_NANOS);
        }
      }
    }

    private void write(ExpectedRow row, long version) {
      ColumnStoreServiceGrpc.ColumnStoreServiceBlockingStub call =
          stub.withDeadlineAfter(PATIENCE_SECONDS / 2, TimeUnit.SECONDS);
      if (ExpectedRow.isDeletion(version)) {
        call.remove(
            RemoveRequest.newBuilder()
                .setKeyspace(KEYSPACE)
                .setKey(row.key())
                .setColumnPath(ColumnPath.newBuilder().setColumnFamily(FAMILY))
                .setTimestamp(version)
                .build());
        return;
      }
      RowMutation.Builder mutation =
          RowMutation.newBuilder().setKey(row.key()).setColumnFamily(FAMILY);
      for (Column column : row.columns(version)) {
        mutation.addMutations(
            Mutation.newBuilder()
                .setColumnOrSuperColumn(ColumnOrSuperColumn.newBuilder().setColumn(column)));
      }
      call.batchMutate(
          BatchMutateRequest.newBuilder().setKeyspace(KEYSPACE).addRows(mutation).build());
    }
  }
}
