package dev.colonnade.it.conformance;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.protobuf.ByteString;
import dev.colonnade.v1.Column;
import dev.colonnade.v1.ColumnNames;
import dev.colonnade.v1.ColumnOrSuperColumn;
import dev.colonnade.v1.ColumnParent;
import dev.colonnade.v1.ColumnPath;
import dev.colonnade.v1.ConsistencyLevel;
import dev.colonnade.v1.Deletion;
import dev.colonnade.v1.KeyBounds;
import dev.colonnade.v1.KeyRange;
import dev.colonnade.v1.Mutation;
import dev.colonnade.v1.ReadOptions;
import dev.colonnade.v1.RowMutation;
import dev.colonnade.v1.SlicePredicate;
import dev.colonnade.v1.SliceRange;
import dev.colonnade.v1.SuperColumn;
import dev.colonnade.v1.TokenBounds;
import dev.colonnade.v1.WriteOptions;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;

/** Puts the parts of a recorded request into messages of our contract. */
final class TraceRequests {

  private static final HexFormat HEX = HexFormat.of();

  private TraceRequests() {}

  static String text(JsonObject line, String member) {
    return line.get(member).getAsString();
  }

  static ByteString bytes(JsonElement hex) {
    return ByteString.copyFrom(HEX.parseHex(hex.getAsString()));
  }

  static ByteString key(JsonObject line) {
    return bytes(line.get("key"));
  }

  static List<ByteString> keys(JsonObject line) {
    return line.getAsJsonArray("keys").asList().stream().map(TraceRequests::bytes).toList();
  }

  static ReadOptions readOptions(JsonObject line) {
    return ReadOptions.newBuilder().setConsistencyLevel(consistency(line)).build();
  }

  static WriteOptions writeOptions(JsonObject line) {
    return WriteOptions.newBuilder().setConsistencyLevel(consistency(line)).build();
  }

  private static ConsistencyLevel consistency(JsonObject line) {
    return ConsistencyLevel.valueOf("CONSISTENCY_LEVEL_" + text(line, "cl"));
  }

  static ColumnParent parent(JsonObject line) {
    ColumnParent.Builder parent = ColumnParent.newBuilder().setColumnFamily(text(line, "cf"));
    if (line.has("sc")) {
      parent.setSuperColumn(bytes(line.get("sc")));
    }
    return parent.build();
  }

  static ColumnPath path(JsonObject line) {
    ColumnPath.Builder path = ColumnPath.newBuilder().setColumnFamily(text(line, "cf"));
    if (line.has("sc")) {
      path.setSuperColumn(bytes(line.get("sc")));
    }
    if (line.has("column")) {
      path.setColumn(bytes(line.get("column")));
    }
    return path.build();
  }

  static Column column(JsonObject recorded) {
    Column.Builder column =
        Column.newBuilder()
            .setName(bytes(recorded.get("n")))
            .setValue(bytes(recorded.get("v")))
            .setTimestamp(recorded.get("ts").getAsLong());
    if (recorded.has("ttl")) {
      column.setTtlSeconds(recorded.get("ttl").getAsInt());
    }
    return column.build();
  }

  static SlicePredicate predicate(JsonObject recorded) {
    SlicePredicate.Builder predicate = SlicePredicate.newBuilder();
    if (recorded.has("names")) {
      ColumnNames.Builder names = ColumnNames.newBuilder();
      recorded.getAsJsonArray("names").forEach(name -> names.addNames(bytes(name)));
      predicate.setColumnNames(names);
    }
    if (recorded.has("range")) {
      JsonObject range = recorded.getAsJsonObject("range");
      predicate.setSliceRange(
          SliceRange.newBuilder()
              .setStart(bytes(range.get("start")))
              .setFinish(bytes(range.get("finish")))
              .setReversed(range.get("reversed").getAsBoolean())
              .setCount(range.get("count").getAsInt()));
    }
    return predicate.build();
  }

  static KeyRange keyRange(JsonObject recorded) {
    KeyRange.Builder range = KeyRange.newBuilder().setCount(recorded.get("count").getAsInt());
    if (recorded.has("start_key")) {
      range.setKeys(
          KeyBounds.newBuilder()
              .setStartKey(bytes(recorded.get("start_key")))
              .setEndKey(bytes(recorded.get("end_key"))));
    } else if (recorded.has("start_token")) {
      range.setTokens(
          TokenBounds.newBuilder()
              .setStartToken(text(recorded, "start_token"))
              .setEndToken(text(recorded, "end_token")));
    }
    return range.build();
  }

  /**
   * The rows of a batch.
   *
   * @param lastRowDeletionOnly leave out every deletion of a whole row but the last in its list
   */
  static List<RowMutation> rows(JsonObject line, boolean lastRowDeletionOnly) {
    List<RowMutation> rows = new ArrayList<>();
    line.getAsJsonObject("mutations")
        .asMap()
        .forEach(
            (key, families) ->
                families
                    .getAsJsonObject()
                    .asMap()
                    .forEach(
                        (family, list) -> {
                          JsonArray mutations = list.getAsJsonArray();
                          int firstKept = lastRowDeletionOnly ? lastRowDeletion(mutations) : 0;
                          RowMutation.Builder row =
                              RowMutation.newBuilder()
                                  .setKey(ByteString.copyFrom(HEX.parseHex(key)))
                                  .setColumnFamily(family);
                          for (int i = 0; i < mutations.size(); i++) {
                            JsonObject mutation = mutations.get(i).getAsJsonObject();
                            if (i >= firstKept || !Trait.isRowDeletion(mutation)) {
                              row.addMutations(mutation(mutation));
                            }
                          }
                          rows.add(row.build());
                        }));
    return rows;
  }

  private static int lastRowDeletion(JsonArray mutations) {
    int last = 0;
    for (int i = 0; i < mutations.size(); i++) {
      if (Trait.isRowDeletion(mutations.get(i).getAsJsonObject())) {
        last = i;
      }
    }
    return last;
  }

  private static Mutation mutation(JsonObject recorded) {
    Mutation.Builder mutation = Mutation.newBuilder();
    if (recorded.has("c")) {
      mutation.setColumnOrSuperColumn(
          ColumnOrSuperColumn.newBuilder().setColumn(column(recorded.getAsJsonObject("c"))));
    } else if (recorded.has("sc")) {
      mutation.setColumnOrSuperColumn(
          ColumnOrSuperColumn.newBuilder()
              .setSuperColumn(superColumn(recorded.getAsJsonObject("sc"))));
    } else if (recorded.has("empty_cosc")) {
      mutation.setColumnOrSuperColumn(ColumnOrSuperColumn.getDefaultInstance());
    } else if (recorded.has("del")) {
      mutation.setDeletion(deletion(recorded.getAsJsonObject("del")));
    }
    return mutation.build();
  }

  private static SuperColumn superColumn(JsonObject recorded) {
    SuperColumn.Builder superColumn = SuperColumn.newBuilder().setName(bytes(recorded.get("n")));
    for (JsonElement column : recorded.getAsJsonArray("cols")) {
      superColumn.addColumns(column(column.getAsJsonObject()));
    }
    return superColumn.build();
  }

  private static Deletion deletion(JsonObject recorded) {
    Deletion.Builder deletion = Deletion.newBuilder().setTimestamp(recorded.get("ts").getAsLong());
    if (recorded.has("sc")) {
      deletion.setSuperColumn(bytes(recorded.get("sc")));
    }
    if (recorded.has("pred")) {
      deletion.setPredicate(predicate(recorded.getAsJsonObject("pred")));
    }
    return deletion.build();
  }
}
