package dev.colonnade.server.cluster.streaming;

import dev.colonnade.server.base.async.Errors;
import dev.colonnade.server.base.async.Then;
import dev.colonnade.server.base.codec.CorruptDataException;
import dev.colonnade.server.base.env.HostPaths;
import dev.colonnade.server.base.env.Stage;
import dev.colonnade.server.base.model.FamilyId;
import dev.colonnade.server.cluster.net.PeerFailure;
import dev.colonnade.server.storage.engine.RangeIngest;
import dev.colonnade.server.storage.mutation.DiskFullException;
import dev.colonnade.server.storage.mutation.StoreStoppedException;
import dev.colonnade.server.storage.mutation.TruncationPendingException;
import java.io.IOException;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The receiving side of a stream. Chunks may come twice and in any order; they are written in the
 * order of their numbers, and answered when they are written.
 */
final class IncomingStream extends Stream {
  private static final Logger LOG = LoggerFactory.getLogger(IncomingStream.class);
  private static final byte[] NOTHING = {};

  private final StreamContext parts;
  private final FamilyId family;
  private final SerialTasks tasks;
  private final Map<Long, WaitingChunk> early = new TreeMap<>();
  private @Nullable RangeIngest ingest;
  private ChunkCodec.@Nullable ChunkDecoder target;
  private long next;
  private long bytes;
  private @Nullable CompletableFuture<byte[]> closed;
  private @Nullable PeerFailure ended;
  private volatile long heardNanos;

  /** A chunk that arrived before its predecessors. */
  @SuppressWarnings("ArrayRecordComponent") // never compared as a whole
  private record WaitingChunk(byte[] rows, CompletableFuture<byte[]> answer) {}

  IncomingStream(
      StreamContext parts,
      StreamId id,
      String peerId,
      FamilyId family,
      String purpose,
      Consumer<StreamProgress> listener) {
    super(
        id,
        new StreamProgress(
            id.toString(),
            peerId,
            family,
            false,
            purpose,
            StreamProgress.StreamState.WAITING,
            0,
            0,
            0),
        parts.received(),
        listener);
    this.parts = parts;
    this.family = family;
    this.tasks =
        new SerialTasks(parts.scheduler(), Stage.COMPACTION, thrown -> end(failure(thrown)));
    this.heardNanos = parts.clock().monotonicNanos();
  }

  /** A step that answers a request of the sender. */
  private interface IngestStep {
    void take(CompletableFuture<byte[]> answer) throws IOException;
  }

  private CompletableFuture<byte[]> take(IngestStep step) {
    CompletableFuture<byte[]> answer = new CompletableFuture<>();
    heardNanos = parts.clock().monotonicNanos();
    tasks.run(
        () -> {
          PeerFailure over = ended;
          if (over != null) {
            answer.completeExceptionally(over);
            return;
          }
          try {
            step.take(answer);
            heardNanos = parts.clock().monotonicNanos();
          } catch (IOException | RuntimeException | Error e) {
            PeerFailure failure = failure(Errors.escalate(e));
            try {
              end(failure);
            } finally {
              answer.completeExceptionally(failure);
            }
          }
        });
    return answer;
  }

  CompletableFuture<byte[]> open(StreamMessages.StreamOpen message) {
    return take(
        answer -> {
          if (!message.family().equals(family)) {
            throw new PeerFailure(PeerFailure.Code.REFUSED, this + " is of another family");
          }
          if (ingest == null) {
            RangeIngest begun = parts.engine().ingest(family, message.truncation());
            ingest = begun;
            target = new ChunkCodec.ChunkDecoder(begun);
            moved(StreamProgress.StreamState.RUNNING, 0, 0, message.fileBytes());
          }
          answer.complete(NOTHING);
        });
  }

  CompletableFuture<byte[]> chunk(StreamMessages.StreamChunk chunk) {
    return take(
        answer -> {
          if (target == null) {
            throw new PeerFailure(PeerFailure.Code.REFUSED, this + " was not opened");
          }
          if (chunk.number() < next) {
            answer.complete(NOTHING);
            return;
          }
          if (chunk.number() >= next + StreamSettings.WINDOW_MAX) {
            throw new PeerFailure(
                PeerFailure.Code.REFUSED,
                "chunk " + chunk.number() + " comes too early; the next one expected is " + next);
          }
          // If a chunk came twice, the first request may have been cancelled already.
          WaitingChunk before = early.put(chunk.number(), new WaitingChunk(chunk.rows(), answer));
          if (before != null) {
            Then.relay(answer, before.answer());
          }
          writeInOrder(target);
        });
  }

  private void writeInOrder(ChunkCodec.ChunkDecoder rows) throws IOException {
    for (WaitingChunk chunk = early.get(next); chunk != null; chunk = early.get(next)) {
      rows.write(chunk.rows());
      early.remove(next);
      next++;
      bytes += chunk.rows().length;
      moved(StreamProgress.StreamState.RUNNING, rows.rows(), bytes, progress().fileBytes());
      chunk.answer().complete(NOTHING);
    }
  }

  CompletableFuture<byte[]> close(StreamMessages.Close message) {
    return take(
        answer -> {
          if (!message.failure().isEmpty()) {
            end(new PeerFailure(PeerFailure.Code.REFUSED, message.failure()));
            answer.complete(NOTHING);
            return;
          }
          CompletableFuture<byte[]> begun = closed;
          if (begun == null) {
            begun = new CompletableFuture<>();
            closed = begun;
            try {
              finish(message, begun);
            } catch (IOException | RuntimeException | Error e) {
              // Before the stream ends: while this is open, the rows are assumed to become live.
              begun.completeExceptionally(failure(e));
              throw e;
            }
          }
          Then.relay(begun, answer);
        });
  }

  private void finish(StreamMessages.Close message, CompletableFuture<byte[]> answer)
      throws IOException {
    ChunkCodec.ChunkDecoder rows = target;
    RangeIngest files = ingest;
    if (rows == null || files == null) {
      throw new PeerFailure(PeerFailure.Code.REFUSED, this + " was not opened");
    }
    if (next != message.chunks() || rows.rows() != message.rows() || rows.inRow()) {
      throw new PeerFailure(
          PeerFailure.Code.REFUSED,
          this
              + " closes after "
              + message.chunks()
              + " chunks and "
              + message.rows()
              + " rows; "
              + next
              + " and "
              + rows.rows()
              + " have come");
    }
    moved(StreamProgress.StreamState.CLOSING);
    Then.whenDone(
        files.finish(),
        answer,
        (done, failed) -> {
          if (failed == null) {
            succeeded();
            answer.complete(NOTHING);
          } else {
            PeerFailure failure = failure(Errors.unwrap(failed));
            answer.completeExceptionally(failure);
            tasks.run(() -> end(failure));
          }
        });
  }

  /** Also while its rows become live, which no task waits for. */
  @Override
  boolean isAtWork() {
    return tasks.isAtWork() || progress().state() == StreamProgress.StreamState.CLOSING;
  }

  @Override
  long steps() {
    return tasks.ran();
  }

  @Override
  public void cancel(String why) {
    tasks.run(() -> end(new PeerFailure(PeerFailure.Code.REFUSED, "the receiver: " + why)));
  }

  /**
   * Gives up if the sender has been silent for too long. What has come and waits for its turn or
   * for the disk is no silence of the sender.
   */
  void checkIdle() {
    long silent = parts.clock().monotonicNanos() - heardNanos;
    if (!isOver() && !tasks.isAtWork() && silent > parts.settings().idleTimeout().toNanos()) {
      cancel("nothing was received for " + silent / 1_000_000_000L + " s");
    }
  }

  private void end(PeerFailure why) {
    CompletableFuture<byte[]> finishing = closed;
    if (isOver() || ended != null || (finishing != null && !finishing.isCompletedExceptionally())) {
      // Rows that become live cannot be withdrawn.
      return;
    }
    ended = why;
    early.values().forEach(chunk -> chunk.answer().completeExceptionally(why));
    early.clear();
    RangeIngest files = ingest;
    if (files != null) {
      try {
        files.abandon();
      } catch (IOException | RuntimeException | Error e) {
        Errors.report(this + " left files behind; the next start deletes them", e);
      }
    }
    failed(String.valueOf(why.getMessage()), why);
  }

  private PeerFailure failure(Throwable cause) {
    if (cause instanceof PeerFailure already) {
      return already;
    }
    String message = this + ": " + HostPaths.without(cause);
    if (cause instanceof StoreStoppedException) {
      return new PeerFailure(PeerFailure.Code.UNKNOWN_FAMILY, message, cause);
    }
    if (cause instanceof CorruptDataException || cause instanceof TruncationPendingException) {
      return new PeerFailure(PeerFailure.Code.REFUSED, message, cause);
    }
    if (cause instanceof IOException || cause instanceof DiskFullException) {
      return new PeerFailure(PeerFailure.Code.STORAGE, message, cause);
    }
    if (Errors.isOverload(cause)) {
      return new PeerFailure(PeerFailure.Code.OVERLOADED, message, cause);
    }
    LOG.error("{} failed", this, cause);
    return new PeerFailure(
        PeerFailure.Code.INTERNAL,
        this + ": an internal error; the receiver's log has the details",
        cause);
  }
}
