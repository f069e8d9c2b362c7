package dev.colonnade.client;

import dev.colonnade.admin.v1.BulkLoadServiceGrpc;
import dev.colonnade.admin.v1.DescribeLoadRequest;
import dev.colonnade.admin.v1.DescribeLoadResponse;
import dev.colonnade.admin.v1.LoadChunk;
import dev.colonnade.admin.v1.LoadCommitted;
import dev.colonnade.admin.v1.LoadHeader;
import dev.colonnade.admin.v1.LoadProgress;
import dev.colonnade.admin.v1.LoadRow;
import dev.colonnade.admin.v1.LoadRowsChunk;
import dev.colonnade.admin.v1.LoadRowsRequest;
import dev.colonnade.admin.v1.LoadRowsResponse;
import dev.colonnade.admin.v1.ScheduleRepairRequest;
import dev.colonnade.admin.v1.ScheduleRepairResponse;
import dev.colonnade.v1.Column;
import dev.colonnade.v1.RequestStats;
import io.grpc.StatusRuntimeException;
import io.grpc.stub.StreamObserver;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/** Takes loads as a node does, and checks what a node would check. */
final class FakeLoads extends BulkLoadServiceGrpc.BulkLoadServiceImplBase {

  /** Names and values of committed rows, by key; later loads add to earlier ones. */
  final Map<String, String> rows = new TreeMap<>();

  /** The headers of loads that were committed. */
  final List<LoadHeader> committed = new ArrayList<>();

  /** The repairs that were asked for. */
  final List<ScheduleRepairRequest> repairs = new ArrayList<>();

  /** Whether another repair is remembered. */
  volatile boolean remembersRepairs = true;

  /** Why loads fail at their commit; null: they do not. */
  volatile @Nullable StatusRuntimeException failure;

  /** What is said of each load whose header asks for it. */
  volatile RequestStats stats = RequestStats.getDefaultInstance();

  /** How many commits succeed before {@link #failure} has effect. */
  final AtomicInteger succeeding = new AtomicInteger();

  @Override
  public void describeLoad(
      DescribeLoadRequest request, StreamObserver<DescribeLoadResponse> answer) {
    answer.onNext(
        DescribeLoadResponse.newBuilder()
            .setFamilyId("f")
            .setTruncation(7)
            .setSchemaVersion("s")
            .setMaxChunkBytes(4_096)
            .build());
    answer.onCompleted();
  }

  @Override
  public StreamObserver<LoadRowsRequest> loadRows(StreamObserver<LoadRowsResponse> answer) {
    return new Load(answer);
  }

  @Override
  public void scheduleRepair(
      ScheduleRepairRequest request, StreamObserver<ScheduleRepairResponse> answer) {
    synchronized (this) {
      repairs.add(request);
    }
    answer.onNext(ScheduleRepairResponse.newBuilder().setScheduled(remembersRepairs).build());
    answer.onCompleted();
  }

  private final class Load implements StreamObserver<LoadRowsRequest> {
    private final StreamObserver<LoadRowsResponse> answer;
    private final Map<String, String> taken = new TreeMap<>();
    private LoadHeader header = LoadHeader.getDefaultInstance();
    private byte[] lastToken = {};
    private long chunks;
    private long count;
    private long bytes;

    Load(StreamObserver<LoadRowsResponse> answer) {
      this.answer = answer;
    }

    @Override
    public void onNext(LoadRowsRequest request) {
      switch (request.getPartCase()) {
        case HEADER -> header = request.getHeader();
        case CHUNK -> take(request.getChunk());
        case COMMIT -> {
          if (request.getCommit().getChunks() != chunks || request.getCommit().getRows() != count) {
            throw new AssertionError("another number of chunks or rows");
          }
          commit();
        }
        default -> throw new AssertionError("an empty message");
      }
    }

    private void take(LoadChunk chunk) {
      CRC32C crc = new CRC32C();
      crc.update(chunk.getRows().toByteArray());
      if (chunk.getNumber() != chunks++ || (int) crc.getValue() != chunk.getChecksum()) {
        throw new AssertionError("chunk " + chunk.getNumber());
      }
      try {
        for (LoadRow row : LoadRowsChunk.parseFrom(chunk.getRows()).getRowsList()) {
          take(row);
        }
      } catch (com.google.protobuf.InvalidProtocolBufferException e) {
        throw new AssertionError(e);
      }
      bytes += chunk.getRows().size();
      answer.onNext(
          LoadRowsResponse.newBuilder()
              .setProgress(
                  LoadProgress.newBuilder().setChunks(chunks).setRows(count).setBytes(bytes))
              .build());
    }

    private void take(LoadRow row) {
      TokenBytes tokens = TokenBytes.of("RandomPartitioner");
      byte[] token = tokens == null ? null : tokens.ofKey().apply(row.getKey().toByteArray());
      if (tokens == null || token == null) {
        throw new AssertionError("no tokens");
      }
      if (!row.getContinues()) {
        if (Arrays.compareUnsigned(lastToken, token) >= 0) {
          throw new AssertionError("rows are not in order");
        }
        count++;
      }
      if (!TokenBytes.isIn(
          token,
          tokens.ofText().apply(header.getRanges(0).getStartToken()),
          tokens.ofText().apply(header.getRanges(0).getEndToken()))) {
        throw new AssertionError("a row outside of its range");
      }
      lastToken = token;
      long last = Long.MIN_VALUE;
      StringBuilder shown = new StringBuilder();
      for (Column column : row.getColumnsList()) {
        long name = column.getName().asReadOnlyByteBuffer().getLong();
        if (name <= last && shown.length() > 0) {
          throw new AssertionError("columns are not in order");
        }
        last = name;
        shown.append(name).append('=').append(column.getValue().toStringUtf8()).append(' ');
      }
      taken.merge(row.getKey().toStringUtf8(), shown.toString(), String::concat);
    }

    private void commit() {
      StatusRuntimeException why = failure;
      if (why != null && succeeding.getAndDecrement() <= 0) {
        answer.onError(why);
        return;
      }
      synchronized (FakeLoads.this) {
        rows.putAll(taken);
        committed.add(header);
      }
      LoadCommitted.Builder done = LoadCommitted.newBuilder().setRows(count);
      if (header.getIncludeStats()) {
        done.setStats(stats);
      }
      answer.onNext(LoadRowsResponse.newBuilder().setCommitted(done).build());
      answer.onCompleted();
    }

    @Override
    public void onError(Throwable thrown) {
      // The client gives up.
    }

    @Override
    public void onCompleted() {
      // The commit says it.
    }
  }
}
