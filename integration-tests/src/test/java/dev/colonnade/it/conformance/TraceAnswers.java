package dev.colonnade.it.conformance;

import com.google.protobuf.ByteString;
import dev.colonnade.v1.Column;
import dev.colonnade.v1.ColumnOrSuperColumn;
import dev.colonnade.v1.KeySlice;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Brings messages of our contract into the form of the recordings. */
final class TraceAnswers {

  private static final HexFormat HEX = HexFormat.of();

  private TraceAnswers() {}

  static String hex(ByteString bytes) {
    return HEX.formatHex(bytes.toByteArray());
  }

  static Object column(ColumnOrSuperColumn answer) {
    return switch (answer.getValueCase()) {
      case COLUMN -> Map.of("c", column(answer.getColumn()));
      case SUPER_COLUMN ->
          Map.of(
              "sc",
              Map.of(
                  "n",
                  hex(answer.getSuperColumn().getName()),
                  "cols",
                  answer.getSuperColumn().getColumnsList().stream()
                      .map(TraceAnswers::column)
                      .toList()));
      case VALUE_NOT_SET -> Map.of();
    };
  }

  static List<Object> columns(List<ColumnOrSuperColumn> answer) {
    return answer.stream().map(TraceAnswers::column).toList();
  }

  static List<Object> rows(List<KeySlice> answer) {
    return answer.stream()
        .<Object>map(row -> Map.of("key", hex(row.getKey()), "cols", columns(row.getColumnsList())))
        .toList();
  }

  private static Map<String, Object> column(Column answer) {
    Map<String, Object> column = new TreeMap<>();
    column.put("n", hex(answer.getName()));
    column.put("v", hex(answer.getValue()));
    column.put("ts", answer.getTimestamp());
    if (answer.hasTtlSeconds()) {
      column.put("ttl", (long) answer.getTtlSeconds());
    }
    return column;
  }
}
