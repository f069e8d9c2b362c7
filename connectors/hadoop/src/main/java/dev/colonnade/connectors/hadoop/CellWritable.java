package dev.colonnade.connectors.hadoop;

import java.io.DataInput;
import java.io.DataOutput;
import java.io.EOFException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import org.apache.hadoop.io.Writable;
import org.jspecify.annotations.Nullable;

/**
 * A column of a row: what an input format reads of it, and what an output format does to it. In a
 * Super family it has the name of its super column. As an output it can also be a deletion, of the
 * column, of the super column or of the row. Hadoop fills one again and again, so a job that keeps
 * one copies it. Not thread-safe.
 */
public final class CellWritable implements Writable {

  private static final byte[] NONE = {};
  private static final int ABSENT = -1;

  /** A value has at most 15 MiB, and a name less. */
  private static final int BYTES_MAX = 15 << 20;

  private static final int HAS_TIMESTAMP = 1;
  private static final int DELETES = 2;

  private byte @Nullable [] superColumn;
  private byte @Nullable [] name;
  private byte[] value = NONE;
  private OptionalLong timestampMicros = OptionalLong.empty();
  private int ttlSeconds;
  private boolean deletes;

  /** An empty one, for {@link #readFields}. */
  public CellWritable() {}

  /** A column of a Standard family, to write. */
  public static CellWritable of(byte[] name, byte[] value) {
    return of(null, name, value);
  }

  /** {@link #of(byte[], byte[])} of text in UTF-8. */
  public static CellWritable of(String name, String value) {
    return of(bytes(name), bytes(value));
  }

  /**
   * A column, to write.
   *
   * @param superColumn null in a Standard family
   */
  public static CellWritable of(byte @Nullable [] superColumn, byte[] name, byte[] value) {
    CellWritable cell = new CellWritable();
    cell.superColumn = superColumn;
    cell.name = Objects.requireNonNull(name, "a column has a name");
    cell.value = Objects.requireNonNull(value, "a column has a value");
    return cell;
  }

  /**
   * A deletion.
   *
   * @param superColumn null in a Standard family, and to delete a whole row
   * @param name of the column; null for all of the super column, or of the row
   */
  public static CellWritable deletion(byte @Nullable [] superColumn, byte @Nullable [] name) {
    CellWritable cell = new CellWritable();
    cell.superColumn = superColumn;
    cell.name = name;
    cell.deletes = true;
    return cell;
  }

  static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  /** The same with a timestamp, in microseconds since 1970 by convention. */
  public CellWritable withTimestamp(long micros) {
    timestampMicros = OptionalLong.of(micros);
    return this;
  }

  /**
   * The same with a time to live.
   *
   * @throws IllegalArgumentException if it is not whole seconds from 1 to 2^31 - 1
   */
  public CellWritable withTtl(Duration ttl) {
    if (ttl.getNano() != 0 || ttl.getSeconds() < 1 || ttl.getSeconds() > Integer.MAX_VALUE) {
      throw new IllegalArgumentException(
          "a time to live is whole seconds, from 1 to 2^31 - 1; got " + ttl);
    }
    ttlSeconds = Math.toIntExact(ttl.getSeconds());
    return this;
  }

  /** The name of the super column; empty in a Standard family. */
  public Optional<byte[]> superColumn() {
    return Optional.ofNullable(superColumn);
  }

  /**
   * The name of the column.
   *
   * @throws IllegalStateException of a deletion of more than a column
   */
  public byte[] name() {
    byte[] present = name;
    if (present == null) {
      throw new IllegalStateException("a deletion of a row or a super column names no column");
    }
    return present;
  }

  Optional<byte[]> deletedName() {
    return Optional.ofNullable(name);
  }

  /** The name of the column as text in UTF-8. */
  public String nameText() {
    return new String(name(), StandardCharsets.UTF_8);
  }

  /** The value; of no bytes in a deletion. */
  public byte[] value() {
    return value;
  }

  /** The value as text in UTF-8. */
  public String valueText() {
    return new String(value, StandardCharsets.UTF_8);
  }

  /** The timestamp: always there in what was read; without it, a write gets that of its job. */
  public OptionalLong timestampMicros() {
    return timestampMicros;
  }

  /** The time to live in seconds, if the column expires. */
  public OptionalInt ttlSeconds() {
    return ttlSeconds == 0 ? OptionalInt.empty() : OptionalInt.of(ttlSeconds);
  }

  /** Whether this is a deletion. */
  public boolean isDeletion() {
    return deletes;
  }

  @Override
  public void write(DataOutput out) throws IOException {
    out.writeByte((timestampMicros.isPresent() ? HAS_TIMESTAMP : 0) | (deletes ? DELETES : 0));
    write(superColumn, out);
    write(name, out);
    write(value, out);
    if (timestampMicros.isPresent()) {
      out.writeLong(timestampMicros.getAsLong());
    }
    out.writeInt(ttlSeconds);
  }

  @Override
  public void readFields(DataInput in) throws IOException {
    int flags = in.readUnsignedByte();
    superColumn = read(in);
    name = read(in);
    byte[] read = read(in);
    value = read == null ? NONE : read;
    timestampMicros =
        (flags & HAS_TIMESTAMP) == 0 ? OptionalLong.empty() : OptionalLong.of(in.readLong());
    ttlSeconds = in.readInt();
    deletes = (flags & DELETES) != 0;
  }

  private static void write(byte @Nullable [] bytes, DataOutput out) throws IOException {
    if (bytes == null) {
      out.writeInt(ABSENT);
      return;
    }
    out.writeInt(bytes.length);
    out.write(bytes);
  }

  private static byte @Nullable [] read(DataInput in) throws IOException {
    int length = in.readInt();
    if (length == ABSENT) {
      return null;
    }
    if (length < 0 || length > BYTES_MAX) {
      throw new EOFException("a column is damaged: a part of " + length + " bytes");
    }
    byte[] bytes = new byte[length];
    in.readFully(bytes);
    return bytes;
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof CellWritable that
        && Arrays.equals(superColumn, that.superColumn)
        && Arrays.equals(name, that.name)
        && Arrays.equals(value, that.value)
        && timestampMicros.equals(that.timestampMicros)
        && ttlSeconds == that.ttlSeconds
        && deletes == that.deletes;
  }

  @Override
  public int hashCode() {
    return Objects.hash(
        Arrays.hashCode(superColumn), Arrays.hashCode(name), Arrays.hashCode(value), deletes);
  }
}
