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
import dev.colonnade.v1.ColumnPath;
import dev.colonnade.v1.GetRangeSlicesRequest;
import dev.colonnade.v1.KeyBounds;
import dev.colonnade.v1.KeyCount;
import dev.colonnade.v1.KeyRange;
import dev.colonnade.v1.KeySlice;
import dev.colonnade.v1.MultigetCountRequest;
import dev.colonnade.v1.MultigetSliceRequest;
import dev.colonnade.v1.RemoveRequest;
import dev.colonnade.v1.SlicePredicate;
import dev.colonnade.v1.TokenBounds;
import dev.colonnade.v1.TouchRequest;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import java.nio.ByteBuffer;
import java.util.Base64;
import java.util.List;
import java.util.stream.Collectors;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/** The calls on many rows: several keys, ranges of keys and of tokens, touching. */
@ParameterizedClass
@EnumSource(Service.Way.class)
final class RowRangeCallsTest {

  private final Service service;

  RowRangeCallsTest(Service.Way way) {
    service = Service.start(Partitioners.BYTE_ORDERED).over(way);
  }

  @AfterEach
  void stop() {
    service.close();
  }

  @Test
  void multigetAnswersEveryDistinctKeyInOrderOfFirstAppearance() {
    service.insert("b", "Standard1", "x", "1", 1);
    service.insert("a", "Standard1", "x", "2", 1);
    service.insert("a", "Standard1", "y", "2", 1);
    List<KeySlice> rows =
        service
            .stub()
            .multigetSlice(
                MultigetSliceRequest.newBuilder()
                    .setKeyspace(KS)
                    .addAllKeys(List.of(bytes("b"), bytes("z"), bytes("a"), bytes("b"), bytes("y")))
                    .setColumnParent(parent("Standard1"))
                    .setPredicate(all())
                    .build())
            .getRowsList();
    assertEquals("b[x=1] z[] a[x=2 y=2] y[]", showRows(rows));
    List<KeyCount> counts =
        service
            .stub()
            .multigetCount(
                MultigetCountRequest.newBuilder()
                    .setKeyspace(KS)
                    .addAllKeys(List.of(bytes("a"), bytes("z"), bytes("b"), bytes("a")))
                    .setColumnParent(parent("Standard1"))
                    .setPredicate(all())
                    .build())
            .getCountsList();
    assertEquals(
        "a2 z0 b1",
        counts.stream()
            .map(count -> count.getKey().toStringUtf8() + count.getCount())
            .collect(Collectors.joining(" ")));
  }

  private static String showRows(List<KeySlice> rows) {
    return rows.stream()
        .map(row -> row.getKey().toStringUtf8() + "[" + show(row.getColumnsList()) + "]")
        .collect(Collectors.joining(" "));
  }

  static List<String> rows(Service service, KeyBounds bounds, boolean includeEmpty) {
    return rows(service, KeyRange.newBuilder().setKeys(bounds), includeEmpty, false, all());
  }

  private static List<String> rows(
      Service service,
      KeyRange.Builder range,
      boolean includeEmpty,
      boolean keysOnly,
      SlicePredicate predicate) {
    return service
        .stub()
        .getRangeSlices(
            GetRangeSlicesRequest.newBuilder()
                .setKeyspace(KS)
                .setColumnParent(parent("Standard1"))
                .setPredicate(predicate)
                .setRange(range)
                .setIncludeEmptyRows(includeEmpty)
                .setKeysOnly(keysOnly)
                .build())
        .getRowsList()
        .stream()
        .map(row -> row.getKey().toStringUtf8() + "[" + show(row.getColumnsList()) + "]")
        .toList();
  }

  private static KeyBounds keys(String start, String end) {
    return KeyBounds.newBuilder().setStartKey(bytes(start)).setEndKey(bytes(end)).build();
  }

  private static KeyRange.Builder tokens(String start, String end) {
    return KeyRange.newBuilder()
        .setTokens(TokenBounds.newBuilder().setStartToken(start).setEndToken(end));
  }

  @Test
  void rangesOfKeysAndTokens() {
    for (String key : List.of("a", "b", "c", "d")) {
      service.insert(key, "Standard1", "x", key, 1);
    }
    assertEquals(List.of("b[x=b]", "c[x=c]"), rows(service, keys("b", "c"), false));
    assertEquals(List.of("c[x=c]", "d[x=d]"), rows(service, keys("c", ""), false));
    assertEquals(List.of("a[x=a]", "b[x=b]"), rows(service, keys("", "bb"), false));
    assertEquals(List.of("b[x=b]"), rows(service, keys("b", "b"), false));
    assertEquals(
        List.of("c[x=c]", "d[x=d]"), rows(service, tokens("62", "64"), false, false, all()));
    assertEquals(
        List.of("d[x=d]", "a[x=a]"), rows(service, tokens("63", "61"), false, false, all()));
    assertEquals(
        List.of("c[x=c]", "d[x=d]", "a[x=a]", "b[x=b]"),
        rows(service, tokens("62", "62"), false, false, all()));
    assertEquals(
        List.of("c[x=c]", "d[x=d]", "a[x=a]"),
        rows(service, tokens("62", "62").setCount(3), false, false, all()));
  }

  @Test
  void aTokenWithARowOutsideItsRangeIsRefused() {
    for (String key : List.of("a", "b", "c")) {
      service.insert(key, "Standard1", "x", key, 1);
    }
    GetRangeSlicesRequest request =
        GetRangeSlicesRequest.newBuilder()
            .setKeyspace(KS)
            .setColumnParent(parent("Standard1"))
            .setPredicate(all())
            .setRange(KeyRange.newBuilder().setKeys(keys("b", "")))
            .setPageBytes(1)
            .build();
    String token = service.stub().getRangeSlices(request).getNextPageToken();
    byte[] position = Base64.getUrlDecoder().decode(token);
    int keyAt = 1 + 8 + 8 + 2;
    assertEquals('b', position[keyAt]);
    position[keyAt] = 'a';
    CRC32C crc = new CRC32C();
    crc.update(position, 0, position.length - 4);
    ByteBuffer.wrap(position).putInt(position.length - 4, (int) crc.getValue());
    String forged = Base64.getUrlEncoder().withoutPadding().encodeToString(position);
    StatusRuntimeException refused =
        assertThrows(
            StatusRuntimeException.class,
            () -> service.stub().getRangeSlices(request.toBuilder().setPageToken(forged).build()));
    assertEquals(Status.Code.INVALID_ARGUMENT, refused.getStatus().getCode());
  }

  @Test
  void scansListRowsWithAMatchAndGhostsOnlyWhenAsked() {
    service.insert("a", "Standard1", "x", "1", 1);
    service.insert("b", "Standard1", "y", "1", 1);
    var unused =
        service
            .stub()
            .remove(
                RemoveRequest.newBuilder()
                    .setKeyspace(KS)
                    .setKey(bytes("c"))
                    .setColumnPath(ColumnPath.newBuilder().setColumnFamily("Standard1"))
                    .setTimestamp(1)
                    .build());
    KeyRange.Builder whole = KeyRange.newBuilder().setKeys(KeyBounds.getDefaultInstance());
    assertEquals(List.of("a[x=1]"), rows(service, whole, false, false, names("x")));
    assertEquals(List.of("a[]"), rows(service, whole, false, true, names("x")));
    assertEquals(List.of("a[x=1]", "b[]", "c[]"), rows(service, whole, true, false, names("x")));
    assertEquals(
        List.of("a[x=1]", "b[]"),
        rows(service, whole.clone().setCount(2), true, false, names("x")));
    assertEquals(
        List.of("b[y=1]"), rows(service, whole.clone().setCount(1), false, false, names("y")));
  }

  @Test
  void touchCountsDistinctKeys() {
    assertEquals(
        2,
        service
            .stub()
            .touch(
                TouchRequest.newBuilder()
                    .setKeyspace(KS)
                    .setColumnFamily("Standard1")
                    .addKeys(bytes("a"))
                    .addKeys(bytes("b"))
                    .addKeys(bytes("a"))
                    .build())
            .getKeysLoaded());
  }
}
