package dev.colonnade.server.service.rpc;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.ByteString;
import dev.colonnade.server.base.model.Cell;
import dev.colonnade.server.base.model.CellSink;
import dev.colonnade.server.service.consistency.AskedReplicas;
import dev.colonnade.server.service.consistency.Consistency;
import dev.colonnade.server.service.coordinator.RowStore;
import dev.colonnade.server.service.read.RangePage;
import dev.colonnade.server.service.read.RangeRead;
import dev.colonnade.server.service.read.SlicePage;
import dev.colonnade.server.service.read.SliceRead;
import dev.colonnade.server.service.write.RowMutation;
import dev.colonnade.v1.ColumnPath;
import dev.colonnade.v1.ColumnStoreServiceGrpc;
import dev.colonnade.v1.GetRangeSlicesRequest;
import dev.colonnade.v1.GetRequest;
import dev.colonnade.v1.GetSliceRequest;
import dev.colonnade.v1.KeyBounds;
import dev.colonnade.v1.KeyRange;
import dev.colonnade.v1.MultigetSliceRequest;
import dev.colonnade.v1.SlicePredicate;
import dev.colonnade.v1.SliceRange;
import dev.colonnade.v1.StreamRangeSlicesRequest;
import dev.colonnade.v1.StreamSliceRequest;
import io.grpc.Context;
import io.grpc.StatusRuntimeException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The store is asked to encode what it finds at once, as long as the caller is there. */
final class EncodedReadsTest {

  private static final ByteString KEY = ByteString.copyFromUtf8("row");

  private final Service service = Service.start(RpcSettings.defaults(), Watched::new);
  private final List<CellSink> filled = new ArrayList<>();

  /** Cancels the call in the middle of its read; null to let it go on. */
  private @Nullable Runnable cancel;

  /** The bytes that were encoded after that. */
  private long encodedInVain = -1;

  /** Notes what the cells of pages were given to. */
  private final class Watched implements RowStore {
    private final RowStore store;

    Watched(RowStore store) {
      this.store = store;
    }

    @Override
    public CompletableFuture<SlicePage> read(SliceRead read) {
      Runnable nowCancel = cancel;
      if (nowCancel != null) {
        nowCancel.run();
        EncodedColumns sink = (EncodedColumns) read.sinks().get().row(read.key(), read.from());
        Cell cell = Cell.live(new byte[10], null, new byte[90], 1);
        assertThrows(
            CancellationException.class,
            () -> {
              while (sink.bytes() < 1 << 20) {
                sink.add(cell);
              }
            });
        encodedInVain = sink.bytes();
        return CompletableFuture.failedFuture(new CancellationException());
      }
      return store
          .read(read)
          .thenApply(
              page -> {
                filled.add(page.found());
                return page;
              });
    }

    @Override
    public CompletableFuture<RangePage> readRange(RangeRead read) {
      return store
          .readRange(read)
          .thenApply(
              page -> {
                page.rows().forEach(row -> filled.add(row.found()));
                return page;
              });
    }

    @Override
    public CompletableFuture<AskedReplicas> write(
        List<RowMutation> mutations, boolean durable, Consistency consistency, long deadlineNanos) {
      return store.write(mutations, durable, consistency, deadlineNanos);
    }
  }

  @AfterEach
  void stop() {
    service.close();
  }

  private static SlicePredicate all() {
    return SlicePredicate.newBuilder().setSliceRange(SliceRange.getDefaultInstance()).build();
  }

  private static KeyRange allKeys() {
    return KeyRange.newBuilder().setKeys(KeyBounds.getDefaultInstance()).build();
  }

  private static GetSliceRequest slice() {
    return GetSliceRequest.newBuilder()
        .setKeyspace(Service.KS)
        .setKey(KEY)
        .setColumnParent(Service.parent("Standard1"))
        .setPredicate(all())
        .build();
  }

  @Test
  void everyReadOfColumnsIsEncodedWhereTheyAreFound() {
    service.insert("row", "Standard1", "c", "v", 1);
    ColumnStoreServiceGrpc.ColumnStoreServiceBlockingStub stub = service.stub();
    assertEquals(
        "v",
        stub.get(
                GetRequest.newBuilder()
                    .setKeyspace(Service.KS)
                    .setKey(KEY)
                    .setColumnPath(
                        ColumnPath.newBuilder()
                            .setColumnFamily("Standard1")
                            .setColumn(ByteString.copyFromUtf8("c")))
                    .build())
            .getColumnOrSuperColumn()
            .getColumn()
            .getValue()
            .toStringUtf8());
    assertEquals(1, stub.getSlice(slice()).getColumnsCount());
    assertEquals(
        1,
        stub.multigetSlice(
                MultigetSliceRequest.newBuilder()
                    .setKeyspace(Service.KS)
                    .addKeys(KEY)
                    .setColumnParent(Service.parent("Standard1"))
                    .setPredicate(all())
                    .build())
            .getRowsCount());
    assertEquals(
        1,
        stub.getRangeSlices(
                GetRangeSlicesRequest.newBuilder()
                    .setKeyspace(Service.KS)
                    .setColumnParent(Service.parent("Standard1"))
                    .setPredicate(all())
                    .setRange(allKeys())
                    .build())
            .getRowsCount());
    stub.streamSlice(
            StreamSliceRequest.newBuilder()
                .setKeyspace(Service.KS)
                .setKey(KEY)
                .setColumnParent(Service.parent("Standard1"))
                .setPredicate(all())
                .build())
        .forEachRemaining(chunk -> assertEquals(1, chunk.getColumnsCount()));
    stub.streamRangeSlices(
            StreamRangeSlicesRequest.newBuilder()
                .setKeyspace(Service.KS)
                .setColumnParent(Service.parent("Standard1"))
                .setPredicate(all())
                .setRange(allKeys())
                .build())
        .forEachRemaining(chunk -> assertEquals(1, chunk.getRowsCount()));
    List<Class<?>> into = new ArrayList<>();
    filled.forEach(sink -> into.add(sink.getClass()));
    assertEquals(Collections.nCopies(6, EncodedColumns.class), into);
  }

  @Test
  void aReadEndsSoonAfterItsCallIsCancelled() {
    Context.CancellableContext caller = Context.current().withCancellation();
    cancel = () -> caller.cancel(null);
    caller.run(
        () -> assertThrows(StatusRuntimeException.class, () -> service.stub().getSlice(slice())));
    assertTrue(encodedInVain >= 0, "the read was not cancelled");
    assertTrue(encodedInVain < 32 << 10, "encoded " + encodedInVain + " bytes");
  }
}
