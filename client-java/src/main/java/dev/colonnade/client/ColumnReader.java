package dev.colonnade.client;

import com.google.protobuf.CodedInputStream;
import com.google.protobuf.WireFormat;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/** Makes columns of the bytes of an answer. For one answer, one thread at a time. */
final class ColumnReader<N, V> {

  private static final byte[] NOTHING = new byte[0];
  private static final int NAME =
      dev.colonnade.v1.Column.NAME_FIELD_NUMBER << 3 | WireFormat.WIRETYPE_LENGTH_DELIMITED;
  private static final int VALUE =
      dev.colonnade.v1.Column.VALUE_FIELD_NUMBER << 3 | WireFormat.WIRETYPE_LENGTH_DELIMITED;
  private static final int TIMESTAMP =
      dev.colonnade.v1.Column.TIMESTAMP_FIELD_NUMBER << 3 | WireFormat.WIRETYPE_VARINT;
  private static final int TTL =
      dev.colonnade.v1.Column.TTL_SECONDS_FIELD_NUMBER << 3 | WireFormat.WIRETYPE_VARINT;

  /** Rows of one kind rarely have more columns, and more are not worth a search. */
  private static final int MAX_KNOWN = 32;

  private static final int MAX_KNOWN_BYTES = 64;

  private final Serializer<N> names;
  private final Serializer<V> values;

  /** Names of a row before, which the rows of one kind repeat in the same order. */
  private final List<N> known = new ArrayList<>();

  private final List<byte[]> knownBytes = new ArrayList<>();

  /** Where the next name is among them, if this row has the same. */
  private int next;

  ColumnReader(Serializer<N> names, Serializer<V> values) {
    this.names = names;
    this.values = values;
  }

  /** Reads a column, whose tag was read. */
  Column<N, V> read(CodedInputStream in) throws IOException {
    int outer = in.pushLimit(in.readRawVarint32());
    byte[] name = NOTHING;
    byte[] value = NOTHING;
    long timestamp = 0;
    int ttlSeconds = 0;
    boolean expires = false;
    for (int tag = in.readTag(); tag != 0; tag = in.readTag()) {
      switch (tag) {
        case NAME -> name = in.readByteArray();
        case VALUE -> value = in.readByteArray();
        case TIMESTAMP -> timestamp = in.readInt64();
        case TTL -> {
          ttlSeconds = in.readInt32();
          expires = true;
        }
        default -> AnswerPart.skip(in, tag);
      }
    }
    in.popLimit(outer);
    return new Column<>(
        name(name),
        values.fromBytes(value),
        OptionalLong.of(timestamp),
        expires ? Optional.of(Duration.ofSeconds(ttlSeconds)) : Optional.empty());
  }

  /** A name as the program has it: that of the row before, if it is the same text. */
  private N name(byte[] bytes) {
    for (int at = next; ; at = 0) {
      if (at < known.size() && Arrays.equals(knownBytes.get(at), bytes)) {
        next = at + 1;
        return known.get(at);
      }
      if (at == 0) {
        break;
      }
    }
    N name = names.fromBytes(bytes);
    // Only what nobody can change may be shared between columns.
    if (name instanceof String && known.size() < MAX_KNOWN && bytes.length <= MAX_KNOWN_BYTES) {
      known.add(name);
      knownBytes.add(bytes);
      next = known.size();
    }
    return name;
  }
}
