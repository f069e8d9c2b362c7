package dev.colonnade.server.service.rpc;

import dev.colonnade.admin.v1.LoadChunk;
import dev.colonnade.admin.v1.LoadCommit;
import dev.colonnade.admin.v1.LoadCommitted;
import dev.colonnade.admin.v1.LoadHeader;
import dev.colonnade.admin.v1.LoadProgress;
import dev.colonnade.admin.v1.LoadRowsRequest;
import dev.colonnade.admin.v1.LoadRowsResponse;
import dev.colonnade.server.base.async.SerialLoop;
import dev.colonnade.server.base.async.Then;
import dev.colonnade.server.service.bulkload.BulkLoad;
import dev.colonnade.server.service.consistency.AskedReplicas;
import io.grpc.stub.ServerCallStreamObserver;
import io.grpc.stub.StreamObserver;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Serves one LoadRows call: it passes chunks to a {@link BulkLoad} and tells the client how far it
 * is.
 *
 * <ul>
 *   <li>Two chunks are requested ahead, so that one arrives while the other is written; their
 *       memory is the call's, and released when they are written.
 *   <li>Whatever ends the call before its commit ends the load, and whatever ends the load ends the
 *       call.
 *   <li>Progress is sent when the client can take it; what it has missed is in the next message.
 * </ul>
 *
 * <p>Any thread may wake it; one thread at a time does the work.
 */
final class BulkLoadStream implements StreamObserver<LoadRowsRequest> {

  private static final int MESSAGES_AHEAD = 2;

  /**
   * A load that was opened.
   *
   * @param decoder makes the rows of a chunk
   * @param includeStats whether its client wants to know what it cost
   */
  record Begun(BulkLoad load, Function<LoadChunk, BulkRows> decoder, boolean includeStats) {}

  /** A message that has arrived, with the memory that it holds. */
  private record Come(LoadRowsRequest request, long heldBytes) {}

  /** What came of a chunk or of the commit; a failure, or one of the others. */
  private record Result(
      long heldBytes,
      BulkLoad.@Nullable Progress progress,
      BulkLoad.@Nullable Committed committed,
      @Nullable Throwable failure) {}

  private final ServerCallStreamObserver<LoadRowsResponse> call;
  private final Function<LoadHeader, Begun> opener;
  private final int maxChunkBytes;
  private final Supplier<String> schemaVersion;
  private final RpcContext rpc;
  private final CallMemory memory = CallMemory.current();
  private final CallContext context;

  private final SerialLoop loop = new SerialLoop(this::work, this::fail);
  private final Queue<Come> inbox = new ConcurrentLinkedQueue<>();
  private final Queue<Result> results = new ConcurrentLinkedQueue<>();
  private volatile boolean halfClosed;
  private volatile boolean cancelled;

  // Accessed only by the thread that does the work.
  private @Nullable Begun begun;
  private BulkLoad.@Nullable Progress unsent;
  private boolean commits;
  private int requested;
  private int inFlight;
  private boolean ended;

  private BulkLoadStream(
      ServerCallStreamObserver<LoadRowsResponse> call,
      Function<LoadHeader, Begun> opener,
      int maxChunkBytes,
      Supplier<String> schemaVersion,
      RpcContext rpc) {
    this.call = call;
    this.opener = opener;
    this.maxChunkBytes = maxChunkBytes;
    this.schemaVersion = schemaVersion;
    this.rpc = rpc;
    this.context = rpc.scope();
  }

  /**
   * Starts receiving; must be called on the thread that brought the call, before its method
   * returns.
   *
   * @param opener throws if a load is refused
   */
  static StreamObserver<LoadRowsRequest> start(
      ServerCallStreamObserver<LoadRowsResponse> call,
      Function<LoadHeader, Begun> opener,
      int maxChunkBytes,
      Supplier<String> schemaVersion,
      RpcContext rpc) {
    BulkLoadStream stream = new BulkLoadStream(call, opener, maxChunkBytes, schemaVersion, rpc);
    call.disableAutoRequest();
    call.setOnCancelHandler(stream::cancel);
    call.setOnReadyHandler(stream.loop::wake);
    stream.loop.wake();
    return stream;
  }

  @Override
  public void onNext(LoadRowsRequest request) {
    inbox.add(new Come(request, memory.takeRequest()));
    loop.wake();
  }

  @Override
  public void onCompleted() {
    halfClosed = true;
    loop.wake();
  }

  @Override
  public void onError(Throwable error) {
    cancel();
  }

  private void cancel() {
    cancelled = true;
    loop.wake();
  }

  private void work() {
    if (cancelled && !ended) {
      end("the client has gone");
    }
    boolean finalMessage = halfClosed;
    takeMessages();
    takeResults();
    if (ended) {
      return;
    }
    sendProgress();
    if (finalMessage && !commits && inFlight == 0 && inbox.isEmpty()) {
      fail(RequestRefusal.invalid(null, "the call ended without a commit; nothing was loaded"));
      return;
    }
    int ahead = MESSAGES_AHEAD - inFlight - requested;
    if (ahead > 0 && !commits) {
      requested += ahead;
      call.request(ahead);
    }
  }

  /** Ends the load, unless it is over. */
  private void end(String why) {
    ended = true;
    Begun open = begun;
    if (open != null) {
      open.load().cancel(why);
    }
  }

  private void fail(Throwable why) {
    if (!ended) {
      end("its call failed");
      call.onError(rpc.errors().ofWrite(why));
    }
  }

  private void takeMessages() {
    for (Come come = inbox.poll(); come != null; come = inbox.poll()) {
      requested--;
      boolean kept = false;
      try {
        kept = !ended && take(come);
      } catch (RuntimeException e) {
        fail(e);
      } finally {
        if (!kept) {
          memory.releaseRequest(come.heldBytes());
        }
      }
    }
  }

  /** Returns whether the message holds its memory until there is a result of it. */
  private boolean take(Come come) {
    LoadRowsRequest request = come.request();
    Begun open = begun;
    if ((open == null) != request.hasHeader() || commits) {
      throw RequestRefusal.invalid(
          null, "a load is one header, any number of chunks, and one commit, in this order");
    }
    switch (request.getPartCase()) {
      case HEADER -> {
        begin(request.getHeader());
        return false;
      }
      case CHUNK -> {
        write(open, request.getChunk(), come.heldBytes());
        return true;
      }
      case COMMIT -> {
        commit(open, request.getCommit());
        return false;
      }
      default -> throw RequestRefusal.invalid(null, "a header, a chunk or a commit is required");
    }
  }

  private void begin(LoadHeader header) {
    Begun opened = opener.apply(header);
    begun = opened;
    unsent = new BulkLoad.Progress(0, 0, 0);
    Then.whenDone(
        opened.load().ended(),
        (done, failure) -> {
          if (failure != null) {
            results.add(new Result(0, null, null, failure));
            loop.wake();
          }
        });
  }

  private void write(@Nullable Begun open, LoadChunk chunk, long heldBytes) {
    if (chunk.getRows().size() > maxChunkBytes) {
      throw RequestRefusal.tooLarge(
          "chunk.rows", "bytes of a chunk", chunk.getRows().size(), maxChunkBytes);
    }
    Begun load = required(open);
    inFlight++;
    Then.whenDone(
        load.load().write(chunk.getNumber(), chunk.getRows().size(), load.decoder().apply(chunk)),
        (progress, failure) -> {
          results.add(new Result(heldBytes, progress, null, failure));
          loop.wake();
        });
  }

  private void commit(@Nullable Begun open, LoadCommit commit) {
    commits = true;
    Then.whenDone(
        required(open).load().commit(commit.getChunks(), commit.getRows(), context.events()),
        (committed, failure) -> {
          results.add(new Result(0, null, committed, failure));
          loop.wake();
        });
  }

  private static Begun required(@Nullable Begun open) {
    if (open == null) {
      throw new IllegalStateException("a part of a load came before its header");
    }
    return open;
  }

  private void takeResults() {
    for (Result one = results.poll(); one != null; one = results.poll()) {
      memory.releaseRequest(one.heldBytes());
      BulkLoad.Committed committed = one.committed();
      Throwable failure = one.failure();
      if (failure != null) {
        fail(failure);
      } else if (committed != null) {
        complete(committed);
      } else {
        inFlight--;
        unsent = one.progress();
      }
    }
  }

  private void complete(BulkLoad.Committed load) {
    if (ended) {
      return;
    }
    ended = true;
    LoadCommitted.Builder committed =
        LoadCommitted.newBuilder()
            .setRows(load.rows())
            .setColumns(load.columns())
            .setBytes(load.bytes())
            .setFileBytes(load.fileBytes())
            .setSchemaVersion(schemaVersion.get());
    if (required(begun).includeStats()) {
      context.spent(AskedReplicas.only(rpc.nodeId()));
      committed.setStats(context.stats());
    }
    call.onNext(LoadRowsResponse.newBuilder().setCommitted(committed).build());
    call.onCompleted();
  }

  private void sendProgress() {
    BulkLoad.Progress now = unsent;
    if (now != null && call.isReady()) {
      unsent = null;
      call.onNext(
          LoadRowsResponse.newBuilder()
              .setProgress(
                  LoadProgress.newBuilder()
                      .setChunks(now.chunks())
                      .setRows(now.rows())
                      .setBytes(now.bytes()))
              .build());
    }
  }
}
