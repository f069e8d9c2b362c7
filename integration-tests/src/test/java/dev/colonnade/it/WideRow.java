package dev.colonnade.it;

import com.google.protobuf.ByteString;
import dev.colonnade.v1.BatchMutateRequest;
import dev.colonnade.v1.Column;
import dev.colonnade.v1.ColumnOrSuperColumn;
import dev.colonnade.v1.ColumnStoreServiceGrpc;
import dev.colonnade.v1.MutateOutcome;
import dev.colonnade.v1.Mutation;
import dev.colonnade.v1.RowMutation;
import dev.colonnade.v1.StreamMutateRequest;
import dev.colonnade.v1.StreamMutateResponse;
import dev.colonnade.v1.SuperColumn;
import io.grpc.Channel;
import io.grpc.stub.StreamObserver;
import java.nio.ByteBuffer;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * A row with very many columns: the names are 0, 1, 2 … as eight bytes, so that they sort the same
 * as bytes and as longs.
 *
 * @param superColumn the super column that holds them, or null in a standard family
 */
public record WideRow(
    String keyspace,
    String columnFamily,
    ByteString key,
    @Nullable ByteString superColumn,
    int columns,
    int valueBytes) {

  private static final int COLUMNS_PER_BATCH = 1_000;
  private static final int BATCHES_IN_FLIGHT = 32;
  private static final long PATIENCE_SECONDS = 60;

  /** The name of the n-th column. */
  public static ByteString name(long n) {
    return ByteString.copyFrom(ByteBuffer.allocate(Long.BYTES).putLong(0, n).array());
  }

  /** Writes the row through {@code StreamMutate} and returns when all of it is acknowledged. */
  public void load(Channel channel) throws InterruptedException {
    Answers answers = new Answers();
    StreamObserver<StreamMutateRequest> requests =
        ColumnStoreServiceGrpc.newStub(channel).streamMutate(answers);
    ByteString value = ByteString.copyFrom(new byte[valueBytes]);
    for (int from = 0; from < columns; from += COLUMNS_PER_BATCH) {
      answers.awaitRoom(1);
      requests.onNext(batch(from, Math.min(columns, from + COLUMNS_PER_BATCH), value));
    }
    requests.onCompleted();
    answers.awaitRoom(BATCHES_IN_FLIGHT);
  }

  private StreamMutateRequest batch(int from, int to, ByteString value) {
    RowMutation.Builder row = RowMutation.newBuilder().setKey(key).setColumnFamily(columnFamily);
    SuperColumn.Builder parent = SuperColumn.newBuilder();
    for (int n = from; n < to; n++) {
      Column column = Column.newBuilder().setName(name(n)).setValue(value).setTimestamp(1).build();
      if (superColumn == null) {
        row.addMutations(
            Mutation.newBuilder()
                .setColumnOrSuperColumn(ColumnOrSuperColumn.newBuilder().setColumn(column)));
      } else {
        parent.addColumns(column);
      }
    }
    if (superColumn != null) {
      parent.setName(superColumn);
      row.addMutations(
          Mutation.newBuilder()
              .setColumnOrSuperColumn(ColumnOrSuperColumn.newBuilder().setSuperColumn(parent)));
    }
    return StreamMutateRequest.newBuilder()
        .setSequence(from + 1L)
        .setBatch(BatchMutateRequest.newBuilder().setKeyspace(keyspace).addRows(row))
        .build();
  }

  /** Bounds what is in flight, and keeps failures for the thread that sends. */
  private static final class Answers implements StreamObserver<StreamMutateResponse> {

    private final Semaphore room = new Semaphore(BATCHES_IN_FLIGHT);
    private final AtomicReference<@Nullable String> failure = new AtomicReference<>();

    void awaitRoom(int batches) throws InterruptedException {
      if (!room.tryAcquire(batches, PATIENCE_SECONDS, TimeUnit.SECONDS)) {
        throw new AssertionError("no answer to a batch within " + PATIENCE_SECONDS + " s");
      }
      String message = failure.get();
      if (message != null) {
        throw new AssertionError(message);
      }
    }

    @Override
    public void onNext(StreamMutateResponse response) {
      for (MutateOutcome outcome : response.getOutcomesList()) {
        if (outcome.getCode() != 0) {
          failure.compareAndSet(null, "a batch was refused: " + outcome);
        }
      }
      room.release(response.getOutcomesCount());
    }

    @Override
    public void onError(Throwable t) {
      failure.compareAndSet(null, "the stream of batches broke: " + t);
      room.release(BATCHES_IN_FLIGHT);
    }

    @Override
    public void onCompleted() {}
  }
}
