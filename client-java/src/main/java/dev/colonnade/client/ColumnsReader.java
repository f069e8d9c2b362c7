package dev.colonnade.client;

import com.google.protobuf.CodedInputStream;
import com.google.protobuf.WireFormat;
import dev.colonnade.v1.ColumnOrSuperColumn;
import java.io.IOException;
import java.util.List;

/** Reads entries that are columns, which are never cut. */
final class ColumnsReader<N, V> extends EntryReader<Column<N, V>> {

  private static final int COLUMN =
      ColumnOrSuperColumn.COLUMN_FIELD_NUMBER << 3 | WireFormat.WIRETYPE_LENGTH_DELIMITED;

  private final ColumnReader<N, V> columns;

  ColumnsReader(ColumnReader<N, V> columns) {
    this.columns = columns;
  }

  @Override
  void entry(CodedInputStream in, List<Column<N, V>> into) throws IOException {
    for (int tag = in.readTag(); tag != 0; tag = in.readTag()) {
      if (tag == COLUMN) {
        into.add(columns.read(in));
      } else {
        AnswerPart.skip(in, tag);
      }
    }
  }

  @Override
  void end(List<Column<N, V>> into) {
    // Each column was complete.
  }
}
