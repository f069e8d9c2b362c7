package dev.colonnade.it;

import com.google.protobuf.ByteString;
import dev.colonnade.v1.Column;
import dev.colonnade.v1.ColumnOrSuperColumn;
import java.nio.ByteBuffer;
import java.util.ArrayList;
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

  private static final int COLUMNS = 16;
  private static final int MAX_VALUE_BYTES = 64 << 10;
  private static final int DELETION_EVERY = 9;

  private final ByteString key;
  private final long contentSeed;
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
   * @throws AssertionError when an acknowledged write is missing or a row is half of one write
   */
  synchronized void verify(List<ColumnOrSuperColumn> found) {
    if (found.isEmpty()) {
      verifyAbsent();
      return;
    }
    Set<Long> versions = new HashSet<>();
    for (ColumnOrSuperColumn column : found) {
      versions.add(column.getColumn().getValue().asReadOnlyByteBuffer().getLong());
    }
    long version = versions.iterator().next();
    if (versions.size() > 1) {
      throw failure("holds columns of several batches: " + versions);
    }
    if (version < acknowledged || version > begun) {
      throw failure("is at version " + version);
    }
    List<Column> columns = found.stream().map(ColumnOrSuperColumn::getColumn).toList();
    if (!columns.equals(columns(version))) {
      throw failure("does not hold what version " + version + " wrote");
    }
    acknowledged = version;
  }

  private void verifyAbsent() {
    if (acknowledged == 0) {
      return;
    }
    for (long version = acknowledged; version <= begun; version++) {
      if (isDeletion(version)) {
        acknowledged = version;
        return;
      }
    }
    throw failure("is gone");
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
