package dev.colonnade.server.service.rpc;

import dev.colonnade.server.base.async.SerialLoop;
import dev.colonnade.server.base.async.Then;
import dev.colonnade.server.service.consistency.CoordinationException;
import dev.colonnade.v1.Applied;
import dev.colonnade.v1.BatchMutateRequest;
import dev.colonnade.v1.BatchMutateResponse;
import dev.colonnade.v1.MutateOutcome;
import dev.colonnade.v1.StreamMutateRequest;
import dev.colonnade.v1.StreamMutateResponse;
import io.grpc.Context;
import io.grpc.Status;
import io.grpc.stub.ServerCallStreamObserver;
import io.grpc.stub.StreamObserver;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Serves one StreamMutate call: it receives batches and sends one outcome for each sequence number,
 * in the order in which batches complete.
 *
 * <ul>
 *   <li>A batch is requested from the transport only when there is room for it. The batches that
 *       were read and whose outcomes are not yet sent are bounded in number and bytes, so a caller
 *       that does not read outcomes stops its own writes.
 *   <li>Batches that the node did not take, because it is behind with its writes, wait and are
 *       written again, each with its own timestamps, until its time is up; as long as the node
 *       catches up, only the caller's deadline ends it. One of them tries whether there is room
 *       again, then the others follow. If the node is alone, nothing is requested meanwhile; with
 *       others, rows that those hold can be written. Messages without outcomes tell the caller that
 *       the node is at work.
 *   <li>A failed batch is an outcome. Only a repeated sequence number ends the stream, after the
 *       batches before it were answered.
 *   <li>After the end, batches that still arrive get no outcome; only their memory is released.
 * </ul>
 *
 * <p>Any thread may wake it; one thread at a time does the work.
 */
final class MutateStream implements StreamObserver<StreamMutateRequest> {

  /**
   * After this silence a caller whose batches wait gets an empty message: far below the seconds
   * after which clients take a silent node for dead.
   */
  private static final Duration SIGN_OF_LIFE = Duration.ofMillis(500);

  /**
   * A batch that has arrived.
   *
   * @param heldBytes of memory, until the batch completes
   */
  private record Come(StreamMutateRequest request, long heldBytes) {}

  /**
   * A batch that was checked and is written, or waits for that.
   *
   * @param bytes its encoded size
   * @param heldBytes of memory, until the batch completes
   */
  record Begun(long sequence, int bytes, long heldBytes, WriteCalls.CheckedBatch batch) {}

  /** How one attempt to write a batch ended. */
  private record Tried(
      Begun begun, @Nullable BatchMutateResponse response, @Nullable Throwable error) {}

  /** A completed batch and the bytes it releases. */
  private record Ended(MutateOutcome outcome, int bytes) {}

  private final ServerCallStreamObserver<StreamMutateResponse> call;
  private final Function<BatchMutateRequest, WriteCalls.CheckedBatch> checker;
  private final RpcContext rpc;
  private final RpcSettings.StreamLimits limits;
  private final Context context = Context.current();
  private final CallMemory memory = CallMemory.current();

  private final SerialLoop loop = new SerialLoop(this::work, this::broken);
  private final Queue<Come> inbox = new ConcurrentLinkedQueue<>();
  private final Queue<Tried> tried = new ConcurrentLinkedQueue<>();
  private volatile boolean halfClosed;
  private volatile boolean cancelled;

  // Accessed only by the thread that does the work.
  private final SequenceSet sequences;
  private final ArrayDeque<Ended> unsent = new ArrayDeque<>();

  private final DeferredBatches deferred;
  private int batchesInFlight;
  private long bytesInFlight;
  private long lastSentNanos;
  private boolean asked;
  private boolean ended;
  private @Nullable RequestRefusal refusal;

  private MutateStream(
      ServerCallStreamObserver<StreamMutateResponse> call,
      Function<BatchMutateRequest, WriteCalls.CheckedBatch> checker,
      RpcContext rpc) {
    this.call = call;
    this.checker = checker;
    this.rpc = rpc;
    this.limits = rpc.settings().streams();
    this.sequences = new SequenceSet(limits.maxSequenceGaps());
    this.deferred =
        new DeferredBatches(
            rpc,
            this::write,
            (begun, refusal) -> finish(begun, rpc.errors().outcome(begun.sequence(), refusal)),
            this::wake);
    this.lastSentNanos = rpc.clock().monotonicNanos();
  }

  /**
   * Starts receiving batches; must be called on the thread that brought the call, before its method
   * returns.
   *
   * @param checker throws if a batch is refused
   */
  static StreamObserver<StreamMutateRequest> start(
      ServerCallStreamObserver<StreamMutateResponse> call,
      Function<BatchMutateRequest, WriteCalls.CheckedBatch> checker,
      RpcContext rpc) {
    MutateStream stream = new MutateStream(call, checker, rpc);
    call.disableAutoRequest();
    call.setOnCancelHandler(stream::cancel);
    call.setOnReadyHandler(stream::wake);
    stream.wake();
    return stream;
  }

  @Override
  public void onNext(StreamMutateRequest request) {
    inbox.add(new Come(request, memory.takeRequest()));
    wake();
  }

  @Override
  public void onCompleted() {
    halfClosed = true;
    wake();
  }

  @Override
  public void onError(Throwable error) {
    cancel();
  }

  private void cancel() {
    cancelled = true;
    wake();
  }

  private void wake() {
    loop.wake();
  }

  /** Ends the call after an exception in a turn, since it is not known how far the turn got. */
  private void broken(Throwable thrown) {
    if (!ended) {
      ended = true;
      call.onError(rpc.errors().ofWrite(thrown));
      release();
    }
  }

  private void work() {
    if (cancelled) {
      ended = true;
    }
    if (ended) {
      release();
      return;
    }
    boolean finalMessage = halfClosed;
    deferred.tryAgainIfDue();
    takeBatches();
    takeResults();
    sendOutcomes();
    if (batchesInFlight == 0 && inbox.isEmpty() && (finalMessage || refusal != null)) {
      end();
    } else {
      requestMore();
    }
  }

  /** After the end: releases the memory of all batches that are not being written. */
  private void release() {
    unsent.clear();
    deferred.removeAll().forEach(one -> memory.releaseRequest(one.heldBytes()));
    for (Tried one = tried.poll(); one != null; one = tried.poll()) {
      memory.releaseRequest(one.begun().heldBytes());
    }
    for (Come come = inbox.poll(); come != null; come = inbox.poll()) {
      memory.releaseRequest(come.heldBytes());
    }
  }

  private void takeBatches() {
    Come come = inbox.poll();
    while (come != null) {
      asked = false;
      if (refusal == null) {
        take(come);
      } else {
        memory.releaseRequest(come.heldBytes());
      }
      come = inbox.poll();
    }
  }

  private void take(Come come) {
    StreamMutateRequest request = come.request();
    long sequence = request.getSequence();
    switch (sequences.add(sequence)) {
      case REPEATED ->
          refuse(
              come,
              RequestRefusal.invalid(
                  ErrorReasons.REPEATED_SEQUENCE,
                  "sequence",
                  "the number "
                      + Long.toUnsignedString(sequence)
                      + " was used before in this stream; that batch stands, and this one and all"
                      + " after it were ignored"));
      case FULL ->
          refuse(
              come,
              RequestRefusal.of(
                  Status.Code.RESOURCE_EXHAUSTED,
                  ErrorReasons.SEQUENCE_GAPS,
                  "sequence",
                  "the numbers of this stream leave more than "
                      + limits.maxSequenceGaps()
                      + " gaps; count upwards, or start another stream"));
      case ADDED -> {
        int bytes = request.getSerializedSize();
        batchesInFlight++;
        bytesInFlight += bytes;
        begin(come, bytes);
      }
    }
  }

  private void begin(Come come, int bytes) {
    long sequence = come.request().getSequence();
    WriteCalls.CheckedBatch batch;
    Context previous = context.attach();
    try {
      batch = checker.apply(come.request().getBatch());
    } catch (RuntimeException | Error e) {
      memory.releaseRequest(come.heldBytes());
      unsent.add(new Ended(rpc.errors().outcome(sequence, e), bytes));
      return;
    } finally {
      context.detach(previous);
    }
    Begun begun = new Begun(sequence, bytes, come.heldBytes(), batch);
    if (!deferred.defers(begun)) {
      write(begun);
    }
  }

  private void write(Begun begun) {
    CompletableFuture<BatchMutateResponse> write;
    Context previous = context.attach();
    try {
      write = begun.batch().write();
    } catch (RuntimeException | Error e) {
      write = CompletableFuture.failedFuture(e);
    } finally {
      context.detach(previous);
    }
    Then.whenDone(
        write,
        (response, error) -> {
          tried.add(new Tried(begun, response, error));
          wake();
        });
  }

  private void takeResults() {
    for (Tried one = tried.poll(); one != null; one = tried.poll()) {
      Begun begun = one.begun();
      if (!deferred.tried(begun, one.error())) {
        finish(begun, outcome(begun, one.response(), one.error()));
      }
    }
  }

  private void finish(Begun begun, MutateOutcome outcome) {
    memory.releaseRequest(begun.heldBytes());
    unsent.add(new Ended(outcome, begun.bytes()));
  }

  private void refuse(Come come, RequestRefusal why) {
    memory.releaseRequest(come.heldBytes());
    refusal = why;
  }

  private MutateOutcome outcome(
      Begun begun, @Nullable BatchMutateResponse response, @Nullable Throwable error) {
    long sequence = begun.sequence();
    CoordinationException partly = deferred.forget(begun);
    if (error != null) {
      MutateOutcome last = rpc.errors().outcome(sequence, error);
      // That the last attempt applied nothing says nothing of the earlier ones.
      return partly != null && last.getApplied() == Applied.APPLIED_NO
          ? rpc.errors().outcome(sequence, partly)
          : last;
    }
    MutateOutcome.Builder outcome =
        MutateOutcome.newBuilder().setSequence(sequence).setApplied(Applied.APPLIED_YES);
    if (response != null && response.hasTimestamp()) {
      outcome.setTimestamp(response.getTimestamp());
    }
    return outcome.build();
  }

  /**
   * Sends the outcomes of completed batches as one message, when the transport is ready; a message
   * without any after a while in which batches wait for the node.
   */
  private void sendOutcomes() {
    if (unsent.isEmpty() && !deferred.isBehind()) {
      return;
    }
    long now = rpc.clock().monotonicNanos();
    boolean due = !unsent.isEmpty() || now - lastSentNanos >= SIGN_OF_LIFE.toNanos();
    if (!due || !call.isReady()) {
      return;
    }
    lastSentNanos = now;
    StreamMutateResponse.Builder message = StreamMutateResponse.newBuilder();
    for (Ended one : unsent) {
      message.addOutcomes(one.outcome);
      batchesInFlight--;
      bytesInFlight -= one.bytes;
    }
    unsent.clear();
    call.onNext(message.build());
  }

  /** Requests one more message: the size of the next one is known only when it arrives. */
  private void requestMore() {
    if (!asked
        && !halfClosed
        && refusal == null
        && !deferred.stopsReading()
        && batchesInFlight < limits.maxBatchesInFlight()
        && bytesInFlight < limits.maxBytesInFlight()) {
      asked = true;
      call.request(1);
    }
  }

  private void end() {
    ended = true;
    RequestRefusal why = refusal;
    if (why == null) {
      call.onCompleted();
    } else {
      call.onError(rpc.errors().ofRead(why));
    }
  }
}
