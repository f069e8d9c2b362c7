package dev.colonnade.server.service.rpc;

import static dev.colonnade.server.service.rpc.Service.KS;
import static dev.colonnade.server.service.rpc.Service.all;
import static dev.colonnade.server.service.rpc.Service.bytes;
import static dev.colonnade.server.service.rpc.Service.column;
import static dev.colonnade.server.service.rpc.Service.names;
import static dev.colonnade.server.service.rpc.Service.number;
import static dev.colonnade.server.service.rpc.Service.parent;
import static dev.colonnade.server.service.rpc.Service.range;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import com.google.protobuf.ByteString;
import com.google.rpc.ErrorInfo;
import dev.colonnade.server.cluster.ring.Partitioners;
import dev.colonnade.v1.BatchMutateRequest;
import dev.colonnade.v1.Column;
import dev.colonnade.v1.ColumnOrSuperColumn;
import dev.colonnade.v1.ColumnPath;
import dev.colonnade.v1.ColumnStoreServiceGrpc.ColumnStoreServiceBlockingStub;
import dev.colonnade.v1.ConsistencyLevel;
import dev.colonnade.v1.Deletion;
import dev.colonnade.v1.GetRangeSlicesRequest;
import dev.colonnade.v1.GetRequest;
import dev.colonnade.v1.GetSliceRequest;
import dev.colonnade.v1.InsertRequest;
import dev.colonnade.v1.KeyBounds;
import dev.colonnade.v1.KeyRange;
import dev.colonnade.v1.MultigetSliceRequest;
import dev.colonnade.v1.Mutation;
import dev.colonnade.v1.ReadOptions;
import dev.colonnade.v1.RemoveRequest;
import dev.colonnade.v1.RowMutation;
import dev.colonnade.v1.SlicePredicate;
import dev.colonnade.v1.SliceRange;
import dev.colonnade.v1.StreamSliceRequest;
import dev.colonnade.v1.SuperColumn;
import dev.colonnade.v1.TokenBounds;
import dev.colonnade.v1.WriteOptions;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import java.util.Objects;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/**
 * Every rule that a data request must keep: the status, the reason, and the path of the field at
 * fault.
 */
final class RefusalsTest {

  private static final ByteString LONG_NAME = ByteString.copyFrom(new byte[65_536]);

  private record Case(
      String name, String reason, String field, Consumer<ColumnStoreServiceBlockingStub> call) {}

  @TestFactory
  Stream<DynamicTest> refusesWithReasonAndField() {
    return Stream.of(reads(), ranges(), writes(), batches())
        .flatMap(cases -> cases)
        .flatMap(
            one ->
                Stream.of(Service.Way.values())
                    .map(
                        way ->
                            DynamicTest.dynamicTest(one.name + ", " + way, () -> check(one, way))));
  }

  private static void check(Case one, Service.Way way) {
    try (Service service = Service.start(Partitioners.ORDER_PRESERVING).over(way)) {
      StatusRuntimeException error =
          assertThrows(StatusRuntimeException.class, () -> one.call.accept(service.stub()));
      assertEquals(one.reason, Service.reason(error), error.getMessage());
      assertEquals(one.field, Service.field(error), error.getMessage());
      Status.Code code =
          one.reason.endsWith("NOT_FOUND") ? Status.Code.NOT_FOUND : Status.Code.INVALID_ARGUMENT;
      assertEquals(code, error.getStatus().getCode());
      ErrorInfo info = Objects.requireNonNull(Service.detail(error, ErrorInfo.class));
      assertEquals("colonnade", info.getDomain());
    }
  }

  private static Case invalid(
      String name, String field, Consumer<ColumnStoreServiceBlockingStub> call) {
    return new Case(name, "INVALID_REQUEST", field, call);
  }

  private static GetSliceRequest.Builder slice() {
    return GetSliceRequest.newBuilder()
        .setKeyspace(KS)
        .setKey(bytes("k"))
        .setColumnParent(parent("Standard1"))
        .setPredicate(all());
  }

  private static Case sliceCase(
      String name, String field, Consumer<GetSliceRequest.Builder> change) {
    return sliceCase("INVALID_REQUEST", name, field, change);
  }

  private static Case sliceCase(
      String reason, String name, String field, Consumer<GetSliceRequest.Builder> change) {
    GetSliceRequest.Builder request = slice();
    change.accept(request);
    return new Case(name, reason, field, stub -> stub.getSlice(request.build()));
  }

  private static Case getCase(String name, String field, Consumer<ColumnPath.Builder> change) {
    ColumnPath.Builder path = ColumnPath.newBuilder();
    change.accept(path);
    GetRequest request =
        GetRequest.newBuilder().setKeyspace(KS).setKey(bytes("k")).setColumnPath(path).build();
    return invalid(name, field, stub -> stub.get(request));
  }

  private static SliceRange.Builder sliceRange(String start, String finish) {
    return SliceRange.newBuilder().setStart(bytes(start)).setFinish(bytes(finish));
  }

  private static ReadOptions read(ConsistencyLevel level) {
    return ReadOptions.newBuilder().setConsistencyLevel(level).build();
  }

  private static Stream<Case> reads() {
    return Stream.of(
        sliceCase("no keyspace", "keyspace", r -> r.clearKeyspace()),
        sliceCase("KEYSPACE_NOT_FOUND", "unknown keyspace", "keyspace", r -> r.setKeyspace("ks")),
        sliceCase("no family", "column_parent.column_family", r -> r.clearColumnParent()),
        sliceCase(
            "COLUMN_FAMILY_NOT_FOUND",
            "unknown family",
            "column_parent.column_family",
            r -> r.setColumnParent(parent("standard1"))),
        sliceCase("empty key", "key", r -> r.clearKey()),
        sliceCase("long key", "key", r -> r.setKey(LONG_NAME)),
        sliceCase(
            "key not text", "key", r -> r.setKey(ByteString.copyFrom(new byte[] {(byte) 0xff}))),
        sliceCase(
            "super column in a Standard family",
            "column_parent.super_column",
            r -> r.setColumnParent(parent("Standard1", "s"))),
        sliceCase(
            "empty super column",
            "column_parent.super_column",
            r -> r.setColumnParent(parent("Super1", ""))),
        sliceCase("no predicate", "predicate", r -> r.clearPredicate()),
        sliceCase(
            "empty predicate",
            "predicate",
            r -> r.setPredicate(SlicePredicate.getDefaultInstance())),
        sliceCase(
            "empty name", "predicate.column_names.names[1]", r -> r.setPredicate(names("a", ""))),
        sliceCase(
            "name of the wrong type",
            "predicate.column_names.names[0]",
            r -> r.setColumnParent(parent("Long1")).setPredicate(names("abc"))),
        sliceCase(
            "bound of the wrong type",
            "predicate.slice_range.start",
            r -> r.setColumnParent(parent("Long1")).setPredicate(range(sliceRange("abc", "")))),
        sliceCase(
            "long bound",
            "predicate.slice_range.finish",
            r -> r.setPredicate(range(SliceRange.newBuilder().setFinish(LONG_NAME)))),
        sliceCase(
            "negative count",
            "predicate.slice_range.count",
            r -> r.setPredicate(range(SliceRange.newBuilder().setCount(-1)))),
        sliceCase(
            "start after finish",
            "predicate.slice_range.start",
            r -> r.setPredicate(range(sliceRange("b", "a")))),
        sliceCase(
            "reversed start before finish",
            "predicate.slice_range.start",
            r -> r.setPredicate(range(sliceRange("a", "b").setReversed(true)))),
        sliceCase(
            "read at ANY",
            "options.consistency_level",
            r -> r.setOptions(read(ConsistencyLevel.CONSISTENCY_LEVEL_ANY))),
        sliceCase(
            "read at ZERO",
            "options.consistency_level",
            r -> r.setOptions(read(ConsistencyLevel.CONSISTENCY_LEVEL_ZERO))),
        sliceCase(
            "unknown level",
            "options.consistency_level",
            r -> r.setOptions(ReadOptions.newBuilder().setConsistencyLevelValue(99))),
        sliceCase(
            "LOCAL_QUORUM with SimpleStrategy",
            "options.consistency_level",
            r -> r.setOptions(read(ConsistencyLevel.CONSISTENCY_LEVEL_LOCAL_QUORUM))),
        sliceCase("page too large", "page_bytes", r -> r.setPageBytes((2 << 20) + 1)),
        sliceCase("page negative", "page_bytes", r -> r.setPageBytes(-1)),
        sliceCase("INVALID_PAGE_TOKEN", "junk token", "page_token", r -> r.setPageToken("abc")),
        sliceCase("INVALID_PAGE_TOKEN", "not base64", "page_token", r -> r.setPageToken("{}")),
        sliceCase(
            "INVALID_PAGE_TOKEN",
            "endless token",
            "page_token",
            r -> r.setPageToken("a".repeat(300_000))),
        getCase("get nothing", "column_path.column_family", p -> {}),
        getCase("get without column", "column_path.column", p -> p.setColumnFamily("Standard1")),
        getCase(
            "get empty column",
            "column_path.column",
            p -> p.setColumnFamily("Standard1").setColumn(ByteString.EMPTY)),
        getCase(
            "get without super column",
            "column_path.super_column",
            p -> p.setColumnFamily("Super1").setColumn(number(1))),
        invalid(
            "stream chunk too large",
            "max_chunk_bytes",
            stub -> {
              var unused =
                  stub.streamSlice(
                          StreamSliceRequest.newBuilder()
                              .setKeyspace(KS)
                              .setKey(bytes("k"))
                              .setColumnParent(parent("Standard1"))
                              .setPredicate(all())
                              .setMaxChunkBytes((1 << 20) + 1)
                              .build())
                      .next();
            }),
        invalid(
            "one bad key of many",
            "keys[1]",
            stub ->
                stub.multigetSlice(
                    MultigetSliceRequest.newBuilder()
                        .setKeyspace(KS)
                        .addKeys(bytes("a"))
                        .addKeys(ByteString.EMPTY)
                        .setColumnParent(parent("Standard1"))
                        .setPredicate(all())
                        .build())),
        new Case(
            "too many keys",
            "REQUEST_TOO_LARGE",
            "keys",
            stub -> {
              MultigetSliceRequest.Builder request =
                  MultigetSliceRequest.newBuilder()
                      .setKeyspace(KS)
                      .setColumnParent(parent("Standard1"))
                      .setPredicate(all());
              for (int i = 0; i <= 10_000; i++) {
                request.addKeys(bytes("k" + i));
              }
              stub.multigetSlice(request.build());
            }));
  }

  private static Case rangeCase(String name, String field, KeyRange range) {
    GetRangeSlicesRequest request =
        GetRangeSlicesRequest.newBuilder()
            .setKeyspace(KS)
            .setColumnParent(parent("Standard1"))
            .setPredicate(all())
            .setRange(range)
            .build();
    return invalid(name, field, stub -> stub.getRangeSlices(request));
  }

  private static KeyRange keys(String start, String end) {
    return KeyRange.newBuilder()
        .setKeys(KeyBounds.newBuilder().setStartKey(bytes(start)).setEndKey(bytes(end)))
        .build();
  }

  private static Stream<Case> ranges() {
    KeyRange badToken =
        KeyRange.newBuilder()
            .setTokens(TokenBounds.newBuilder().setStartToken("not a number").setEndToken("1"))
            .build();
    return Stream.of(
        invalid(
            "no range",
            "range",
            stub ->
                stub.getRangeSlices(
                    GetRangeSlicesRequest.newBuilder()
                        .setKeyspace(KS)
                        .setColumnParent(parent("Standard1"))
                        .setPredicate(all())
                        .build())),
        rangeCase("no bounds", "range", KeyRange.getDefaultInstance()),
        rangeCase("no rows", "range.count", keys("", "").toBuilder().setCount(0).build()),
        rangeCase("keys out of order", "range.keys.start_key", keys("b", "a")),
        rangeCase(
            "bound not text",
            "range.keys.end_key",
            KeyRange.newBuilder()
                .setKeys(
                    KeyBounds.newBuilder().setEndKey(ByteString.copyFrom(new byte[] {(byte) 0xc0})))
                .build()),
        invalid(
            "unreadable token",
            "range.tokens.start_token",
            stub -> {
              try (Service random = Service.start()) {
                random
                    .stub()
                    .getRangeSlices(
                        GetRangeSlicesRequest.newBuilder()
                            .setKeyspace(KS)
                            .setColumnParent(parent("Standard1"))
                            .setPredicate(all())
                            .setRange(badToken)
                            .build());
              }
            }));
  }

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

  private static Stream<Case> writes() {
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
            remove("Standard1").setPredicate(range(sliceRange("b", "a").setReversed(true)))));
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

  private static Stream<Case> batches() {
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
