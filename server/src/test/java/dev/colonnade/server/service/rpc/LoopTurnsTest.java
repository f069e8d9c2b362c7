package dev.colonnade.server.service.rpc;

import static dev.colonnade.server.service.rpc.Service.KS;
import static dev.colonnade.server.service.rpc.Service.all;
import static dev.colonnade.server.service.rpc.Service.bytes;
import static dev.colonnade.server.service.rpc.Service.parent;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.colonnade.server.service.consistency.AskedReplicas;
import dev.colonnade.server.service.consistency.Consistency;
import dev.colonnade.server.service.coordinator.RowStore;
import dev.colonnade.server.service.read.RangePage;
import dev.colonnade.server.service.read.RangeRead;
import dev.colonnade.server.service.read.SlicePage;
import dev.colonnade.server.service.read.SliceRead;
import dev.colonnade.server.service.write.RowMutation;
import dev.colonnade.v1.ColumnStoreServiceGrpc;
import dev.colonnade.v1.GetSliceRequest;
import dev.colonnade.v1.GetSliceResponse;
import io.grpc.ManagedChannel;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * A flood of calls on one connection, and how it affects a call of another one on the same loop.
 */
final class LoopTurnsTest {

  /** How long each read occupies the loop. */
  private static final Duration READ = Duration.ofNanos(100_000);

  private static final int FLOOD = 900;

  private final List<String> begun = new ArrayList<>();
  private final Queue<Runnable> loop = new ArrayDeque<>();
  private final Service service = Service.start(RpcSettings.defaults(), this::noting);
  private ManagedChannel one;
  private ManagedChannel other;

  @BeforeEach
  void connect() {
    service.loop = loop::add;
    one = service.newConnection();
    other = service.newConnection();
  }

  @AfterEach
  void stop() {
    one.shutdownNow();
    other.shutdownNow();
    service.close();
  }

  /** Notes each read, and lets its time pass. */
  private RowStore noting(RowStore store) {
    return new RowStore() {
      @Override
      public CompletableFuture<SlicePage> read(SliceRead read) {
        begun.add(new String(read.key().key(), StandardCharsets.UTF_8));
        service.clock.advance(READ);
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
    };
  }

  private static Future<GetSliceResponse> slice(ManagedChannel connection, String key) {
    return ColumnStoreServiceGrpc.newFutureStub(connection)
        .getSlice(
            GetSliceRequest.newBuilder()
                .setKeyspace(KS)
                .setKey(bytes(key))
                .setColumnParent(parent("Standard1"))
                .setPredicate(all())
                .build());
  }

  private List<Future<GetSliceResponse>> flood() {
    List<Future<GetSliceResponse>> calls = new ArrayList<>();
    for (int i = 0; i < FLOOD; i++) {
      calls.add(slice(one, "flood" + i));
    }
    return calls;
  }

  private void turnLoop() {
    loop.remove().run();
  }

  @Test
  void aFloodIsCutIntoSlicesOfTime() throws Exception {
    List<Future<GetSliceResponse>> calls = flood();
    int perSlice = (int) (LoopTurns.SLICE.toNanos() / READ.toNanos());
    assertEquals(perSlice, begun.size());
    assertEquals(1, loop.size());
    turnLoop();
    assertEquals(2 * perSlice, begun.size());
    while (!loop.isEmpty()) {
      turnLoop();
    }
    assertEquals(FLOOD, begun.size());
    for (Future<GetSliceResponse> call : calls) {
      assertTrue(call.isDone());
      assertEquals(0, call.get().getColumnsCount());
    }
    for (int i = 0; i < FLOOD; i++) {
      assertEquals("flood" + i, begun.get(i));
    }
  }

  @Test
  void aCallOfAnotherConnectionWaitsForOneTurnOfTheFlood() {
    flood();
    int before = begun.size();
    Future<GetSliceResponse> call = slice(other, "other");
    turnLoop();
    assertTrue(call.isDone());
    assertTrue(begun.indexOf("other") <= before + 1, "as number " + begun.indexOf("other"));
  }

  @Test
  void callsOfALoopThatIsNotBusyBeginAtOnce() {
    for (int i = 0; i < 50; i++) {
      assertTrue(slice(i % 2 == 0 ? one : other, "k" + i).isDone());
      service.clock.advance(LoopTurns.SLICE);
    }
    assertTrue(loop.isEmpty());
  }

  @Test
  void aCallThatIsCancelledBeforeItsTurnIsNotCarriedOut() {
    List<Future<GetSliceResponse>> calls = flood();
    Future<GetSliceResponse> last = calls.get(FLOOD - 1);
    assertTrue(last.cancel(true));
    while (!loop.isEmpty()) {
      turnLoop();
    }
    assertEquals(FLOOD - 1, begun.size());
    assertTrue(!begun.contains("flood" + (FLOOD - 1)));
  }

  @Test
  void largeAnswersOfOneConnectionDoNotHoldUpThoseOfAnother() {
    LargeTurns large = new LargeTurns(service.scheduler);
    List<String> run = new ArrayList<>();
    service.scheduler.hold();
    for (int i = 0; i < 300; i++) {
      assertTrue(large.submit("one", 2 << 20, () -> run.add("one")));
    }
    assertTrue(large.submit("other", 64 << 10, () -> run.add("other")));
    service.scheduler.runHeld();
    assertEquals(301, run.size());
    assertTrue(run.indexOf("other") <= 1, "as number " + run.indexOf("other"));
  }

  @Test
  void oneConnectionCannotFillTheStageForLargeWork() {
    LargeTurns large = new LargeTurns(service.scheduler);
    service.scheduler.hold();
    int taken = 0;
    while (taken < 1_024 && large.submit("one", 1, () -> {})) {
      taken++;
    }
    assertEquals(512, taken);
    assertTrue(large.submit("other", 1, () -> {}));
  }

  @Test
  void whatTheStageRefusesDoesNotRunInAnothersPlace() {
    LargeTurns large = new LargeTurns(service.scheduler);
    List<String> run = new ArrayList<>();
    service.scheduler.hold();
    assertTrue(large.submit("one", 1, () -> run.add("first")));
    service.scheduler.refuse();
    assertTrue(!large.submit("one", 1, () -> run.add("refused")));
    service.scheduler.runHeld();
    assertEquals(List.of("first"), run);
  }
}
