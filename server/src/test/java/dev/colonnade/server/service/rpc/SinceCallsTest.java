package dev.colonnade.server.service.rpc;

import static dev.colonnade.server.service.rpc.Service.KS;
import static dev.colonnade.server.service.rpc.Service.all;
import static dev.colonnade.server.service.rpc.Service.bytes;
import static dev.colonnade.server.service.rpc.Service.names;
import static dev.colonnade.server.service.rpc.Service.parent;
import static dev.colonnade.server.service.rpc.Service.range;
import static dev.colonnade.server.service.rpc.Service.show;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.colonnade.server.cluster.ring.Partitioners;
import dev.colonnade.v1.Column;
import dev.colonnade.v1.ColumnOrSuperColumn;
import dev.colonnade.v1.ColumnParent;
import dev.colonnade.v1.ColumnPath;
import dev.colonnade.v1.GetCountRequest;
import dev.colonnade.v1.GetRangeSlicesRequest;
import dev.colonnade.v1.GetSliceRequest;
import dev.colonnade.v1.GetSliceResponse;
import dev.colonnade.v1.InsertRequest;
import dev.colonnade.v1.KeyBounds;
import dev.colonnade.v1.KeyRange;
import dev.colonnade.v1.KeySlice;
import dev.colonnade.v1.MultigetCountRequest;
import dev.colonnade.v1.MultigetSliceRequest;
import dev.colonnade.v1.RemoveRequest;
import dev.colonnade.v1.SlicePredicate;
import dev.colonnade.v1.SliceRange;
import dev.colonnade.v1.StreamSliceRequest;
import io.grpc.StatusRuntimeException;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/** A least timestamp selects columns in every call that takes a predicate. */
@ParameterizedClass
@EnumSource(Service.Way.class)
final class SinceCallsTest {

  private static final ColumnParent STANDARD = parent("Standard1");

  private final Service service;

  SinceCallsTest(Service.Way way) {
    service = Service.start(Partitioners.BYTE_ORDERED).over(way);
  }

  /** The value of each column is its timestamp. */
  @BeforeEach
  void write() {
    long[] timestamps = {30, 10, 20, -5, 30, 20};
    for (int i = 0; i < timestamps.length; i++) {
      insert("k", STANDARD, String.valueOf((char) ('a' + i)), timestamps[i]);
    }
    insert("old", STANDARD, "a", 1);
    insert("k", parent("Super2", "s"), "a", 10);
    insert("k", parent("Super2", "s"), "b", 20);
    insert("k", parent("Super2", "t"), "a", 10);
    insert("k", parent("Super2", "u"), "a", 30);
  }

  @AfterEach
  void stop() {
    service.close();
  }

  private void insert(String key, ColumnParent parent, String name, long timestamp) {
    service
        .stub()
        .insert(
            InsertRequest.newBuilder()
                .setKeyspace(KS)
                .setKey(bytes(key))
                .setColumnParent(parent)
                .setColumn(
                    Column.newBuilder()
                        .setName(bytes(name))
                        .setValue(bytes(Long.toString(timestamp)))
                        .setTimestamp(timestamp))
                .build());
  }

  private static SlicePredicate since(SlicePredicate predicate, long timestamp) {
    return predicate.toBuilder().setMinTimestamp(timestamp).build();
  }

  private String slice(ColumnParent parent, SlicePredicate predicate) {
    return show(service.stub().getSlice(request(parent, predicate)).getColumnsList());
  }

  private static GetSliceRequest request(ColumnParent parent, SlicePredicate predicate) {
    return GetSliceRequest.newBuilder()
        .setKeyspace(KS)
        .setKey(bytes("k"))
        .setColumnParent(parent)
        .setPredicate(predicate)
        .build();
  }

  private static String rows(List<KeySlice> rows) {
    return rows.stream()
        .map(row -> row.getKey().toStringUtf8() + "[" + show(row.getColumnsList()) + "]")
        .collect(Collectors.joining());
  }

  @Test
  void theLeastTimestampItselfPasses() {
    assertEquals("a=30 c=20 e=30 f=20", slice(STANDARD, since(all(), 20)));
    assertEquals("a=30 e=30", slice(STANDARD, since(all(), 21)));
    assertEquals("a=30 b=10 c=20 e=30 f=20", slice(STANDARD, since(all(), 0)));
    assertEquals("", slice(STANDARD, since(all(), Long.MAX_VALUE)));
    assertEquals("a=30 b=10 c=20 d=-5 e=30 f=20", slice(STANDARD, since(all(), Long.MIN_VALUE)));
  }

  @Test
  void intervalDirectionAndCountAreOfWhatPasses() {
    SliceRange.Builder firstTwo = SliceRange.newBuilder().setCount(2);
    assertEquals("a=30 c=20", slice(STANDARD, since(range(firstTwo), 20)));
    assertEquals("f=20 e=30", slice(STANDARD, since(range(firstTwo.setReversed(true)), 20)));
    assertEquals("a=30 c=20", slice(STANDARD, since(names("c", "b", "a"), 20)));
  }

  @Test
  void ofASuperColumnSuchColumnsComeAndWithoutAnyItIsLeftOut() {
    assertEquals("s{b=20} u{a=30}", slice(parent("Super2"), since(all(), 20)));
    assertEquals(
        "u{a=30} s{b=20}",
        slice(
            parent("Super2"),
            since(range(SliceRange.newBuilder().setReversed(true).setCount(2)), 20)));
    assertEquals("u{a=30}", slice(parent("Super2"), since(names("s", "t", "u"), 21)));
    assertEquals("b=20", slice(parent("Super2", "s"), since(all(), 20)));
  }

  @Test
  void deletionsAreNotShown() {
    service
        .stub()
        .remove(
            RemoveRequest.newBuilder()
                .setKeyspace(KS)
                .setKey(bytes("k"))
                .setColumnPath(
                    ColumnPath.newBuilder().setColumnFamily("Standard1").setColumn(bytes("a")))
                .setTimestamp(40)
                .build());
    assertEquals("e=30", slice(STANDARD, since(all(), 25)));
    assertEquals("", slice(STANDARD, since(all(), 40)));
  }

  @Test
  void countsMultigetsAndScansSelectToo() {
    assertEquals(
        4,
        service
            .stub()
            .getCount(
                GetCountRequest.newBuilder()
                    .setKeyspace(KS)
                    .setKey(bytes("k"))
                    .setColumnParent(STANDARD)
                    .setPredicate(since(all(), 20))
                    .build())
            .getCount());
    assertEquals(
        List.of(2L, 0L),
        service
            .stub()
            .multigetCount(
                MultigetCountRequest.newBuilder()
                    .setKeyspace(KS)
                    .addKeys(bytes("k"))
                    .addKeys(bytes("old"))
                    .setColumnParent(parent("Standard1"))
                    .setPredicate(since(all(), 30))
                    .build())
            .getCountsList()
            .stream()
            .map(count -> count.getCount())
            .toList());
    assertEquals(
        "old[]k[a=30 e=30]",
        rows(
            service
                .stub()
                .multigetSlice(
                    MultigetSliceRequest.newBuilder()
                        .setKeyspace(KS)
                        .addKeys(bytes("old"))
                        .addKeys(bytes("k"))
                        .setColumnParent(STANDARD)
                        .setPredicate(since(all(), 30))
                        .build())
                .getRowsList()));
    GetRangeSlicesRequest scan =
        GetRangeSlicesRequest.newBuilder()
            .setKeyspace(KS)
            .setColumnParent(STANDARD)
            .setPredicate(since(all(), 30))
            .setRange(KeyRange.newBuilder().setKeys(KeyBounds.getDefaultInstance()))
            .build();
    assertEquals("k[a=30 e=30]", rows(service.stub().getRangeSlices(scan).getRowsList()));
    assertEquals(
        "k[a=30 e=30]old[]",
        rows(
            service
                .stub()
                .getRangeSlices(scan.toBuilder().setIncludeEmptyRows(true).build())
                .getRowsList()));
  }

  @Test
  void pagesAndStreamsAreTheSliceAndATokenIsOfItsTimestamp() {
    List<ColumnOrSuperColumn> pages = new ArrayList<>();
    GetSliceRequest request =
        request(STANDARD, since(all(), 20)).toBuilder().setPageBytes(1).build();
    GetSliceResponse page = service.stub().getSlice(request);
    String token = page.getNextPageToken();
    pages.addAll(page.getColumnsList());
    while (!page.getNextPageToken().isEmpty()) {
      page =
          service
              .stub()
              .getSlice(request.toBuilder().setPageToken(page.getNextPageToken()).build());
      pages.addAll(page.getColumnsList());
    }
    assertEquals("a=30 c=20 e=30 f=20", show(pages));

    GetSliceRequest other =
        request(STANDARD, since(all(), 21)).toBuilder().setPageToken(token).build();
    StatusRuntimeException refused =
        assertThrows(StatusRuntimeException.class, () -> service.stub().getSlice(other));
    assertEquals("INVALID_PAGE_TOKEN", Service.reason(refused));

    List<ColumnOrSuperColumn> streamed = new ArrayList<>();
    service
        .stub()
        .streamSlice(
            StreamSliceRequest.newBuilder()
                .setKeyspace(KS)
                .setKey(bytes("k"))
                .setColumnParent(STANDARD)
                .setPredicate(since(all(), 20))
                .setMaxChunkBytes(1)
                .build())
        .forEachRemaining(chunk -> streamed.addAll(chunk.getColumnsList()));
    assertEquals("a=30 c=20 e=30 f=20", show(streamed));
  }
}
