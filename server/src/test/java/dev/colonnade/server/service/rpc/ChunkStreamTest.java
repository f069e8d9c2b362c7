package dev.colonnade.server.service.rpc;

import static dev.colonnade.server.service.rpc.Service.KS;
import static dev.colonnade.server.service.rpc.Service.all;
import static dev.colonnade.server.service.rpc.Service.bytes;
import static dev.colonnade.server.service.rpc.Service.parent;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.colonnade.server.service.consistency.AskedReplicas;
import dev.colonnade.server.service.consistency.Consistency;
import dev.colonnade.server.service.coordinator.RowStore;
import dev.colonnade.server.service.read.RangePage;
import dev.colonnade.server.service.read.RangeRead;
import dev.colonnade.server.service.read.SlicePage;
import dev.colonnade.server.service.read.SliceRead;
import dev.colonnade.server.service.write.RowMutation;
import dev.colonnade.server.sim.NaiveRowStore;
import dev.colonnade.server.sim.SimClock;
import dev.colonnade.v1.ReadOptions;
import dev.colonnade.v1.StreamSliceRequest;
import dev.colonnade.v1.StreamSliceResponse;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** A stream of columns reads at the pace of its reader, and no further than that wants. */
final class ChunkStreamTest {

  /** Counts reads. */
  private static final class CountedReads implements RowStore {
    private final RowStore inner;
    private int reads;
    private long lastDeadlineNanos;

    CountedReads(RowStore inner) {
      this.inner = inner;
    }

    @Override
    public CompletableFuture<SlicePage> read(SliceRead read) {
      reads++;
      lastDeadlineNanos = read.deadlineNanos();
      return inner.read(read);
    }

    @Override
    public CompletableFuture<RangePage> readRange(RangeRead read) {
      return inner.readRange(read);
    }

    @Override
    public CompletableFuture<AskedReplicas> write(
        List<RowMutation> mutations, boolean durable, Consistency level, long deadlineNanos) {
      return inner.write(mutations, durable, level, deadlineNanos);
    }
  }

  private CountedReads store = new CountedReads(new NaiveRowStore(new SimClock()));

  private Service start(RpcSettings settings) {
    return Service.start(
        settings,
        inner -> {
          store = new CountedReads(inner);
          return store;
        });
  }

  private static StreamSliceRequest wholeRow(int chunkBytes) {
    return StreamSliceRequest.newBuilder()
        .setKeyspace(KS)
        .setKey(bytes("k"))
        .setColumnParent(parent("Standard1"))
        .setPredicate(all())
        .setMaxChunkBytes(chunkBytes)
        .setOptions(ReadOptions.newBuilder().setIncludeStats(true))
        .build();
  }

  @Test
  void aSlowReaderHasAtMostOneChunkReadAhead() {
    try (Service service = start(RpcSettings.defaults())) {
      for (int i = 0; i < 200; i++) {
        service.insert("k", "Standard1", String.format("c%03d", i), "v", 1);
      }
      StreamReader<StreamSliceRequest, StreamSliceResponse> reader = new StreamReader<>();
      service.async().streamSlice(wholeRow(500), reader);
      assertTrue(store.reads <= 1, "read ahead of a reader that asked for nothing");
      int columns = 0;
      while (!reader.completed) {
        reader.call().request(1);
        assertTrue(
            store.reads <= reader.messages.size() + 1,
            store.reads + " pages for " + reader.messages.size() + " messages");
      }
      for (int i = 0; i < reader.messages.size(); i++) {
        StreamSliceResponse message = reader.messages.get(i);
        columns += message.getColumnsCount();
        assertTrue(message.getColumnsCount() == 0 || !message.getResumeToken().isEmpty());
        assertEquals(i == reader.messages.size() - 1, message.hasStats());
      }
      assertEquals(200, columns);
    }
  }

  @Test
  void aCancelledStreamStopsReading() {
    try (Service service = start(RpcSettings.defaults())) {
      for (int i = 0; i < 50; i++) {
        service.insert("k", "Standard1", String.format("c%03d", i), "v", 1);
      }
      StreamReader<StreamSliceRequest, StreamSliceResponse> reader = new StreamReader<>();
      service.async().streamSlice(wholeRow(100), reader);
      reader.call().request(2);
      reader.call().cancel("seen enough", null);
      int reads = store.reads;
      reader.call().request(10);
      assertEquals(reads, store.reads);
      assertNotNull(reader.error);
    }
  }

  @Test
  void theCallersDeadlineReachesTheStoreAndTheServersHoldsWithoutOne() {
    try (Service service = start(RpcSettings.defaults())) {
      StreamReader<StreamSliceRequest, StreamSliceResponse> reader = new StreamReader<>();
      service.async().streamSlice(wholeRow(0), reader);
      reader.call().request(5);
      assertEquals(10_000_000_000L, store.lastDeadlineNanos);
      StreamReader<StreamSliceRequest, StreamSliceResponse> hurried = new StreamReader<>();
      service
          .async()
          .withDeadlineAfter(3, java.util.concurrent.TimeUnit.SECONDS)
          .streamSlice(wholeRow(0), hurried);
      hurried.call().request(5);
      // So that the caller gets the reason, and not only its own time-out.
      assertTrue(store.lastDeadlineNanos <= 2_750_000_000L, "no time is left for the answer");
    }
  }
}
