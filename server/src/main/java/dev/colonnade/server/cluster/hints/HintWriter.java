package dev.colonnade.server.cluster.hints;

import dev.colonnade.server.base.async.Errors;
import dev.colonnade.server.base.codec.ByteWriter;
import dev.colonnade.server.base.env.Environment;
import dev.colonnade.server.base.env.Stage;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Writes hints to disk: a bounded queue; each turn takes everything that waits and writes it with
 * one write for each target. {@link #add} is for any thread; everything else runs on the stage of
 * hints.
 */
final class HintWriter {
  private static final Logger LOG = LoggerFactory.getLogger(HintWriter.class);

  /** What an entry takes in memory beside its mutation. */
  private static final int ENTRY_BYTES = 128;

  private static final int BUFFER_BYTES = 1 << 18;

  private final Environment environment;
  private final HintSettings settings;
  private final HintStore store;
  private final HintCounters counters;

  /** Refusals since the last hint that was kept. Belongs to the hints stage. */
  private long refusedInARow;

  private final ConcurrentLinkedQueue<WaitingHint> entries = new ConcurrentLinkedQueue<>();
  private final AtomicLong queuedBytes = new AtomicLong();
  private final AtomicBoolean turnQueued = new AtomicBoolean();
  private final ByteWriter buffer = new ByteWriter(BUFFER_BYTES);
  private volatile boolean stopped;

  HintWriter(
      Environment environment, HintSettings settings, HintStore store, HintCounters counters) {
    this.environment = environment;
    this.settings = settings;
    this.store = store;
    this.counters = counters;
  }

  /** A hint that waits. */
  @SuppressWarnings("ArrayRecordComponent") // never compared as a whole
  private record WaitingHint(
      String targetId,
      long createdMicros,
      byte[] encoded,
      boolean syncBefore,
      CompletableFuture<Void> kept)
      implements OpenSegment.Content {
    long bytes() {
      return (long) encoded.length + ENTRY_BYTES;
    }
  }

  CompletableFuture<Void> add(String targetId, byte[] encoded, boolean syncBefore) {
    WaitingHint entry =
        new WaitingHint(
            targetId,
            environment.clock().wallMicros(),
            encoded,
            syncBefore,
            new CompletableFuture<>());
    String why = whyNot(entry);
    if (why != null) {
      refuse(entry, why);
      return entry.kept();
    }
    entries.add(entry);
    requestTurn();
    return entry.kept();
  }

  private @Nullable String whyNot(WaitingHint entry) {
    if (stopped) {
      return "the node is stopping";
    }
    if (entry.encoded().length > HintSettings.LARGEST_HINT_BYTES - Long.BYTES) {
      return "a mutation of " + entry.encoded().length + " bytes is too large for a hint";
    }
    HintsForNode target = store.find(entry.targetId());
    if (target != null) {
      HintFigures figures = target.figures();
      if (figures.bytes() + entry.bytes() > settings.targetBytesMax()) {
        return "it has " + figures.bytes() + " bytes of hints already. Repair it when it returns";
      }
      long missedMicros = entry.createdMicros() - figures.oldestMicros();
      if (!entry.syncBefore()
          && figures.oldestMicros() != 0
          && missedMicros > settings.window().toNanos() / 1_000) {
        return "it has missed writes for longer than "
            + settings.window()
            + ". Repair it when it returns";
      }
    }
    if (store.totalBytes() + entry.bytes() > settings.totalBytesMax()) {
      return "there are " + store.totalBytes() + " bytes of hints already";
    }
    if (queuedBytes.addAndGet(entry.bytes()) > settings.queueBytesMax()) {
      queuedBytes.addAndGet(-entry.bytes());
      return "the queue of hints is full; the disk does not keep up";
    }
    return null;
  }

  private void requestTurn() {
    if (!turnQueued.compareAndSet(false, true)) {
      return;
    }
    boolean queued = false;
    try {
      queued = environment.scheduler().submit(Stage.HINTS, this::turn);
    } finally {
      if (!queued) {
        refuseAll();
      }
    }
  }

  private void refuseAll() {
    turnQueued.set(false);
    for (WaitingHint entry = entries.poll(); entry != null; entry = entries.poll()) {
      queuedBytes.addAndGet(-entry.bytes());
      refuse(entry, "the stage of hints is full or stopped");
    }
  }

  private void refuse(WaitingHint entry, String why) {
    counters.refused.increment();
    entry.kept().completeExceptionally(new HintRefusedException(entry.targetId(), why));
  }

  private void turn() {
    turnQueued.set(false);
    Map<String, List<WaitingHint>> groups = new LinkedHashMap<>();
    for (WaitingHint entry = entries.poll(); entry != null; entry = entries.poll()) {
      groups.computeIfAbsent(entry.targetId(), id -> new ArrayList<>()).add(entry);
    }
    groups.forEach(this::write);
    buffer.resetAndShrink(BUFFER_BYTES);
  }

  /** Writes in pieces, so that segments stay near their size and the buffer stays small. */
  private void write(String targetId, List<WaitingHint> group) {
    List<WaitingHint> piece = new ArrayList<>();
    long pieceBytes = 0;
    for (WaitingHint entry : group) {
      if (!piece.isEmpty() && pieceBytes + entry.bytes() > pieceBytesMax()) {
        writePiece(targetId, piece, pieceBytes);
        piece = new ArrayList<>();
        pieceBytes = 0;
      }
      piece.add(entry);
      pieceBytes += entry.bytes();
    }
    writePiece(targetId, piece, pieceBytes);
  }

  private long pieceBytesMax() {
    return Math.min(1 << 20, settings.segmentBytes());
  }

  private void writePiece(String targetId, List<WaitingHint> piece, long bytes) {
    queuedBytes.addAndGet(-bytes);
    try {
      long usable = store.usableBytes();
      if (usable - bytes < settings.diskReserveBytes()) {
        throw new IOException(
            "the disk has " + usable + " bytes left, which flushes may need. Free some room");
      }
      HintsForNode target = store.make(targetId);
      long encoded = piece.stream().mapToLong(entry -> entry.encoded().length).sum();
      long number = store.takeNumber();
      target.append(piece, encoded, number, settings, buffer);
      if (piece.stream().anyMatch(WaitingHint::syncBefore)) {
        target.sync();
      }
    } catch (IOException | RuntimeException | Error e) {
      Errors.escalate(e);
      noteRefused(piece.size(), targetId, e);
      counters.refused.add(piece.size());
      HintRefusedException refusal =
          new HintRefusedException(targetId, String.valueOf(e.getMessage()), e);
      piece.forEach(entry -> entry.kept().completeExceptionally(refusal));
      return;
    }
    counters.kept.add(piece.size());
    if (refusedInARow > 0) {
      LOG.info("hints are kept again; {} could not be", refusedInARow);
      refusedInARow = 0;
    }
    piece.forEach(entry -> entry.kept().complete(null));
  }

  /** A full or failing disk refuses a hint for each write: only the first is logged. */
  private void noteRefused(int count, String targetId, Throwable cause) {
    if (refusedInARow == 0 || !(cause instanceof IOException)) {
      LOG.warn("hints cannot be kept, the first of them for node {}", targetId, cause);
    }
    refusedInARow += count;
  }

  /** Syncs what was written since the last time. */
  void syncAll() {
    for (HintsForNode target : store.all()) {
      if (target.isDirty()) {
        try {
          target.sync();
        } catch (IOException | RuntimeException | Error e) {
          LOG.debug("logged already, with its consequences", e);
        }
      }
    }
  }

  /** Accepts no more hints. */
  void stop() {
    stopped = true;
  }

  /** Writes what waits and closes all segments. */
  void close() throws IOException {
    turn();
    IOException failure = null;
    for (HintsForNode target : store.all()) {
      try {
        target.roll();
        target.record();
      } catch (IOException e) {
        failure = e;
      }
    }
    if (failure != null) {
      throw failure;
    }
  }

  long bytes() {
    return queuedBytes.get();
  }
}
