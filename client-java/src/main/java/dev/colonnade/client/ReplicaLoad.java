package dev.colonnade.client;

import com.google.protobuf.ByteString;
import dev.colonnade.admin.v1.BulkLoadServiceGrpc;
import dev.colonnade.admin.v1.LoadChunk;
import dev.colonnade.admin.v1.LoadCommit;
import dev.colonnade.admin.v1.LoadCommitted;
import dev.colonnade.admin.v1.LoadHeader;
import dev.colonnade.admin.v1.LoadRowsRequest;
import dev.colonnade.admin.v1.LoadRowsResponse;
import io.grpc.Channel;
import io.grpc.Status;
import io.grpc.stub.ClientCallStreamObserver;
import io.grpc.stub.ClientResponseObserver;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Sends one part to one replica. Chunks are read and sent as the connection takes them, on its
 * thread, so that no more than a few of them are in memory.
 */
final class ReplicaLoad implements ClientResponseObserver<LoadRowsRequest, LoadRowsResponse> {

  private final LoadFile.Part part;
  private final LoadFile.Chunks chunks;
  private final LongConsumer written;
  private final CompletableFuture<LoadCommitted> outcome = new CompletableFuture<>();
  private final AtomicLong heardNanos = new AtomicLong(System.nanoTime());
  private @Nullable ClientCallStreamObserver<LoadRowsRequest> requests;
  private @Nullable LoadHeader header;
  private boolean committed;
  private long writtenBytes;

  private ReplicaLoad(
      LoadHeader header, LoadFile.Part part, LoadFile.Chunks chunks, LongConsumer written) {
    this.header = header;
    this.part = part;
    this.chunks = chunks;
    this.written = written;
  }

  /**
   * Begins to send.
   *
   * @param written is told of bytes that the replica has written, or, with a negative number, that
   *     they are void because the load failed
   */
  static ReplicaLoad begin(
      Channel channel,
      LoadHeader header,
      LoadFile.Part part,
      LoadFile.Chunks chunks,
      LongConsumer written) {
    ReplicaLoad load = new ReplicaLoad(header, part, chunks, written);
    var unused = BulkLoadServiceGrpc.newStub(channel).loadRows(load);
    return load;
  }

  /** Completes when the replica has taken the part; fails with {@link ColonnadeException}. */
  CompletableFuture<LoadCommitted> outcome() {
    return outcome;
  }

  /** Ends the load if the replica has said nothing for too long. */
  void checkStall(Duration limit) {
    long silent = System.nanoTime() - heardNanos.get();
    ClientCallStreamObserver<LoadRowsRequest> call = requests;
    if (silent > limit.toNanos() && call != null) {
      call.cancel("the replica has written nothing for " + limit.toSeconds() + " s", null);
    }
  }

  @Override
  public void beforeStart(ClientCallStreamObserver<LoadRowsRequest> call) {
    requests = call;
    call.setOnReadyHandler(this::send);
  }

  /** Ends the load if it is not over. */
  void cancel() {
    ClientCallStreamObserver<LoadRowsRequest> call = requests;
    if (call != null && !outcome.isDone()) {
      call.cancel("the client gives up", null);
    }
  }

  /** The events of one call come one after the other, so that no lock is needed. */
  private void send() {
    ClientCallStreamObserver<LoadRowsRequest> call = requests;
    if (call == null) {
      return;
    }
    try {
      while (call.isReady() && !committed) {
        call.onNext(next());
        if (committed) {
          call.onCompleted();
        }
      }
    } catch (IOException e) {
      call.cancel("the file of sorted rows cannot be read", e);
    }
  }

  private LoadRowsRequest next() throws IOException {
    LoadHeader first = header;
    if (first != null) {
      header = null;
      return LoadRowsRequest.newBuilder().setHeader(first).build();
    }
    LoadFile.Chunk chunk = chunks.next();
    if (chunk == null) {
      committed = true;
      return LoadRowsRequest.newBuilder()
          .setCommit(LoadCommit.newBuilder().setChunks(part.chunks()).setRows(part.rows()))
          .build();
    }
    ByteString rows = chunk.rows();
    return LoadRowsRequest.newBuilder()
        .setChunk(
            LoadChunk.newBuilder()
                .setNumber(chunk.number())
                .setRows(rows)
                .setChecksum(chunk.checksum()))
        .build();
  }

  @Override
  public void onNext(LoadRowsResponse answer) {
    heardNanos.set(System.nanoTime());
    if (answer.hasCommitted()) {
      count(part.bytes());
      outcome.complete(answer.getCommitted());
    } else {
      count(answer.getProgress().getBytes());
    }
  }

  private void count(long bytes) {
    written.accept(bytes - writtenBytes);
    writtenBytes = bytes;
  }

  @Override
  public void onError(Throwable thrown) {
    count(0);
    outcome.completeExceptionally(Errors.translate(thrown, Applied.UNKNOWN));
  }

  @Override
  public void onCompleted() {
    if (!outcome.isDone()) {
      onError(Status.INTERNAL.withDescription("the load ended without a commit").asException());
    }
  }
}
