package dev.colonnade.it;

import static org.junit.jupiter.api.Assertions.assertEquals;

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
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A server under load is killed without warning at a random moment, started on the same data and
 * asked for everything that it had acknowledged, again and again. Small segments and memtables make
 * rotation, flush and compaction happen all the time. {@code -Dcolonnade.kill.rounds=200} kills
 * each mode more often, {@code -Dcolonnade.kill.seed=N} repeats the moments of a run.
 */
final class KillIT {

  private static final int ROUNDS = Integer.getInteger("colonnade.kill.rounds", 8);
  private static final long SEED = Long.getLong("colonnade.kill.seed", System.nanoTime());
  private static final int WRITERS = 4;
  private static final int ROWS_PER_WRITER = 16;
  private static final int MOST_ACKNOWLEDGEMENTS = 800;
  private static final long PATIENCE_SECONDS = 60;
  private static final String KEYSPACE = "Kill";
  private static final String FAMILY = "Rows";
  private static final String STORAGE_CONF =
      """
      <Storage>
        <Keyspaces>
          <Keyspace Name="Kill">
            <ColumnFamily Name="Rows" CompareWith="BytesType"/>
          </Keyspace>
        </Keyspaces>
        <CommitLogRotationThresholdInMB>1</CommitLogRotationThresholdInMB>
        <MemtableThroughputInMB>1</MemtableThroughputInMB>
        <MemtableOperationsInMillions>0.001</MemtableOperationsInMillions>
      </Storage>
      """;

  @TempDir static Path shared;

  private static Path classes;

  @TempDir Path folder;

  /**
   * Most of a round is the start of a JVM: one that finds its classes loaded takes half as long.
   */
  @BeforeAll
  static void loadClassesOnce() throws IOException {
    classes = shared.resolve("classes.jsa");
    LocalNode.process(
            LocalNode.Settings.in(shared.resolve("data"))
                .withJvmArguments(quickStart("-XX:ArchiveClassesAtExit=" + classes)))
        .close();
  }

  private static String[] quickStart(String archive) {
    return new String[] {"-Xmx256m", "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", archive};
  }

  @ParameterizedTest
  @ValueSource(strings = {"batch", "periodic"})
  void nothingAcknowledgedIsLost(String commitLogSync) throws Exception {
    System.out.println("kill -9, " + commitLogSync + ": -Dcolonnade.kill.seed=" + SEED);
    Random random = new Random(SEED);
    List<List<ExpectedRow>> rows = expectedRows();
    Path conf = Files.writeString(folder.resolve("storage-conf.xml"), STORAGE_CONF);
    LocalNode node =
        LocalNode.process(
            LocalNode.Settings.in(folder.resolve("data"))
                .withStorageConf(conf)
                .withCommitLogSync(commitLogSync)
                .withJvmArguments(quickStart("-XX:SharedArchiveFile=" + classes)));
    int acknowledged = 0;
    try {
      for (int round = 0; round < ROUNDS; round++) {
        acknowledged +=
            writeUntilKilled(node, rows, 1 + random.nextInt(MOST_ACKNOWLEDGEMENTS), random);
        node = node.again();
        verify(node, rows, "round " + round + " of " + commitLogSync + ", seed " + SEED);
      }
    } finally {
      node.kill();
    }
    System.out.println("kill -9, " + commitLogSync + ": " + acknowledged + " writes, none lost");
  }

  private static List<List<ExpectedRow>> expectedRows() {
    List<List<ExpectedRow>> rows = new ArrayList<>();
    for (int writer = 0; writer < WRITERS; writer++) {
      List<ExpectedRow> own = new ArrayList<>();
      for (int row = 0; row < ROWS_PER_WRITER; row++) {
        int number = writer * ROWS_PER_WRITER + row;
        own.add(new ExpectedRow(ByteString.copyFromUtf8("row" + number), number));
      }
      rows.add(own);
    }
    return rows;
  }

  /** Returns how many writes were acknowledged before the kill. */
  private static int writeUntilKilled(
      LocalNode node, List<List<ExpectedRow>> rows, int killAt, Random random) throws Exception {
    AtomicInteger acknowledged = new AtomicInteger();
    CountDownLatch due = new CountDownLatch(1);
    List<Writer> writers = new ArrayList<>();
    for (List<ExpectedRow> own : rows) {
      Writer writer = new Writer(node, own, random.nextLong(), acknowledged, killAt, due);
      writers.add(writer);
      writer.start();
    }
    boolean reached = due.await(PATIENCE_SECONDS, TimeUnit.SECONDS);
    node.kill();
    for (Writer writer : writers) {
      writer.join(TimeUnit.SECONDS.toMillis(PATIENCE_SECONDS));
    }
    for (Writer writer : writers) {
      if (writer.failedEarly != null) {
        throw new AssertionError("a write failed before the kill", writer.failedEarly);
      }
    }
    assertEquals(true, reached, "not " + killAt + " writes within " + PATIENCE_SECONDS + " s");
    return acknowledged.get();
  }

  private static void verify(LocalNode node, List<List<ExpectedRow>> rows, String when) {
    for (List<ExpectedRow> own : rows) {
      for (ExpectedRow row : own) {
        try {
          row.verify(read(node, row));
        } catch (AssertionError | StatusRuntimeException e) {
          throw new AssertionError(when + ": " + e.getMessage(), e);
        }
      }
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

  /** Writes its own rows, one call after the other, until the server is gone. */
  private static final class Writer extends Thread {

    private final ColumnStoreServiceGrpc.ColumnStoreServiceBlockingStub stub;
    private final List<ExpectedRow> rows;
    private final Random random;
    private final AtomicInteger acknowledged;
    private final int killAt;
    private final CountDownLatch due;
    private volatile @Nullable Throwable failedEarly;

    Writer(
        LocalNode node,
        List<ExpectedRow> rows,
        long seed,
        AtomicInteger acknowledged,
        int killAt,
        CountDownLatch due) {
      this.stub = node.data();
      this.rows = rows;
      this.random = new Random(seed);
      this.acknowledged = acknowledged;
      this.killAt = killAt;
      this.due = due;
    }

    @Override
    public void run() {
      try {
        while (true) {
          ExpectedRow row = rows.get(random.nextInt(rows.size()));
          long version = row.begin();
          write(row, version);
          row.acknowledge(version);
          if (acknowledged.incrementAndGet() == killAt) {
            due.countDown();
          }
        }
      } catch (StatusRuntimeException e) {
        if (acknowledged.get() < killAt) {
          failedEarly = e;
          due.countDown();
        }
      }
    }

    private void write(ExpectedRow row, long version) {
      if (ExpectedRow.isDeletion(version)) {
        stub.remove(
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
      stub.batchMutate(
          BatchMutateRequest.newBuilder().setKeyspace(KEYSPACE).addRows(mutation).build());
    }
  }
}
