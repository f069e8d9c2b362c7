package dev.colonnade.server.rpc;

import dev.colonnade.server.async.SerialLoop;
import dev.colonnade.server.async.Then;
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
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * One StreamMutate: batches come in, outcomes go out, one for each sequence number, in whatever
 * order the batches end.
 *
 * <p>A batch is taken from the transport when there is room for it: the batches that are read and
 * whose outcome is not yet handed to the transport are bounded in number and in bytes, so a caller
 * that does not read outcomes stops its own writing. A batch that fails is an outcome; only a
 * repeated number ends the stream, after the batches before it were answered.
 *
 * <p>Any thread may wake it; one at a time does the work.
 */
final class MutateStream implements StreamObserver<StreamMutateRequest> {

  /**
   * A batch that has come.
   *
   * @param heldBytes of memory, until it has ended
   */
  private record Come(StreamMutateRequest request, long heldBytes) {}

  /** A batch that has ended, and the room that it gives back. */
  private record Ended(MutateOutcome outcome, int bytes) {}

  private final ServerCallStreamObserver<StreamMutateResponse> call;
  private final Function<BatchMutateRequest, CompletableFuture<BatchMutateResponse>> writer;
  private final StatusErrors errors;
  private final RpcSettings.Streams limits;
  private final Context context = Context.current();
  private final CallMemory memory = CallMemory.current();

  private final SerialLoop loop = new SerialLoop(this::work, this::broken);
  private final Queue<Come> inbox = new ConcurrentLinkedQueue<>();
  private final Queue<Ended> outbox = new ConcurrentLinkedQueue<>();
  private volatile boolean halfClosed;
  private volatile boolean cancelled;

  // Only touched by whoever works.
  private final SequenceSet sequences;
  private final ArrayDeque<Ended> unsent = new ArrayDeque<>();
  private int batchesInFlight;
  private long bytesInFlight;
  private boolean asked;
  private boolean ended;
  private @Nullable RequestRefusal refusal;

  private MutateStream(
      ServerCallStreamObserver<StreamMutateResponse> call,
      Function<BatchMutateRequest, CompletableFuture<BatchMutateResponse>> writer,
      StatusErrors errors,
      RpcSettings.Streams limits) {
    this.call = call;
    this.writer = writer;
    this.errors = errors;
    this.limits = limits;
    this.sequences = new SequenceSet(limits.maxSequenceGaps());
  }

  /**
   * Begins to take batches; must be called on the thread that brought the call, before its method
   * returns.
   */
  static StreamObserver<StreamMutateRequest> start(
      ServerCallStreamObserver<StreamMutateResponse> call,
      Function<BatchMutateRequest, CompletableFuture<BatchMutateResponse>> writer,
      StatusErrors errors,
      RpcSettings.Streams limits) {
    MutateStream stream = new MutateStream(call, writer, errors, limits);
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

  /** A turn threw: there is no telling how far it was, so the call ends. */
  private void broken(Throwable thrown) {
    if (!ended) {
      ended = true;
      call.onError(errors.ofWrite(thrown));
    }
  }

  private void work() {
    if (ended) {
      dropInbox();
      return;
    }
    if (cancelled) {
      ended = true;
      unsent.clear();
      dropInbox();
      return;
    }
    boolean finalMessage = halfClosed;
    takeBatches();
    sendOutcomes();
    if (batchesInFlight == 0 && inbox.isEmpty() && (finalMessage || refusal != null)) {
      end();
    } else {
      askForMore();
    }
  }

  /** What comes after the end gets no answer, but its memory back. */
  private void dropInbox() {
    Come come = inbox.poll();
    while (come != null) {
      memory.releaseRequest(come.heldBytes());
      come = inbox.poll();
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
                      + " was used before in this stream; that batch stands, this one and all after"
                      + " it were not looked at"));
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
        CompletableFuture<BatchMutateResponse> write;
        Context previous = context.attach();
        try {
          write = writer.apply(request.getBatch());
        } catch (RuntimeException | Error e) {
          write = CompletableFuture.failedFuture(e);
        } finally {
          context.detach(previous);
        }
        Then.whenDone(
            write,
            (response, error) -> {
              memory.releaseRequest(come.heldBytes());
              outbox.add(new Ended(outcome(sequence, response, error), bytes));
              wake();
            });
      }
    }
  }

  private void refuse(Come come, RequestRefusal why) {
    memory.releaseRequest(come.heldBytes());
    refusal = why;
  }

  private MutateOutcome outcome(
      long sequence, @Nullable BatchMutateResponse response, @Nullable Throwable error) {
    if (error != null) {
      return errors.outcome(sequence, error);
    }
    MutateOutcome.Builder outcome =
        MutateOutcome.newBuilder().setSequence(sequence).setApplied(Applied.APPLIED_YES);
    if (response != null && response.hasTimestamp()) {
      outcome.setTimestamp(response.getTimestamp());
    }
    return outcome.build();
  }

  /** Sends what has ended, as one message, when the transport will take it. */
  private void sendOutcomes() {
    Ended next = outbox.poll();
    while (next != null) {
      unsent.add(next);
      next = outbox.poll();
    }
    if (unsent.isEmpty() || !call.isReady()) {
      return;
    }
    StreamMutateResponse.Builder message = StreamMutateResponse.newBuilder();
    for (Ended one : unsent) {
      message.addOutcomes(one.outcome);
      batchesInFlight--;
      bytesInFlight -= one.bytes;
    }
    unsent.clear();
    call.onNext(message.build());
  }

  /** One at a time: how large the next message is shows only when it is here. */
  private void askForMore() {
    if (!asked
        && !halfClosed
        && refusal == null
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
      call.onError(errors.ofRead(why));
    }
  }
}
