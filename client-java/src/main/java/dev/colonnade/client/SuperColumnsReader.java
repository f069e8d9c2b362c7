package dev.colonnade.client;

import com.google.protobuf.CodedInputStream;
import com.google.protobuf.WireFormat;
import dev.colonnade.v1.ColumnOrSuperColumn;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Reads entries that are super columns. One that is cut begins with its name in each part. */
final class SuperColumnsReader<S, N, V> extends EntryReader<SuperColumn<S, N, V>> {

  private static final byte[] NO_NAME = new byte[0];
  private static final int SUPER_COLUMN =
      ColumnOrSuperColumn.SUPER_COLUMN_FIELD_NUMBER << 3 | WireFormat.WIRETYPE_LENGTH_DELIMITED;
  private static final int NAME =
      dev.colonnade.v1.SuperColumn.NAME_FIELD_NUMBER << 3 | WireFormat.WIRETYPE_LENGTH_DELIMITED;
  private static final int COLUMNS =
      dev.colonnade.v1.SuperColumn.COLUMNS_FIELD_NUMBER << 3 | WireFormat.WIRETYPE_LENGTH_DELIMITED;

  private final Serializer<S> names;
  private final ColumnReader<N, V> columns;

  /** The super column that may go on; null for none. */
  private byte @Nullable [] openName;

  private List<Column<N, V>> open = List.of();

  SuperColumnsReader(Serializer<S> names, ColumnReader<N, V> columns) {
    this.names = names;
    this.columns = columns;
  }

  @Override
  void entry(CodedInputStream in, List<SuperColumn<S, N, V>> into) throws IOException {
    for (int tag = in.readTag(); tag != 0; tag = in.readTag()) {
      if (tag == SUPER_COLUMN) {
        AnswerPart.within(in, field -> superColumn(field, into));
      } else {
        AnswerPart.skip(in, tag);
      }
    }
  }

  private void superColumn(CodedInputStream in, List<SuperColumn<S, N, V>> into)
      throws IOException {
    byte[] name = NO_NAME;
    List<Column<N, V>> found = new ArrayList<>();
    for (int tag = in.readTag(); tag != 0; tag = in.readTag()) {
      if (tag == NAME) {
        name = in.readByteArray();
      } else if (tag == COLUMNS) {
        found.add(columns.read(in));
      } else {
        AnswerPart.skip(in, tag);
      }
    }
    if (openName != null && Arrays.equals(openName, name)) {
      open.addAll(found);
      return;
    }
    end(into);
    openName = name;
    open = found;
  }

  @Override
  void end(List<SuperColumn<S, N, V>> into) {
    if (openName != null) {
      into.add(new SuperColumn<>(names.fromBytes(openName), open));
      openName = null;
      open = List.of();
    }
  }
}
