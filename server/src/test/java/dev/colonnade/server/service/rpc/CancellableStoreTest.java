package dev.colonnade.server.service.rpc;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.colonnade.server.base.model.PageSink;
import dev.colonnade.server.base.model.RowKey;
import dev.colonnade.server.base.model.Slice;
import dev.colonnade.server.base.schema.SystemKeyspace;
import dev.colonnade.server.service.consistency.AskedReplicas;
import dev.colonnade.server.service.consistency.Consistency;
import dev.colonnade.server.service.coordinator.RowStore;
import dev.colonnade.server.service.read.RangePage;
import dev.colonnade.server.service.read.RangeRead;
import dev.colonnade.server.service.read.SlicePage;
import dev.colonnade.server.service.read.SliceRead;
import dev.colonnade.server.service.write.RowMutation;
import io.grpc.Context;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

class CancellableStoreTest {

  /** A store that never answers. */
  private static final class Silent implements RowStore {
    private final CompletableFuture<SlicePage> read = new CompletableFuture<>();
    private final CompletableFuture<SlicePage> count = new CompletableFuture<>();
    private final CompletableFuture<RangePage> range = new CompletableFuture<>();
    private final CompletableFuture<AskedReplicas> write = new CompletableFuture<>();

    @Override
    public CompletableFuture<SlicePage> read(SliceRead asked) {
      return asked.countOnly() ? count : read;
    }

    @Override
    public CompletableFuture<RangePage> readRange(RangeRead ignored) {
      return range;
    }

    @Override
    public CompletableFuture<AskedReplicas> write(
        List<RowMutation> mutations, boolean durable, Consistency level, long deadlineNanos) {
      return write;
    }
  }

  @Test
  void whatACallReadsIsCalledOffWithItAndWhatItWritesIsNot() {
    Silent silent = new Silent();
    Context.CancellableContext call = Context.ROOT.withCancellation();
    CancellableStore store = new CancellableStore(silent, Caller.of(call), null);
    Slice slice = new Slice(List.of(), false, false, 1);
    var read =
        store.read(
            new SliceRead(
                SystemKeyspace.LOCAL,
                RowKey.firstOf(new byte[1]),
                slice,
                Optional.empty(),
                1,
                Consistency.ONE,
                Long.MAX_VALUE,
                PageSink.LISTS));
    var count =
        store.read(
            SliceRead.count(
                SystemKeyspace.LOCAL,
                RowKey.firstOf(new byte[1]),
                slice,
                Consistency.ONE,
                Long.MAX_VALUE));
    var range =
        store.readRange(
            new RangeRead(
                SystemKeyspace.LOCAL,
                List.of(),
                slice,
                1,
                false,
                false,
                Optional.empty(),
                1,
                Consistency.ONE,
                Long.MAX_VALUE,
                PageSink.LISTS));
    var written = store.write(List.of(), true, Consistency.ONE, Long.MAX_VALUE);
    assertFalse(read.isDone() || count.isDone() || range.isDone());

    call.cancel(new CancellationException("the client went"));

    assertTrue(silent.read.isCancelled());
    assertTrue(silent.count.isCancelled());
    assertTrue(silent.range.isCancelled());
    assertFalse(written.isDone());
  }
}
