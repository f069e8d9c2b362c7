package dev.colonnade.cli.demo;

import com.google.protobuf.ByteString;
import dev.colonnade.v1.Column;
import dev.colonnade.v1.ColumnOrSuperColumn;
import dev.colonnade.v1.Mutation;
import dev.colonnade.v1.RowMutation;
import dev.colonnade.v1.SuperColumn;
import java.util.ArrayList;
import java.util.List;

/** What a batch writes into one row of one family. */
record Write(Family family, String key, List<ColumnOrSuperColumn> entries) {

  Write {
    entries = List.copyOf(entries);
  }

  /** Columns of a Standard family: name, value, name, value, ... */
  static Write columns(Family family, String key, String... namesAndValues) {
    List<ColumnOrSuperColumn> entries = new ArrayList<>();
    for (Column column : columnsOf(namesAndValues)) {
      entries.add(ColumnOrSuperColumn.newBuilder().setColumn(column).build());
    }
    return new Write(family, key, entries);
  }

  /** One column of a Standard family whose name is no text. */
  static Write column(Family family, String key, ByteString name, String value) {
    return new Write(
        family,
        key,
        List.of(ColumnOrSuperColumn.newBuilder().setColumn(column(name, value)).build()));
  }

  /** A super column with its columns: name, value, name, value, ... */
  static Write superColumn(
      Family family, String key, ByteString superColumn, String... namesAndValues) {
    SuperColumn written =
        SuperColumn.newBuilder()
            .setName(superColumn)
            .addAllColumns(columnsOf(namesAndValues))
            .build();
    return new Write(
        family, key, List.of(ColumnOrSuperColumn.newBuilder().setSuperColumn(written).build()));
  }

  /** A column without a timestamp: the node fills in its clock. */
  static Column column(ByteString name, String value) {
    return Column.newBuilder().setName(name).setValue(ByteString.copyFromUtf8(value)).build();
  }

  RowMutation toMutation() {
    RowMutation.Builder row =
        RowMutation.newBuilder()
            .setKey(ByteString.copyFromUtf8(key))
            .setColumnFamily(family.name());
    for (ColumnOrSuperColumn entry : entries) {
      row.addMutations(Mutation.newBuilder().setColumnOrSuperColumn(entry));
    }
    return row.build();
  }

  private static List<Column> columnsOf(String... namesAndValues) {
    List<Column> columns = new ArrayList<>();
    for (int i = 0; i < namesAndValues.length; i += 2) {
      columns.add(column(ByteString.copyFromUtf8(namesAndValues[i]), namesAndValues[i + 1]));
    }
    return columns;
  }
}
