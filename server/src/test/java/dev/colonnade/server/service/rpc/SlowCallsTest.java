package dev.colonnade.server.service.rpc;

import static dev.colonnade.server.service.rpc.Service.KS;
import static dev.colonnade.server.service.rpc.Service.all;
import static dev.colonnade.server.service.rpc.Service.bytes;
import static dev.colonnade.server.service.rpc.Service.parent;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.ByteString;
import dev.colonnade.admin.v1.ChangeSettingRequest;
import dev.colonnade.admin.v1.NodeServiceGrpc;
import dev.colonnade.server.service.consistency.AskedReplicas;
import dev.colonnade.server.service.consistency.Consistency;
import dev.colonnade.server.service.coordinator.RowStore;
import dev.colonnade.server.service.read.RangePage;
import dev.colonnade.server.service.read.RangeRead;
import dev.colonnade.server.service.read.SlicePage;
import dev.colonnade.server.service.read.SliceRead;
import dev.colonnade.server.service.write.RowMutation;
import dev.colonnade.v1.ConsistencyLevel;
import dev.colonnade.v1.GetSliceRequest;
import dev.colonnade.v1.GetSliceResponse;
import dev.colonnade.v1.ReadOptions;
import dev.colonnade.v1.StreamSliceRequest;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Which calls are reported as slow, and what is said of them. */
class SlowCallsTest {

  private static final String VALUE = "a-value-that-stays-secret";

  private final List<SlowRequest> slow = new ArrayList<>();
  private final Service service = start(RpcSettings.defaults());
  private Duration readTakes = Duration.ZERO;

  /** Whose time passes while a store reads. */
  private Service timed = service;

  private Service start(RpcSettings settings) {
    return Service.start(
        settings,
        store -> new Late(store, this),
        new CallMetrics() {
          @Override
          public void ended(
              String method, String statusCode, String keyspace, String family, long nanos) {}

          @Override
          public void slow(SlowRequest request) {
            slow.add(request);
          }
        });
  }

  /** Lets time pass while it reads. */
  private record Late(RowStore store, SlowCallsTest test) implements RowStore {
    @Override
    public CompletableFuture<SlicePage> read(SliceRead read) {
      test.timed.clock.advance(test.readTakes);
      return store.read(read);
    }

    @Override
    public CompletableFuture<RangePage> readRange(RangeRead read) {
      return store.readRange(read);
    }

    @Override
    public CompletableFuture<AskedReplicas> write(
        List<RowMutation> mutations, boolean durable, Consistency level, long deadlineNanos) {
      return store.write(mutations, durable, level, deadlineNanos);
    }
  }

  @AfterEach
  void stop() {
    service.close();
  }

  private static GetSliceRequest slice(ByteString key, String family) {
    return GetSliceRequest.newBuilder()
        .setKeyspace(KS)
        .setKey(key)
        .setColumnParent(parent(family))
        .setPredicate(all())
        .setOptions(
            ReadOptions.newBuilder().setConsistencyLevel(ConsistencyLevel.CONSISTENCY_LEVEL_QUORUM))
        .build();
  }

  @ParameterizedTest
  @EnumSource(Service.Way.class)
  void theThresholdChangesWhileTheNodeRuns(Service.Way way) {
    service.over(way);
    readTakes = Duration.ofMillis(100);
    for (String millis : List.of("101", "100", "0")) {
      var changed =
          NodeServiceGrpc.newBlockingStub(service.channel)
              .changeSetting(
                  ChangeSettingRequest.newBuilder()
                      .setName("slow_request_threshold")
                      .setValue(millis)
                      .build());
      assertEquals(millis, changed.getSetting().getValue());
      var unused = service.stub().getSlice(slice(bytes("a-row"), "Standard1"));
    }
    assertEquals(1, slow.size(), slow::toString);
  }

  @ParameterizedTest
  @EnumSource(Service.Way.class)
  void aCallThatTakesTheThresholdIsReportedWithWhatItWasAndWithoutValues(Service.Way way) {
    service.over(way);
    service.insert("a-row", "Standard1", "c", VALUE, 1);
    readTakes = Duration.ofMillis(499);
    var quick = service.stub().getSlice(slice(bytes("a-row"), "Standard1"));
    assertEquals(1, quick.getColumnsCount());
    assertEquals(List.of(), slow);

    readTakes = Duration.ofMillis(500);
    GetSliceResponse answer = service.stub().getSlice(slice(bytes("a-row"), "Standard1"));
    assertEquals(1, slow.size());
    SlowRequest one = slow.get(0);
    assertEquals("GetSlice", one.method());
    assertEquals("OK", one.statusCode());
    assertEquals(KS, one.keyspace());
    assertEquals("Standard1", one.family());
    assertEquals("'a-row'", one.key());
    assertEquals(1, one.rows());
    assertEquals("QUORUM", one.level());
    assertEquals(Duration.ofMillis(500).toNanos(), one.nanos());
    assertEquals("local", one.client(), "this connection has no address");
    assertEquals(answer.getSerializedSize(), one.answerBytes());
    assertFalse(one.toString().contains(VALUE), one.toString());
  }

  @Test
  void keysAndNamesAreShownCutAndInPrintableForm() {
    readTakes = Duration.ofSeconds(1);
    service.stub().getSlice(slice(ByteString.copyFrom(new byte[] {0, (byte) 0xff}), "Standard1"));
    service.stub().getSlice(slice(bytes("line\nbreak"), "Standard1"));
    service.stub().getSlice(slice(bytes("k".repeat(1_000)), "Standard1"));
    assertEquals("0x00ff", slow.get(0).key());
    assertEquals("0x6c696e650a627265616b", slow.get(1).key());
    assertEquals("'" + "k".repeat(64) + "'…", slow.get(2).key());
    SlowRequest odd =
        SlowRequest.of(
            "s/M",
            io.grpc.Status.Code.NOT_FOUND,
            new CallSubject.Called(
                "two\nlines",
                "f".repeat(100),
                ByteString.EMPTY,
                0,
                ConsistencyLevel.CONSISTENCY_LEVEL_UNSPECIFIED),
            1,
            "local");
    assertEquals("two?lines", odd.keyspace());
    assertEquals("f".repeat(64) + "…", odd.family());
    assertEquals("ONE", odd.level());
  }

  @Test
  void streamsTakeAsLongAsTheirReaderLikes() {
    service.insert("a-row", "Standard1", "c", VALUE, 1);
    readTakes = Duration.ofSeconds(2);
    var chunks =
        service
            .stub()
            .streamSlice(
                StreamSliceRequest.newBuilder()
                    .setKeyspace(KS)
                    .setKey(bytes("a-row"))
                    .setColumnParent(parent("Standard1"))
                    .setPredicate(all())
                    .build());
    assertTrue(chunks.hasNext());
    chunks.forEachRemaining(chunk -> {});
    assertEquals(List.of(), slow);
  }

  @Test
  void noCallIsSlowWhereTheThresholdIsZero() {
    try (Service off = start(RpcSettings.defaults().withSlowRequest(Duration.ZERO))) {
      timed = off;
      readTakes = Duration.ofSeconds(5);
      long before = off.clock.monotonicNanos();
      var answer = off.stub().getSlice(slice(bytes("a-row"), "Standard1"));
      assertEquals(0, answer.getColumnsCount());
      assertEquals(readTakes.toNanos(), off.clock.monotonicNanos() - before);
    }
    assertEquals(List.of(), slow);
  }
}
