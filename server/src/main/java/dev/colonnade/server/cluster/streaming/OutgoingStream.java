package dev.colonnade.server.cluster.streaming;

import dev.colonnade.server.base.async.Errors;
import dev.colonnade.server.base.async.Then;
import dev.colonnade.server.base.env.HostPaths;
import dev.colonnade.server.base.env.Stage;
import dev.colonnade.server.base.model.FamilyId;
import dev.colonnade.server.cluster.net.Peer;
import dev.colonnade.server.cluster.net.PeerFailure;
import dev.colonnade.server.cluster.net.Verb;
import dev.colonnade.server.cluster.ring.TokenRange;
import dev.colonnade.server.storage.engine.RangeScan;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The sending side of a stream: waits for the flush, opens, sends chunk after chunk with a few
 * under way, closes. Unanswered messages are sent again until the sender timeout ends; a refusal
 * ends the stream. While the pace of all streams makes it wait, the receiver hears of it from time
 * to time.
 */
final class OutgoingStream extends Stream {
  private static final Logger LOG = LoggerFactory.getLogger(OutgoingStream.class);

  private final StreamContext parts;
  private final Peer peer;
  private final FamilyId family;
  private final List<TokenRange> ranges;
  private final long truncation;
  private final SerialTasks tasks;
  private @Nullable RangeScan scan;
  private ChunkCodec.@Nullable ChunkEncoder source;
  private long chunks;
  private int underWay;
  private int unanswered;
  private byte[] opening = {};
  private boolean reading;
  private boolean closing;
  private long heardNanos;
  private long ackedBytes;

  OutgoingStream(
      StreamContext parts,
      StreamId id,
      Peer peer,
      FamilyId family,
      List<TokenRange> ranges,
      String purpose,
      Consumer<StreamProgress> listener) {
    super(
        id,
        new StreamProgress(
            id.toString(),
            peer.id(),
            family,
            true,
            purpose,
            StreamProgress.StreamState.WAITING,
            0,
            0,
            0),
        parts.sent(),
        listener);
    this.parts = parts;
    this.peer = peer;
    this.family = family;
    this.ranges = ranges;
    // Read before the rows are held: they are at least as new as this truncation.
    this.truncation = parts.engine().truncation(family);
    this.tasks = new SerialTasks(parts.scheduler(), Stage.COMPACTION, this::broken);
  }

  void start() {
    Then.whenDone(
        parts.engine().scan(family, Spans.of(ranges)),
        (opened, failure) -> tasks.run(() -> scanned(opened, failure)));
  }

  private void scanned(@Nullable RangeScan opened, @Nullable Throwable failure) {
    if (opened == null) {
      end("its data could not be flushed or held", failure);
      return;
    }
    if (isOver()) {
      opened.close();
      return;
    }
    scan = opened;
    source = new ChunkCodec.ChunkEncoder(opened, parts.settings().chunkBytes());
    moved(StreamProgress.StreamState.RUNNING, 0, 0, opened.fileBytes());
    StreamMessages.StreamOpen open =
        new StreamMessages.StreamOpen(
            id(), family, truncation, progress().purpose(), opened.fileBytes());
    opening = StreamCodec.encode(open);
    ask(Verb.STREAM_OPEN, opening, parts.settings().answerTimeout(), this::readOn);
  }

  /** Sends a message until it is answered, then continues. The receiver's silence begins here. */
  private void ask(Verb verb, byte[] body, Duration timeout, Runnable then) {
    if (unanswered++ == 0) {
      heardNanos = parts.clock().monotonicNanos();
    }
    request(
        verb,
        body,
        timeout,
        () -> {
          unanswered--;
          then.run();
        });
  }

  private void request(Verb verb, byte[] body, Duration timeout, Runnable then) {
    if (isOver()) {
      return;
    }
    long deadline = parts.clock().monotonicNanos() + timeout.toNanos();
    Then.whenDone(
        parts.messenger().request(peer, verb, body, deadline),
        (answer, failure) -> tasks.run(() -> answered(verb, body, timeout, then, failure)));
  }

  private void answered(
      Verb verb, byte[] body, Duration timeout, Runnable then, @Nullable Throwable failure) {
    if (isOver()) {
      return;
    }
    long now = parts.clock().monotonicNanos();
    if (failure == null) {
      heardNanos = now;
      then.run();
    } else if (!isWorthRepeating(failure)) {
      end(String.valueOf(Errors.unwrap(failure).getMessage()), failure);
    } else if (now - heardNanos
        >= parts.settings().senderTimeout().toNanos() + 2 * timeout.toNanos()) {
      end(
          "no progress for "
              + (now - heardNanos) / 1_000_000_000L
              + " s; the last error: "
              + Errors.unwrap(failure).getMessage(),
          failure);
    } else {
      tasks.runAfter(parts.settings().retryDelay(), () -> request(verb, body, timeout, then));
    }
  }

  static boolean isWorthRepeating(Throwable failure) {
    if (!(Errors.unwrap(failure) instanceof PeerFailure peer)) {
      return false;
    }
    return switch (peer.code()) {
      case TIMED_OUT, NOT_SENT, OVERLOADED, NOT_READY, PROTOCOL, LOST -> true;
      case UNKNOWN_FAMILY, CORRUPT, STORAGE, REFUSED, INTERNAL -> false;
    };
  }

  /** Reads and sends one chunk, if the window has room. One read is scheduled at a time. */
  private void readOn() {
    ChunkCodec.ChunkEncoder rows = source;
    if (isOver() || reading || rows == null || underWay >= parts.settings().window()) {
      return;
    }
    if (rows.isOver()) {
      close();
      return;
    }
    byte[] chunk;
    try {
      chunk = rows.next();
    } catch (IOException | RuntimeException | Error e) {
      end("its rows could not be read: " + e.getMessage(), Errors.escalate(e));
      return;
    }
    if (chunk.length > 0) {
      send(chunk);
    }
    reading = true;
    pause(parts.throttle().take(chunk.length, parts.clock().monotonicNanos()));
  }

  /** Waits as the pace of all streams demands, and opens the stream again as a sign of life. */
  private void pause(Duration rest) {
    Duration sign = parts.settings().senderTimeout().dividedBy(2);
    if (rest.compareTo(sign) <= 0) {
      tasks.runAfter(
          rest,
          () -> {
            reading = false;
            readOn();
          });
      return;
    }
    tasks.runAfter(
        sign,
        () -> {
          if (!isOver()) {
            ask(Verb.STREAM_OPEN, opening, parts.settings().answerTimeout(), () -> {});
            pause(rest.minus(sign));
          }
        });
  }

  private void send(byte[] rows) {
    StreamMessages.StreamChunk chunk = new StreamMessages.StreamChunk(id(), chunks++, rows);
    underWay++;
    ask(
        Verb.STREAM_CHUNK,
        chunk.encode(),
        parts.settings().answerTimeout(),
        () -> {
          underWay--;
          ackedBytes += rows.length;
          moved(StreamProgress.StreamState.RUNNING, rowsRead(), ackedBytes, progress().fileBytes());
          readOn();
        });
  }

  private long rowsRead() {
    ChunkCodec.ChunkEncoder rows = source;
    return rows == null ? 0 : rows.rows();
  }

  private void close() {
    if (unanswered > 0 || closing) {
      return;
    }
    closing = true;
    releaseScan();
    moved(StreamProgress.StreamState.CLOSING);
    StreamMessages.Close close = StreamMessages.Close.complete(id(), chunks, rowsRead());
    ask(
        Verb.STREAM_CLOSE,
        StreamCodec.encode(close),
        parts.settings().closeTimeout(),
        () -> {
          moved(StreamProgress.StreamState.CLOSING, rowsRead(), ackedBytes, progress().fileBytes());
          succeeded();
        });
  }

  @Override
  boolean isAtWork() {
    return tasks.isAtWork();
  }

  @Override
  long steps() {
    return tasks.ran();
  }

  @Override
  public void cancel(String why) {
    tasks.run(() -> end(why, null));
  }

  private void broken(Throwable thrown) {
    LOG.error("{} failed", this, thrown);
    end("an error in the program: " + thrown, thrown);
  }

  private void end(String why, @Nullable Throwable cause) {
    if (isOver()) {
      return;
    }
    try {
      releaseScan();
      StreamMessages.Close abort =
          StreamMessages.Close.early(id(), "the sender: " + HostPaths.without(why));
      parts.messenger().sendOneWay(peer, Verb.STREAM_CLOSE, StreamCodec.encode(abort));
    } finally {
      failed(why, cause);
    }
  }

  private void releaseScan() {
    RangeScan held = scan;
    scan = null;
    if (held != null) {
      held.close();
    }
  }
}
