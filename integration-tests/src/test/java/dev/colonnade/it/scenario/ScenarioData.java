package dev.colonnade.it.scenario;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonPrimitive;
import com.google.protobuf.ByteString;
import dev.colonnade.v1.Column;
import dev.colonnade.v1.ColumnNames;
import dev.colonnade.v1.ColumnOrSuperColumn;
import dev.colonnade.v1.ColumnParent;
import dev.colonnade.v1.Deletion;
import dev.colonnade.v1.Mutation;
import dev.colonnade.v1.RowMutation;
import dev.colonnade.v1.SlicePredicate;
import dev.colonnade.v1.SliceRange;
import dev.colonnade.v1.SuperColumn;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;

/** Messages out of the scenario's words, and answers in them. */
final class ScenarioData {

  private static final String BYTES = "bytes ";

  private ScenarioData() {}

  /** The bytes that a string of the scenario stands for. */
  static ByteString bytes(String text) {
    if (text.startsWith("0x")) {
      return ByteString.copyFrom(HexFormat.of().parseHex(text.substring(2)));
    }
    if (text.startsWith("long:")) {
      long number = Long.parseLong(text.substring("long:".length()));
      return ByteString.copyFrom(ByteBuffer.allocate(Long.BYTES).putLong(0, number));
    }
    if (text.startsWith("fill:")) {
      return ByteString.copyFromUtf8(
          "x".repeat(Integer.parseInt(text.substring("fill:".length()))));
    }
    return ByteString.copyFromUtf8(text);
  }

  static JsonElement shown(ByteString bytes) {
    return new JsonPrimitive(BYTES + HexFormat.of().formatHex(bytes.toByteArray()));
  }

  static boolean isBytes(String shown) {
    return shown.startsWith(BYTES);
  }

  static ColumnParent parent(Step step) {
    ColumnParent.Builder parent = ColumnParent.newBuilder().setColumnFamily(step.text("family"));
    if (step.has("super")) {
      parent.setSuperColumn(step.bytes("super"));
    }
    return parent.build();
  }

  static SlicePredicate slice(Step step) {
    SlicePredicate.Builder predicate = SlicePredicate.newBuilder();
    if (step.has("since")) {
      predicate.setMinTimestamp(Long.parseLong(step.text("since")));
    }
    if (step.has("names")) {
      return predicate
          .setColumnNames(ColumnNames.newBuilder().addAllNames(step.names("names")))
          .build();
    }
    SliceRange.Builder range =
        SliceRange.newBuilder()
            .setStart(step.bytes("start"))
            .setFinish(step.bytes("finish"))
            .setReversed(step.flag("reversed"))
            .setStartExclusive(step.flag("start_exclusive"))
            .setFinishExclusive(step.flag("finish_exclusive"));
    if (step.has("count")) {
      range.setCount((int) step.number("count", 0));
    }
    return predicate.setSliceRange(range).build();
  }

  static Column column(Step step) {
    Column.Builder column =
        Column.newBuilder().setName(step.bytes("column")).setValue(step.bytes("value"));
    if (step.has("timestamp")) {
      column.setTimestamp(Long.parseLong(step.text("timestamp")));
    }
    if (step.has("ttl")) {
      column.setTtlSeconds((int) step.number("ttl", 0));
    }
    return column.build();
  }

  static RowMutation row(Step row) {
    RowMutation.Builder mutations =
        RowMutation.newBuilder().setColumnFamily(row.text("family")).setKey(row.bytes("key"));
    for (Step put : row.steps("puts")) {
      mutations.addMutations(Mutation.newBuilder().setColumnOrSuperColumn(written(put)));
    }
    for (Step removal : row.steps("removes")) {
      mutations.addMutations(
          Mutation.newBuilder()
              .setDeletion(
                  Deletion.newBuilder()
                      .setTimestamp(Long.parseLong(removal.text("timestamp")))
                      .setPredicate(slice(removal))));
    }
    return mutations.build();
  }

  static ColumnOrSuperColumn written(Step put) {
    ColumnOrSuperColumn.Builder written = ColumnOrSuperColumn.newBuilder();
    return put.has("super")
        ? written
            .setSuperColumn(
                SuperColumn.newBuilder().setName(put.bytes("super")).addColumns(column(put)))
            .build()
        : written.setColumn(column(put)).build();
  }

  static JsonObject shown(ColumnOrSuperColumn entry) {
    if (!entry.hasSuperColumn()) {
      return shown(entry.getColumn());
    }
    JsonObject shown = new JsonObject();
    shown.add("name", shown(entry.getSuperColumn().getName()));
    JsonArray columns = new JsonArray();
    entry.getSuperColumn().getColumnsList().forEach(column -> columns.add(shown(column)));
    shown.add("columns", columns);
    return shown;
  }

  private static JsonObject shown(Column column) {
    JsonObject shown = new JsonObject();
    shown.add("name", shown(column.getName()));
    shown.add("value", shown(column.getValue()));
    shown.addProperty("timestamp", Long.toString(column.getTimestamp()));
    if (column.hasTtlSeconds()) {
      shown.addProperty("ttl", column.getTtlSeconds());
    }
    return shown;
  }

  static JsonArray shown(List<ColumnOrSuperColumn> entries) {
    JsonArray shown = new JsonArray();
    entries.forEach(entry -> shown.add(shown(entry)));
    return shown;
  }

  static JsonObject summary(List<ColumnOrSuperColumn> entries, int parts) {
    List<ByteString> names = new ArrayList<>();
    int columns = 0;
    for (ColumnOrSuperColumn entry : entries) {
      names.add(
          entry.hasSuperColumn() ? entry.getSuperColumn().getName() : entry.getColumn().getName());
      columns += entry.getSuperColumn().getColumnsCount();
    }
    boolean ascending = true;
    for (int i = 1; i < names.size(); i++) {
      ascending &=
          ByteString.unsignedLexicographicalComparator().compare(names.get(i - 1), names.get(i))
              < 0;
    }
    JsonObject shown = new JsonObject();
    shown.addProperty("entries", entries.size());
    shown.addProperty("columns", columns);
    shown.addProperty("several", parts > 1);
    shown.addProperty("ascending", ascending);
    if (!names.isEmpty()) {
      shown.add("first", shown(names.get(0)));
      shown.add("last", shown(names.get(names.size() - 1)));
    }
    JsonObject answer = new JsonObject();
    answer.add("summary", shown);
    return answer;
  }

  /** Puts the parts of super columns together. */
  static List<ColumnOrSuperColumn> joined(
      List<ColumnOrSuperColumn> whole, List<ColumnOrSuperColumn> part, boolean continues) {
    List<ColumnOrSuperColumn> all = new ArrayList<>(whole);
    List<ColumnOrSuperColumn> rest = part;
    if (continues && !all.isEmpty() && !part.isEmpty()) {
      SuperColumn last = all.get(all.size() - 1).getSuperColumn();
      SuperColumn first = part.get(0).getSuperColumn();
      if (last.getName().equals(first.getName())) {
        SuperColumn both = last.toBuilder().addAllColumns(first.getColumnsList()).build();
        all.set(all.size() - 1, ColumnOrSuperColumn.newBuilder().setSuperColumn(both).build());
        rest = part.subList(1, part.size());
      }
    }
    all.addAll(rest);
    return all;
  }
}
