package dev.colonnade.client;

import com.google.protobuf.CodedInputStream;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.WireFormat;
import dev.colonnade.v1.KeySlice;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.BiFunction;
import org.jspecify.annotations.Nullable;

/**
 * Makes rows of the bytes of an answer, and joins those that were cut at the end of a part. For one
 * answer, one thread at a time.
 *
 * @param <C> entries
 * @param <T> what becomes of a row
 */
final class RowReader<C, T> {

  private static final int KEY =
      KeySlice.KEY_FIELD_NUMBER << 3 | WireFormat.WIRETYPE_LENGTH_DELIMITED;
  private static final int COLUMNS =
      KeySlice.COLUMNS_FIELD_NUMBER << 3 | WireFormat.WIRETYPE_LENGTH_DELIMITED;

  private final EntryReader<C> entries;
  private final BiFunction<byte[], List<C>, T> row;

  /** The row that may go on; null for none. */
  private byte @Nullable [] openKey;

  private final List<C> open = new ArrayList<>();

  /**
   * A reader of one answer.
   *
   * @param row makes a row of its key and its entries; does not keep the list
   */
  RowReader(EntryReader<C> entries, BiFunction<byte[], List<C>, T> row) {
    this.entries = entries;
    this.row = row;
  }

  /**
   * Adds the rows of a part that has rows, except for what continues in the next.
   *
   * @throws ColonnadeException if the bytes cannot be read
   */
  void read(AnswerPart part, List<T> into) {
    part.forEach(in -> row(in, into));
    if (openKey != null && !part.superColumnContinues()) {
      entries.end(open);
    }
    if (!part.rowContinues()) {
      end(into);
    }
  }

  private void row(CodedInputStream in, List<T> into) throws IOException {
    boolean begun = false;
    for (int tag = in.readTag(); tag != 0; tag = in.readTag()) {
      if (tag == KEY) {
        begin(in.readByteArray(), into);
        begun = true;
      } else if (tag == COLUMNS) {
        if (!begun) {
          // They would become entries of another row.
          throw new InvalidProtocolBufferException("entries of a row come before its key");
        }
        AnswerPart.within(in, entry -> entries.entry(entry, open));
      } else {
        AnswerPart.skip(in, tag);
      }
    }
  }

  private void begin(byte[] key, List<T> into) {
    if (!Arrays.equals(key, openKey)) {
      end(into);
      openKey = key;
    }
  }

  /** Adds the row that was not complete. */
  void end(List<T> into) {
    if (openKey != null) {
      entries.end(open);
      into.add(row.apply(openKey, open));
      openKey = null;
      open.clear();
    }
  }
}
