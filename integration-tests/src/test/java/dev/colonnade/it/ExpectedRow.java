package dev.colonnade.it;

import com.google.protobuf.ByteString;
import dev.colonnade.v1.Column;
import dev.colonnade.v1.ColumnOrSuperColumn;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;

/**
 * What a row may look like after a crash. Versions count up from 1, and a version is a write of all
 * columns or a deletion of the row. One thread writes, one version after the other; so the row must
 * be at the last acknowledged version or at a later one that was begun.
 */
final class ExpectedRow {

  /**
   * A version that was acknowledged.
   *
   * @param nanoTime when the client heard of it
   */
  private record Acknowledgement(long version, long nanoTime) {}

  /**
   * Acknowledged writes that a power cut took.
   *
   * @param writes how many
   * @param sinceNanoTime when the first of them was acknowledged; meaningless without writes
   */
  record Loss(int writes, long sinceNanoTime) {
    static final Loss NONE = new Loss(0, 0);

    Loss and(Loss other) {
      if (writes == 0 || other.writes == 0) {
        return writes == 0 ? other : this;
      }
      boolean first = sinceNanoTime - other.sinceNanoTime <= 0;
      return new Loss(writes + other.writes, first ? sinceNanoTime : other.sinceNanoTime);
    }
  }

  private static final int COLUMNS = 16;
  private static final int MAX_VALUE_BYTES = 64 << 10;
  private static final int DELETION_EVERY = 9;

  private final ByteString key;
  private final long contentSeed;
  private final Deque<Acknowledgement> recent = new ArrayDeque<>();
  private final Set<Long> refused = new HashSet<>();

  /** Acknowledged, and allowed to be lost. */
  private final Deque<Acknowledgement> forgiven = new ArrayDeque<>();

  private long verified;
  private long acknowledged;
  private long begun;

  ExpectedRow(ByteString key, long contentSeed) {
    this.key = key;
    this.contentSeed = contentSeed;
  }

  ByteString key() {
    return key;
  }

  /** The next version; noted before it is sent. */
  synchronized long begin() {
    return ++begun;
  }

  synchronized void acknowledge(long version) {
    acknowledged = version;
    recent.addLast(new Acknowledgement(version, System.nanoTime()));
  }

  /** The server said that it wrote nothing of this version. */
  synchronized void refuse(long version) {
    refused.add(version);
  }

  /** After a power cut: writes acknowledged at this time or later may be lost. */
  synchronized void mayHaveLostSince(long nanoTime) {
    while (!recent.isEmpty() && recent.getLast().nanoTime() - nanoTime >= 0) {
      forgiven.addFirst(recent.removeLast());
    }
    acknowledged = recent.isEmpty() ? verified : recent.getLast().version();
  }

  /** Whether a version deletes the row. */
  static boolean isDeletion(long version) {
    return version % DELETION_EVERY == 0;
  }

  /**
   * The columns of a version: every value begins with the version, and one has a random length, so
   * that records and blocks are cut everywhere.
   */
  List<Column> columns(long version) {
    Random random = new Random(contentSeed * 31 + version);
    int padded = random.nextInt(COLUMNS);
    List<Column> columns = new ArrayList<>();
    for (int i = 0; i < COLUMNS; i++) {
      byte[] filler = new byte[i == padded ? random.nextInt(MAX_VALUE_BYTES) : 0];
      random.nextBytes(filler);
      columns.add(
          Column.newBuilder()
              .setName(ByteString.copyFrom(new byte[] {(byte) i}))
              .setValue(number(version).concat(ByteString.copyFrom(filler)))
              .setTimestamp(version)
              .build());
    }
    return columns;
  }

  /**
   * Compares what a read found with what must be there, and takes it for the state from now on.
   *
   * @return what is gone that was acknowledged and allowed to be gone
   * @throws AssertionError when an acknowledged write is missing or a row is half of one write
   */
  synchronized Loss verify(List<ColumnOrSuperColumn> found) {
    long version = found.isEmpty() ? versionOfAbsence() : versionOf(found);
    Loss loss = Loss.NONE;
    for (Acknowledgement lost : forgiven) {
      // An absent row may be at any of its deletions; at the newest it has lost least.
      if (lost.version() > (found.isEmpty() ? newestDeletion() : version)) {
        loss = loss.and(new Loss(1, lost.nanoTime()));
      }
    }
    forgiven.clear();
    recent.clear();
    verified = version;
    acknowledged = version;
    return loss;
  }

  private long versionOf(List<ColumnOrSuperColumn> found) {
    long version = wholeVersion(found);
    if (version < acknowledged || version > begun) {
      throw failure("is at version " + version);
    }
    if (refused.contains(version)) {
      throw failure("holds version " + version + ", of which nothing was to be written");
    }
    return version;
  }

  /**
   * The version that a row holds, where only its wholeness matters.
   *
   * @throws AssertionError when it is half of one write
   */
  long wholeVersion(List<ColumnOrSuperColumn> found) {
    Set<Long> versions = new HashSet<>();
    for (ColumnOrSuperColumn column : found) {
      versions.add(column.getColumn().getValue().asReadOnlyByteBuffer().getLong());
    }
    if (versions.size() != 1) {
      throw failure("holds columns of several batches: " + versions);
    }
    long version = versions.iterator().next();
    List<Column> columns = found.stream().map(ColumnOrSuperColumn::getColumn).toList();
    if (!columns.equals(columns(version))) {
      throw failure("does not hold what version " + version + " wrote");
    }
    return version;
  }

  private long versionOfAbsence() {
    if (acknowledged == 0) {
      return 0;
    }
    for (long version = acknowledged; version <= begun; version++) {
      if (isDeletion(version) && !refused.contains(version)) {
        return version;
      }
    }
    throw failure("is gone");
  }

  private long newestDeletion() {
    return begun - begun % DELETION_EVERY;
  }

  private AssertionError failure(String what) {
    return new AssertionError(
        "row "
            + key.toStringUtf8()
            + " "
            + what
            + "; acknowledged up to version "
            + acknowledged
            + ", begun up to "
            + begun);
  }

  private static ByteString number(long version) {
    return ByteString.copyFrom(ByteBuffer.allocate(Long.BYTES).putLong(0, version).array());
  }
}
