package dev.colonnade.server.storage.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.colonnade.server.base.codec.ByteReader;
import dev.colonnade.server.base.model.Cell;
import dev.colonnade.server.base.model.FamilyId;
import dev.colonnade.server.base.model.LogPosition;
import dev.colonnade.server.base.model.RowKey;
import dev.colonnade.server.base.model.RowUpdate;
import dev.colonnade.server.sim.FileFault;
import dev.colonnade.server.sim.FileOperation;
import dev.colonnade.server.sim.SimClock;
import dev.colonnade.server.sim.SimFileSystem;
import dev.colonnade.server.sim.SimScheduler;
import dev.colonnade.server.storage.commitlog.CommitLog;
import dev.colonnade.server.storage.commitlog.CommitLogSettings;
import dev.colonnade.server.storage.commitlog.LogRefusedException;
import dev.colonnade.server.storage.commitlog.SegmentInventory;
import dev.colonnade.server.storage.mutation.Mutation;
import dev.colonnade.server.storage.mutation.MutationCodec;
import dev.colonnade.server.storage.mutation.StoreStoppedException;
import dev.colonnade.server.storage.sstable.TestRows;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/**
 * Writes of one group, in batch mode: on a disk that is full or fails, and with one that throws.
 */
final class WriteGroupTest {

  private static final FamilyId FAMILY = new FamilyId(1, 1);

  private final SimFileSystem disk = new SimFileSystem();
  private final Applier applier = new Applier();
  private final SimClock clock = new SimClock();
  private final SimScheduler stages = new SimScheduler(clock);

  /** Publishes keys; what a key says happens to its mutation. */
  private static final class Applier implements MutationApplier {
    private final List<String> published = new ArrayList<>();
    private final List<IOException> logFailures = new ArrayList<>();

    @Override
    public Mutation admit(Mutation mutation) {
      return text(mutation).equals("truncated")
          ? new Mutation(mutation.key(), List.of(), 0)
          : mutation;
    }

    @Override
    public boolean hasRoom(LogPosition reached) {
      return true;
    }

    @Override
    public boolean isFull() {
      return false;
    }

    @Override
    public boolean isStuck() {
      return false;
    }

    @Override
    public PreparedMutation prepare(Mutation mutation) {
      if (text(mutation).equals("incomparable")) {
        throw new StackOverflowError("in a comparator");
      }
      return new PreparedMutation(mutation, List.of());
    }

    @Override
    public void publish(PreparedMutation prepared, boolean logged) {
      published.add(text(prepared.mutation()));
    }

    @Override
    public void forgetPrepared() {}

    @Override
    public void afterTurn(LogPosition reached) {}

    @Override
    public void logFailed(IOException cause) {
      logFailures.add(cause);
    }
  }

  private static String text(Mutation mutation) {
    return new String(mutation.key().key(), StandardCharsets.UTF_8);
  }

  private static Mutation mutation(String key) {
    byte[] bytes = key.getBytes(StandardCharsets.UTF_8);
    RowUpdate update =
        RowUpdate.builder(TestRows.STANDARD)
            .add(Cell.live(new byte[] {1}, null, new byte[] {1}, 1))
            .build();
    return new Mutation(
        new RowKey(bytes, bytes), List.of(new Mutation.FamilyMutation(FAMILY, update, 0)), 0);
  }

  private WritePipeline open() throws IOException {
    CommitLog log =
        CommitLog.open(
            disk,
            SegmentInventory.open(disk),
            CommitLogSettings.defaults(),
            LogPosition.START,
            (position, payload) -> Set.of());
    return new WritePipeline(
        log, applier, stages, () -> {}, clock, true, 1 << 20, LogPosition.START);
  }

  private CompletableFuture<Void> write(WritePipeline pipeline, String key) {
    return pipeline.submit(mutation(key), true, Long.MAX_VALUE, null);
  }

  /** The keys that a start after a power cut finds in the log. */
  private List<String> durable() throws IOException {
    SimFileSystem found = disk.crashClone();
    List<String> keys = new ArrayList<>();
    CommitLog.open(
            found,
            SegmentInventory.open(found),
            CommitLogSettings.defaults(),
            LogPosition.START,
            (LogPosition position, ByteReader payload) -> {
              keys.add(text(MutationCodec.read(payload)));
              return Set.of(FAMILY);
            })
        .close();
    return keys;
  }

  private static Throwable failure(CompletableFuture<Void> write) {
    assertTrue(write.isDone());
    return write.handle((done, failure) -> failure).join();
  }

  @Test
  void aWriteThatFailsBeforeTheLogFailsAloneAndOneThatIsVoidSucceeds() throws IOException {
    WritePipeline pipeline = open();
    CompletableFuture<Void> incomparable = write(pipeline, "incomparable");
    CompletableFuture<Void> truncated = write(pipeline, "truncated");
    CompletableFuture<Void> first = write(pipeline, "a");
    CompletableFuture<Void> memoryOnly =
        pipeline.submit(mutation("in memory"), false, Long.MAX_VALUE, null);
    CompletableFuture<Void> last = write(pipeline, "b");
    assertFalse(first.isDone(), "the log stage has yet to write them");
    stages.runUntilIdle();

    assertInstanceOf(StackOverflowError.class, failure(incomparable));
    for (CompletableFuture<Void> sound : List.of(truncated, first, memoryOnly, last)) {
      assertTrue(sound.isDone());
      sound.join();
    }
    assertEquals(List.of("a", "in memory", "b"), applier.published);
    assertEquals(List.of("a", "b"), durable());
  }

  @Test
  void aGroupThatTheLogRefusesFailsWholeAndTheNextOneSucceeds() throws IOException {
    WritePipeline pipeline = open();
    disk.plan().add(FileFault.SHORT_WRITE).on(FileOperation.WRITE);
    List<CompletableFuture<Void>> refused = List.of(write(pipeline, "a"), write(pipeline, "b"));
    stages.runUntilIdle();
    for (CompletableFuture<Void> write : refused) {
      assertInstanceOf(LogRefusedException.class, failure(write));
    }
    assertEquals(List.of(), applier.published);
    assertEquals(LogPosition.START, pipeline.reached());

    disk.plan().clear();
    CompletableFuture<Void> next = write(pipeline, "c");
    stages.runUntilIdle();
    next.join();
    assertEquals(List.of("c"), durable());
    assertEquals(List.of(), applier.logFailures);
    pipeline.requireSoundLog();
  }

  @Test
  void aSyncThatFailsIsFinalAndPublishesNothing() throws IOException {
    WritePipeline pipeline = open();
    disk.plan().add(FileFault.ERROR).on(FileOperation.SYNC);
    CompletableFuture<Void> write = write(pipeline, "a");
    stages.runUntilIdle();
    assertInstanceOf(IOException.class, failure(write));
    assertEquals(List.of(), applier.published);
    // A flush up to here must not count the record as its own.
    assertEquals(LogPosition.START, pipeline.reached());
    assertEquals(1, applier.logFailures.size());
    assertThrows(StoreStoppedException.class, pipeline::requireSoundLog);

    disk.plan().clear();
    CompletableFuture<Void> next = write(pipeline, "b");
    stages.runUntilIdle();
    assertTrue(String.valueOf(failure(next).getMessage()).contains("restarted on a working disk"));
    assertEquals(List.of(), applier.published);
  }
}
