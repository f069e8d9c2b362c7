package dev.colonnade.server.service.rpc;

import static dev.colonnade.server.service.rpc.ReadRefusals.sliceRange;
import static dev.colonnade.server.service.rpc.RefusalsTest.invalid;
import static dev.colonnade.server.service.rpc.Service.KS;
import static dev.colonnade.server.service.rpc.Service.all;
import static dev.colonnade.server.service.rpc.Service.bytes;
import static dev.colonnade.server.service.rpc.Service.column;
import static dev.colonnade.server.service.rpc.Service.names;
import static dev.colonnade.server.service.rpc.Service.number;
import static dev.colonnade.server.service.rpc.Service.parent;
import static dev.colonnade.server.service.rpc.Service.range;

import com.google.protobuf.ByteString;
import dev.colonnade.server.service.rpc.RefusalsTest.Case;
import dev.colonnade.v1.BatchMutateRequest;
import dev.colonnade.v1.Column;
import dev.colonnade.v1.ColumnOrSuperColumn;
import dev.colonnade.v1.ColumnPath;
import dev.colonnade.v1.ConsistencyLevel;
import dev.colonnade.v1.Deletion;
import dev.colonnade.v1.InsertRequest;
import dev.colonnade.v1.Mutation;
import dev.colonnade.v1.RemoveRequest;
import dev.colonnade.v1.RowMutation;
import dev.colonnade.v1.SlicePredicate;
import dev.colonnade.v1.SliceRange;
import dev.colonnade.v1.SuperColumn;
import dev.colonnade.v1.WriteOptions;
import java.util.function.Consumer;
import java.util.stream.Stream;

/** The rules that writes and batches must keep, each with a request that breaks it. */
final class WriteRefusals {

  private WriteRefusals() {}

  private static Case insertCase(
      String reason, String name, String field, Consumer<InsertRequest.Builder> change) {
    InsertRequest.Builder request =
        InsertRequest.newBuilder()
            .setKeyspace(KS)
            .setKey(bytes("k"))
            .setColumnParent(parent("Standard1"))
            .setColumn(column("c", "v", 1));
    change.accept(request);
    return new Case(name, reason, field, stub -> stub.insert(request.build()));
  }

  private static Case insertCase(
      String name, String field, Consumer<InsertRequest.Builder> change) {
    return insertCase("INVALID_REQUEST", name, field, change);
  }

  private static Case removeCase(String name, String field, RemoveRequest.Builder request) {
    RemoveRequest complete = request.setKeyspace(KS).setKey(bytes("k")).build();
    return invalid(name, field, stub -> stub.remove(complete));
  }

  private static RemoveRequest.Builder remove(String family) {
    return RemoveRequest.newBuilder()
        .setColumnPath(ColumnPath.newBuilder().setColumnFamily(family));
  }

  static Stream<Case> calls() {
    RemoveRequest.Builder both = remove("Standard1").setPredicate(names("a"));
    both.getColumnPathBuilder().setColumn(bytes("c"));
    RemoveRequest.Builder alone = remove("Super1");
    alone.getColumnPathBuilder().setColumn(number(1));
    return Stream.of(
        insertCase("SYSTEM_KEYSPACE_READ_ONLY", "system", "keyspace", r -> r.setKeyspace("system")),
        insertCase("insert nothing", "column", r -> r.clearColumn()),
        insertCase(
            "insert empty name",
            "column.name",
            r -> r.setColumn(Column.newBuilder().setTimestamp(1))),
        insertCase(
            "insert without super column",
            "column_parent.super_column",
            r -> r.setColumnParent(parent("Super1"))),
        insertCase(
            "ttl 0", "column.ttl_seconds", r -> r.setColumn(column("c", "v", 1).setTtlSeconds(0))),
        insertCase(
            "ttl past what can be kept",
            "column.ttl_seconds",
            r -> r.setColumn(column("c", "v", 1).setTtlSeconds(Integer.MAX_VALUE))),
        insertCase(
            "REQUEST_TOO_LARGE",
            "long value",
            "column.value",
            r ->
                r.setColumn(
                    column("c", "", 1).setValue(ByteString.copyFrom(new byte[(2 << 20) + 1])))),
        insertCase(
            "EACH_QUORUM with SimpleStrategy",
            "options.consistency_level",
            r ->
                r.setOptions(
                    WriteOptions.newBuilder()
                        .setConsistencyLevel(ConsistencyLevel.CONSISTENCY_LEVEL_EACH_QUORUM))),
        removeCase("predicate beside a column", "predicate", both),
        removeCase("column without super column", "column_path.super_column", alone),
        removeCase(
            "empty predicate of a removal",
            "predicate",
            remove("Standard1").setPredicate(SlicePredicate.getDefaultInstance())),
        removeCase(
            "counted removal",
            "predicate.slice_range.count",
            remove("Standard1").setPredicate(range(sliceRange("a", "b").setCount(3)))),
        removeCase(
            "reversed removal",
            "predicate.slice_range.reversed",
            remove("Standard1").setPredicate(range(sliceRange("b", "a").setReversed(true)))),
        removeCase(
            "removal since a timestamp",
            "predicate.min_timestamp",
            remove("Standard1").setPredicate(all().toBuilder().setMinTimestamp(7))));
  }

  private static Case batchCase(
      String reason, String name, String field, String family, Mutation.Builder mutation) {
    BatchMutateRequest request =
        BatchMutateRequest.newBuilder()
            .setKeyspace(KS)
            .addRows(RowMutation.newBuilder().setKey(bytes("good")).setColumnFamily("Standard1"))
            .addRows(
                RowMutation.newBuilder()
                    .setKey(bytes("k"))
                    .setColumnFamily(family)
                    .addMutations(mutation))
            .build();
    return new Case(name, reason, field, stub -> stub.batchMutate(request));
  }

  private static Mutation.Builder write(Column.Builder column) {
    return Mutation.newBuilder()
        .setColumnOrSuperColumn(ColumnOrSuperColumn.newBuilder().setColumn(column));
  }

  private static Mutation.Builder delete(Deletion.Builder deletion) {
    return Mutation.newBuilder().setDeletion(deletion);
  }

  static Stream<Case> batches() {
    String at = "rows[1].mutations[0]";
    String invalid = "INVALID_REQUEST";
    return Stream.of(
        batchCase(
            "COLUMN_FAMILY_NOT_FOUND",
            "batch of an unknown family",
            "rows[1].column_family",
            "Nope",
            Mutation.newBuilder()),
        batchCase(invalid, "no mutation", at, "Standard1", Mutation.newBuilder()),
        batchCase(
            invalid,
            "no column",
            at + ".column_or_super_column",
            "Standard1",
            Mutation.newBuilder().setColumnOrSuperColumn(ColumnOrSuperColumn.getDefaultInstance())),
        batchCase(
            invalid,
            "column in a Super family",
            at + ".column_or_super_column.column",
            "Super1",
            write(column("c", "v", 1))),
        batchCase(
            invalid,
            "super column in a Standard family, batch",
            at + ".column_or_super_column.super_column",
            "Standard1",
            Mutation.newBuilder()
                .setColumnOrSuperColumn(
                    ColumnOrSuperColumn.newBuilder()
                        .setSuperColumn(
                            SuperColumn.newBuilder()
                                .setName(bytes("s"))
                                .addColumns(column("c", "v", 1))))),
        batchCase(
            invalid,
            "bad column inside a super column",
            at + ".column_or_super_column.super_column.columns[0].name",
            "Super1",
            Mutation.newBuilder()
                .setColumnOrSuperColumn(
                    ColumnOrSuperColumn.newBuilder()
                        .setSuperColumn(
                            SuperColumn.newBuilder()
                                .setName(bytes("s"))
                                .addColumns(column("abc", "v", 1))))),
        batchCase(
            invalid,
            "ttl in a batch",
            at + ".column_or_super_column.column.ttl_seconds",
            "Standard1",
            write(column("c", "v", 1).setTtlSeconds(-1))),
        batchCase(
            invalid,
            "deletion of a super column in a Standard family",
            at + ".deletion.super_column",
            "Standard1",
            delete(Deletion.newBuilder().setSuperColumn(bytes("s")))),
        batchCase(
            invalid,
            "deletion with an empty predicate",
            at + ".deletion.predicate",
            "Standard1",
            delete(Deletion.newBuilder().setPredicate(SlicePredicate.getDefaultInstance()))),
        batchCase(
            invalid,
            "deletion of a bad name",
            at + ".deletion.predicate.column_names.names[0]",
            "Long1",
            delete(Deletion.newBuilder().setPredicate(names("abc")))),
        batchCase(
            invalid,
            "counted deletion",
            at + ".deletion.predicate.slice_range.count",
            "Standard1",
            delete(
                Deletion.newBuilder().setPredicate(range(SliceRange.newBuilder().setCount(1))))));
  }
}
