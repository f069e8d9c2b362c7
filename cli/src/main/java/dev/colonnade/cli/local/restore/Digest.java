package dev.colonnade.cli.local.restore;

import dev.colonnade.client.Column;
import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import org.jspecify.annotations.Nullable;

/**
 * A digest of columns with their keys, names, values and timestamps, the same in whatever order
 * they are added: the sums of the halves of their SHA-256. For one thread.
 */
final class Digest {

  private final MessageDigest sha256;
  private long high;
  private long low;
  long columns;

  Digest() {
    try {
      sha256 = MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java platform has SHA-256, this one has not", e);
    }
  }

  /** Adds a column of a row, or of a super column of a row, unless it expires. */
  void add(byte[] key, byte @Nullable [] superColumn, Column<byte[], byte[]> column) {
    if (column.ttl().isPresent()) {
      return;
    }
    byte[] top = superColumn == null ? column.name() : superColumn;
    byte[] sub = superColumn == null ? null : column.name();
    add(key, top, sub, column.value(), column.timestampMicros().orElse(0));
  }

  void add(byte[] key, byte[] top, byte @Nullable [] sub, byte[] value, long timestamp) {
    part(key);
    part(top);
    part(sub == null ? new byte[0] : sub);
    part(value);
    sha256.update(ByteBuffer.allocate(Long.BYTES).putLong(timestamp).flip());
    ByteBuffer digest = ByteBuffer.wrap(sha256.digest());
    high += digest.getLong();
    low += digest.getLong();
    columns++;
  }

  private void part(byte[] bytes) {
    sha256.update(ByteBuffer.allocate(Integer.BYTES).putInt(bytes.length).flip());
    sha256.update(bytes);
  }

  /** Whether both have the same columns. */
  boolean isOf(Digest other) {
    return columns == other.columns && high == other.high && low == other.low;
  }
}
