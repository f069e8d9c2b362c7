package dev.colonnade.server.service.rpc;

import static dev.colonnade.server.service.rpc.Service.KS;
import static dev.colonnade.server.service.rpc.Service.all;
import static dev.colonnade.server.service.rpc.Service.bytes;
import static dev.colonnade.server.service.rpc.Service.column;
import static dev.colonnade.server.service.rpc.Service.parent;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.InvalidProtocolBufferException;
import com.google.rpc.RetryInfo;
import dev.colonnade.admin.v1.ListKeyspacesRequest;
import dev.colonnade.admin.v1.ListKeyspacesResponse;
import dev.colonnade.admin.v1.SchemaServiceGrpc;
import dev.colonnade.server.base.memory.MemoryPlan;
import dev.colonnade.server.base.memory.MemoryPool;
import dev.colonnade.server.base.memory.MemoryUse;
import dev.colonnade.server.base.memory.NodeMemory;
import dev.colonnade.server.service.consistency.AskedReplicas;
import dev.colonnade.server.service.consistency.Consistency;
import dev.colonnade.server.service.coordinator.RowStore;
import dev.colonnade.server.service.read.RangePage;
import dev.colonnade.server.service.read.RangeRead;
import dev.colonnade.server.service.read.SlicePage;
import dev.colonnade.server.service.read.SliceRead;
import dev.colonnade.server.service.write.RowMutation;
import dev.colonnade.v1.BatchMutateRequest;
import dev.colonnade.v1.ColumnOrSuperColumn;
import dev.colonnade.v1.ColumnStoreServiceGrpc;
import dev.colonnade.v1.GetRangeSlicesRequest;
import dev.colonnade.v1.GetRangeSlicesResponse;
import dev.colonnade.v1.GetSliceRequest;
import dev.colonnade.v1.GetSliceResponse;
import dev.colonnade.v1.InsertRequest;
import dev.colonnade.v1.InsertResponse;
import dev.colonnade.v1.KeyBounds;
import dev.colonnade.v1.KeyRange;
import dev.colonnade.v1.Mutation;
import dev.colonnade.v1.StreamSliceRequest;
import dev.colonnade.v1.StreamSliceResponse;
import io.grpc.CallOptions;
import io.grpc.ClientCall;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.protobuf.StatusProto;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Memory for clients' calls is reserved first, refused beyond the limit, and released. */
final class MemoryLimitsTest {

  private static final int KIBIBYTE = 1 << 10;

  private final NodeMemory memory =
      NodeMemory.of(
          MemoryPlan.forHeap(256L << 20),
          new MemoryPool(1_024 * KIBIBYTE, 0),
          new MemoryPool(1_024 * KIBIBYTE, 0));

  private final List<CompletableFuture<AskedReplicas>> heldWrites = new ArrayList<>();
  private boolean holdWrites;
  private int reads;

  private final Service service = Service.start(RpcSettings.defaults(), Between::new, memory);

  @AfterEach
  void everythingIsGivenBack() {
    service.close();
    assertEquals(0, memory.heap().usedBytes());
    assertEquals(0, memory.direct().usedBytes());
    assertEquals(0, memory.administration().usedBytes());
  }

  /** Counts reads; writes wait on request. */
  private final class Between implements RowStore {
    private final RowStore inner;

    Between(RowStore inner) {
      this.inner = inner;
    }

    @Override
    public CompletableFuture<SlicePage> read(SliceRead read) {
      reads++;
      return inner.read(read);
    }

    @Override
    public CompletableFuture<RangePage> readRange(RangeRead read) {
      reads++;
      return inner.readRange(read);
    }

    @Override
    public CompletableFuture<AskedReplicas> write(
        List<RowMutation> mutations, boolean durable, Consistency level, long deadlineNanos) {
      CompletableFuture<AskedReplicas> write =
          inner.write(mutations, durable, level, deadlineNanos);
      if (!holdWrites) {
        return write;
      }
      CompletableFuture<AskedReplicas> held = new CompletableFuture<>();
      heldWrites.add(held);
      return held;
    }
  }

  /** A call, and its outcome so far. */
  private static final class Asked<Q, R> extends ClientCall.Listener<R> {
    private final ClientCall<Q, R> call;
    private final List<R> messages = new ArrayList<>();
    private @Nullable Status status;
    private @Nullable Metadata trailers;

    Asked(Service service, MethodDescriptor<Q, R> method, Q request, int messages) {
      call = service.channel.newCall(method, CallOptions.DEFAULT);
      call.start(this, new Metadata());
      call.request(messages);
      call.sendMessage(request);
      call.halfClose();
    }

    @Override
    public void onMessage(R message) {
      messages.add(message);
    }

    @Override
    public void onClose(Status how, Metadata with) {
      status = how;
      trailers = with;
    }

    boolean isOver() {
      return status != null;
    }

    Status.@Nullable Code code() {
      Status now = status;
      return now == null ? null : now.getCode();
    }

    /** Whether the client is told to try again, after a while. */
    boolean isToTryAgain() throws InvalidProtocolBufferException {
      Status now = status;
      Metadata with = trailers;
      if (now == null || with == null) {
        return false;
      }
      for (var detail : StatusProto.fromStatusAndTrailers(now, with).getDetailsList()) {
        if (detail.is(RetryInfo.class)) {
          return detail.unpack(RetryInfo.class).hasRetryDelay();
        }
      }
      return false;
    }
  }

  private static InsertRequest insert(String name, int valueBytes) {
    return InsertRequest.newBuilder()
        .setKeyspace(KS)
        .setKey(bytes("k"))
        .setColumnParent(parent("Standard1"))
        .setColumn(column(name, "x".repeat(valueBytes), 1))
        .build();
  }

  private Asked<InsertRequest, InsertResponse> write(String name, int valueBytes) {
    return new Asked<>(
        service, ColumnStoreServiceGrpc.getInsertMethod(), insert(name, valueBytes), 1);
  }

  private static GetSliceRequest slice(int pageBytes, String token) {
    return GetSliceRequest.newBuilder()
        .setKeyspace(KS)
        .setKey(bytes("k"))
        .setColumnParent(parent("Standard1"))
        .setPredicate(all())
        .setPageBytes(pageBytes)
        .setPageToken(token)
        .build();
  }

  private Asked<GetSliceRequest, GetSliceResponse> read(int pageBytes) {
    return new Asked<>(
        service, ColumnStoreServiceGrpc.getGetSliceMethod(), slice(pageBytes, ""), 1);
  }

  @Test
  void whoLooksAfterANodeThatIsFullIsAnswered() {
    MemoryPool.PoolShare others = memory.heap().share(1);
    others.take(MemoryUse.PEERS_SENDING, memory.heap().capacityBytes());
    assertEquals(Status.Code.RESOURCE_EXHAUSTED, write("n", 10).code());
    for (int i = 0; i < 300; i++) {
      Asked<ListKeyspacesRequest, ListKeyspacesResponse> look =
          new Asked<>(
              service,
              SchemaServiceGrpc.getListKeyspacesMethod(),
              ListKeyspacesRequest.getDefaultInstance(),
              1);
      assertEquals(Status.Code.OK, look.code(), "what the calls before it held was not given back");
    }
    others.release(MemoryUse.PEERS_SENDING, memory.heap().capacityBytes());
  }

  @Test
  void aLargeRequestIsTakenApartAwayFromTheEventLoop() {
    service.scheduler.hold();
    Asked<InsertRequest, InsertResponse> small = write("s", KIBIBYTE);
    assertTrue(small.isOver(), "a small one needs no turn");
    Asked<InsertRequest, InsertResponse> large = write("l", 100 * KIBIBYTE);
    assertNull(large.status, "a large one was carried out where it came in");
    service.scheduler.runHeld();
    assertEquals(Status.Code.OK, large.code());
  }

  @Test
  void aWriteCancelledBeforeItsTurnIsNotCarriedOut() {
    service.scheduler.hold();
    Asked<InsertRequest, InsertResponse> large = write("l", 100 * KIBIBYTE);
    large.call.cancel("changed its mind", null);
    service.scheduler.runHeld();
    assertEquals(Status.Code.CANCELLED, large.code());
    assertEquals(0, service.stub().getSlice(slice(0, "")).getColumnsCount());
  }

  @Test
  void aScanCancelledBeforeItsTurnIsNotReadOn() {
    for (int i = 0; i < 10; i++) {
      service.insert("k" + i, "Standard1", "c", "x".repeat(20 * KIBIBYTE), 1);
    }
    service.scheduler.hold();
    Asked<GetRangeSlicesRequest, GetRangeSlicesResponse> scan =
        new Asked<>(
            service,
            ColumnStoreServiceGrpc.getGetRangeSlicesMethod(),
            GetRangeSlicesRequest.newBuilder()
                .setKeyspace(KS)
                .setColumnParent(parent("Standard1"))
                .setPredicate(all())
                .setRange(KeyRange.newBuilder().setKeys(KeyBounds.getDefaultInstance()))
                .setPageBytes(200 * KIBIBYTE)
                .build(),
            1);
    int readInline = reads;
    assertTrue(readInline <= 3, readInline + " reads on the event loop");
    scan.call.cancel("changed its mind", null);
    service.scheduler.runHeld();
    assertEquals(readInline, reads, "read on for a caller who has gone");
  }

  @Test
  void aLargeAnswerIsPutTogetherAwayFromTheEventLoop() {
    for (int i = 0; i < 10; i++) {
      service.insert("k", "Standard1", "c" + i, "x".repeat(10 * KIBIBYTE), 1);
    }
    service.scheduler.hold();
    Asked<GetSliceRequest, GetSliceResponse> large = read(200 * KIBIBYTE);
    assertNull(large.status, "a large answer was put together where the call came in");
    assertTrue(memory.heap().usedBytes(MemoryUse.ANSWERS) >= 200 * KIBIBYTE);
    service.scheduler.runHeld();
    assertEquals(Status.Code.OK, large.code());
    assertEquals(10, large.messages.get(0).getColumnsCount());
    assertEquals("", large.messages.get(0).getNextPageToken());
  }

  @Test
  void anAnswerOfOneLargeColumnIsEncodedAwayFromTheEventLoop() {
    service.insert("k", "Standard1", "c", "x".repeat(100 * KIBIBYTE), 1);
    service.scheduler.hold();
    Asked<GetSliceRequest, GetSliceResponse> large = read(16 * KIBIBYTE);
    assertNull(large.status, "a large answer was encoded where the call came in");
    service.scheduler.runHeld();
    assertEquals(Status.Code.OK, large.code());
    assertEquals(1, large.messages.get(0).getColumnsCount());
  }

  @Test
  void whatDoesNotFitBesideOthersIsRefusedAndMayBeTriedAgain() throws Exception {
    holdWrites = true;
    List<Asked<InsertRequest, InsertResponse>> calls = new ArrayList<>();
    for (int i = 0; i < 10; i++) {
      calls.add(write("c" + i, 100 * KIBIBYTE));
    }
    int held = heldWrites.size();
    assertTrue(held >= 2 && held <= 4, held + " requests of 100 KiB, and copies, fit 1 MiB");
    for (Asked<InsertRequest, InsertResponse> refused : calls.subList(held, 10)) {
      assertEquals(Status.Code.RESOURCE_EXHAUSTED, refused.code());
      assertTrue(refused.isToTryAgain(), "nothing says when to try again");
    }
    assertTrue(memory.heap().refusals(MemoryUse.REQUESTS) >= 10 - held);
    heldWrites.forEach(write -> write.complete(AskedReplicas.NONE));
    assertEquals(Status.Code.OK, calls.get(0).code());
    holdWrites = false;
    assertEquals(Status.Code.OK, write("again", 100 * KIBIBYTE).code());
  }

  @Test
  void aRequestThatNeverFitsSaysSo() throws Exception {
    Asked<InsertRequest, InsertResponse> call = write("c", 700 * KIBIBYTE);
    assertEquals(Status.Code.INVALID_ARGUMENT, call.code());
    assertTrue(String.valueOf(call.status).contains("heap"), () -> String.valueOf(call.status));
    assertTrue(!call.isToTryAgain());
  }

  @Test
  void emptyElementsCountAsWhatTheyTake() {
    dev.colonnade.v1.RowMutation.Builder row =
        dev.colonnade.v1.RowMutation.newBuilder().setColumnFamily("Standard1").setKey(bytes("k"));
    for (int i = 0; i < 20_000; i++) {
      row.addMutations(Mutation.getDefaultInstance());
    }
    BatchMutateRequest request =
        BatchMutateRequest.newBuilder().setKeyspace(KS).addRows(row).build();
    assertTrue(request.getSerializedSize() < 50 * KIBIBYTE, "it is short on the wire");
    StatusRuntimeException refused = null;
    try {
      var unused = service.stub().batchMutate(request);
    } catch (StatusRuntimeException e) {
      refused = e;
    }
    assertNotNull(refused);
    assertTrue(
        String.valueOf(refused.getMessage()).contains("bytes of memory"),
        "refused for something else: " + refused.getMessage());
  }

  @Test
  void withoutMemoryForAPageItIsShorter() {
    for (int i = 0; i < 40; i++) {
      service.insert("k", "Standard1", String.format("c%02d", i), "x".repeat(5 * KIBIBYTE), 1);
    }
    MemoryPool.PoolShare others = memory.heap().share(1_000);
    assertTrue(others.reserve(MemoryUse.PEER_REQUESTS, 700 * KIBIBYTE));
    GetSliceResponse page = service.stub().getSlice(slice(1 << 20, ""));
    assertTrue(page.getColumnsCount() < 40, "there was no memory for all of it");
    assertTrue(page.getColumnsCount() > 0, "a page makes way");
    List<ColumnOrSuperColumn> columns = new ArrayList<>(page.getColumnsList());
    while (!page.getNextPageToken().isEmpty()) {
      page = service.stub().getSlice(slice(1 << 20, page.getNextPageToken()));
      columns.addAll(page.getColumnsList());
    }
    assertEquals(40, columns.size());
    others.release(MemoryUse.PEER_REQUESTS, 700 * KIBIBYTE);
    assertEquals(40, service.stub().getSlice(slice(300 * KIBIBYTE, "")).getColumnsCount());
  }

  @Test
  void aReaderThatTakesNothingIsCutOff() {
    for (int i = 0; i < 10; i++) {
      service.insert("k", "Standard1", "c" + i, "x".repeat(90 * KIBIBYTE), 1);
    }
    Asked<StreamSliceRequest, StreamSliceResponse> stream =
        new Asked<>(
            service,
            ColumnStoreServiceGrpc.getStreamSliceMethod(),
            StreamSliceRequest.newBuilder()
                .setKeyspace(KS)
                .setKey(bytes("k"))
                .setColumnParent(parent("Standard1"))
                .setPredicate(all())
                .setMaxChunkBytes(100 * KIBIBYTE)
                .build(),
            1);
    assertEquals(1, stream.messages.size());
    assertNull(stream.status);
    service.clock.advance(Duration.ofMinutes(6));
    service.scheduler.tick();
    // The reason could not be sent: the bytes that the client does not read are before it.
    assertEquals(Status.Code.CANCELLED, stream.code());
  }
}
