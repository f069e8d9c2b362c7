package dev.colonnade.server.service.rpc;

import static dev.colonnade.server.service.rpc.RefusalsTest.invalid;
import static dev.colonnade.server.service.rpc.Service.KS;
import static dev.colonnade.server.service.rpc.Service.all;
import static dev.colonnade.server.service.rpc.Service.bytes;
import static dev.colonnade.server.service.rpc.Service.names;
import static dev.colonnade.server.service.rpc.Service.number;
import static dev.colonnade.server.service.rpc.Service.parent;
import static dev.colonnade.server.service.rpc.Service.range;

import com.google.protobuf.ByteString;
import dev.colonnade.server.service.rpc.RefusalsTest.Case;
import dev.colonnade.v1.ColumnPath;
import dev.colonnade.v1.ConsistencyLevel;
import dev.colonnade.v1.GetRangeSlicesRequest;
import dev.colonnade.v1.GetRequest;
import dev.colonnade.v1.GetSliceRequest;
import dev.colonnade.v1.KeyBounds;
import dev.colonnade.v1.KeyRange;
import dev.colonnade.v1.MultigetSliceRequest;
import dev.colonnade.v1.ReadOptions;
import dev.colonnade.v1.SlicePredicate;
import dev.colonnade.v1.SliceRange;
import dev.colonnade.v1.StreamSliceRequest;
import dev.colonnade.v1.TokenBounds;
import java.util.function.Consumer;
import java.util.stream.Stream;

/** The rules that reads of rows and of ranges must keep, each with a request that breaks it. */
final class ReadRefusals {

  private static final ByteString LONG_NAME = ByteString.copyFrom(new byte[65_536]);

  private ReadRefusals() {}

  /** A range of names given as text. */
  static SliceRange.Builder sliceRange(String start, String finish) {
    return SliceRange.newBuilder().setStart(bytes(start)).setFinish(bytes(finish));
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

  private static ReadOptions read(ConsistencyLevel level) {
    return ReadOptions.newBuilder().setConsistencyLevel(level).build();
  }

  static Stream<Case> slices() {
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

  static Stream<Case> ranges() {
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
}
