package dev.colonnade.server.cluster.streaming;

import static dev.colonnade.server.cluster.streaming.StreamWorld.bytes;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.colonnade.server.base.model.Cell;
import dev.colonnade.server.base.model.DeletionTime;
import dev.colonnade.server.base.schema.ColumnFamily;
import dev.colonnade.server.cluster.net.Frame;
import dev.colonnade.server.cluster.net.Verb;
import dev.colonnade.server.cluster.ring.TokenRange;
import dev.colonnade.server.sim.FileFault;
import dev.colonnade.server.sim.FileOperation;
import dev.colonnade.server.sim.SimFileSystem;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** All rows of the ranges become visible at the receiver at once, or none do. */
final class StreamsTest {
  private static final long SEED = Long.getLong("colonnade.sweep.seed", 20_261_122L);
  private static final List<TokenRange> ALL = List.of(new TokenRange(new byte[16], new byte[16]));

  private static Transfer send(StreamWorld world, ColumnFamily family, List<TokenRange> ranges) {
    return world.a.streams.send(world.b.peer, family.id(), ranges, "test", progress -> {});
  }

  private static void assertNothingLeft(StreamWorld world) throws Exception {
    assertEquals(List.of(), world.scheduler.failures());
    assertEquals(List.of(), world.unfinishedFiles(world.a));
    assertEquals(List.of(), world.unfinishedFiles(world.b));
  }

  @Test
  void allRowsOfAllKindsArrive() throws Exception {
    StreamWorld world = new StreamWorld(SEED);
    for (ColumnFamily family : List.of(world.plain, world.nested)) {
      world.a.fill(family, 150, SEED);
      StreamProgress end = world.await(send(world, family, ALL));
      SortedMap<String, String> expected = world.a.content(family);
      assertTrue(expected.size() > 50, expected.size() + " rows");
      assertEquals(expected, world.b.content(family), "seed " + SEED);
      assertEquals(expected.size(), end.rows());
      assertEquals(StreamProgress.StreamState.DONE, end.state());
      assertTrue(end.bytes() > 1_000 && end.fileBytes() > 0, "" + end);
    }
    assertNothingLeft(world);
  }

  @Test
  void whatArrivedSurvivesAPowerCut() throws Exception {
    StreamWorld world = new StreamWorld(SEED);
    world.a.fill(world.plain, 100, SEED);
    var unused = world.await(send(world, world.plain, ALL));
    assertEquals(
        world.a.content(world.plain),
        StreamWorld.contentOf(world.b.disk.crashClone(), world.plain));
  }

  @Test
  void onlyTheRangesAreSentAlsoAcrossTheEndOfTheRing() throws Exception {
    StreamWorld world = new StreamWorld(SEED);
    world.a.fill(world.plain, 150, SEED);
    byte[] quarter = new byte[16];
    quarter[0] = 0x20;
    byte[] half = new byte[16];
    half[0] = 0x40;
    byte[] most = new byte[16];
    most[0] = 0x60;
    for (List<TokenRange> ranges :
        List.of(
            List.of(new TokenRange(quarter, half)),
            List.of(new TokenRange(most, quarter)),
            List.of(new TokenRange(half, most), new TokenRange(most, quarter)),
            List.of(new TokenRange(quarter, most), new TokenRange(quarter, half)))) {
      StreamWorld fresh = new StreamWorld(SEED);
      fresh.a.fill(fresh.plain, 150, SEED);
      var unused = fresh.await(send(fresh, fresh.plain, ranges));
      SortedMap<String, String> expected = new TreeMap<>(fresh.a.content(fresh.plain));
      int all = expected.size();
      expected
          .keySet()
          .removeIf(key -> ranges.stream().noneMatch(r -> r.contains(fresh.key(key).token())));
      assertEquals(expected, fresh.b.content(fresh.plain), ranges.toString());
      assertTrue(expected.size() > 5 && expected.size() < all, expected.size() + " of " + all);
    }
  }

  @Test
  void rowsMergeWithWhatTheReceiverHas() throws Exception {
    StreamWorld world = new StreamWorld(SEED);
    world.a.fill(world.nested, 150, SEED);
    world.b.fill(world.nested, 150, SEED + 1);
    var unused = world.await(send(world, world.nested, ALL));
    var unused2 =
        world.await(
            world.b.streams.send(world.a.peer, world.nested.id(), ALL, "back", progress -> {}));
    assertEquals(world.a.content(world.nested), world.b.content(world.nested), "seed " + SEED);
    assertNothingLeft(world);
  }

  @Test
  void aNodeCanAskForRows() throws Exception {
    StreamWorld world = new StreamWorld(SEED);
    world.a.fill(world.plain, 100, SEED);
    List<StreamProgress> told = new ArrayList<>();
    StreamProgress end =
        world.await(
            world.b.streams.request(world.a.peer, world.plain.id(), ALL, "bootstrap", told::add));
    assertEquals(world.a.content(world.plain), world.b.content(world.plain));
    assertEquals("a", end.peerId());
    assertFalse(end.outgoing());
    assertTrue(told.size() > 5, told.size() + " reports");
    assertEquals(end, told.get(told.size() - 1));
    world.scheduler.advance(Duration.ofSeconds(1));
    assertEquals(StreamProgress.StreamState.DONE, world.a.streams.figures().get(0).state());
  }

  @Test
  void whoAsksForRowsAsksAgainUntilTheOtherHears() throws Exception {
    StreamWorld world = new StreamWorld(SEED);
    world.a.fill(world.plain, 20, SEED);
    int[] asked = new int[1];
    world.onSend =
        frame -> {
          boolean isAsked =
              frame.verb() == Verb.STREAM_REQUEST && frame.kind() == Frame.FrameKind.REQUEST;
          asked[0] += isAsked ? 1 : 0;
          world.cut = isAsked && asked[0] <= 2;
        };
    var unused =
        world.await(
            world.b.streams.request(
                world.a.peer, world.plain.id(), ALL, "bootstrap", progress -> {}));
    assertEquals(world.a.content(world.plain), world.b.content(world.plain));
    assertEquals(3, asked[0]);
    assertNothingLeft(world);
  }

  @Test
  void aFamilyWithoutRowsIsAStreamToo() throws Exception {
    StreamWorld world = new StreamWorld(SEED);
    assertEquals(0, world.await(send(world, world.plain, ALL)).rows());
    assertEquals(0, world.b.content(world.plain).size());
    assertNothingLeft(world);
  }

  @Test
  void aRowWiderThanAChunkArrivesWhole() throws Exception {
    StreamWorld world = new StreamWorld(SEED);
    world.a.write(
        world.nested,
        "wide",
        update -> {
          for (int i = 0; i < 500; i++) {
            byte[] top = {(byte) (i / 50)};
            byte[] sub = {(byte) (i % 50)};
            update.add(Cell.live(top, sub, new byte[i % 7], i));
          }
        });
    world.a.write(world.nested, "z", update -> update.deleteRow(new DeletionTime(3, 4)));
    var unused = world.await(send(world, world.nested, ALL));
    assertEquals(world.a.content(world.nested), world.b.content(world.nested));
    assertEquals(2, world.b.content(world.nested).size());
  }

  @Test
  void lostDoubledAndLateMessagesChangeNothing() throws Exception {
    for (long seed = SEED; seed < SEED + 5; seed++) {
      StreamWorld world = new StreamWorld(seed);
      world.a.fill(world.plain, 100, seed);
      world.lossPerMille = 150;
      StreamProgress end = world.await(send(world, world.plain, ALL));
      assertEquals(world.a.content(world.plain), world.b.content(world.plain), "seed " + seed);
      assertEquals(world.a.content(world.plain).size(), end.rows(), "seed " + seed);
      world.scheduler.advance(Duration.ofMinutes(5));
      assertNothingLeft(world);
    }
  }

  @Test
  void aChunkThatChangesOnItsWayIsSentAgain() throws Exception {
    StreamWorld world = new StreamWorld(SEED);
    world.a.fill(world.plain, 50, SEED);
    int[] chunks = new int[1];
    world.onSend =
        frame -> {
          if (frame.verb() == Verb.STREAM_CHUNK && frame.kind() == Frame.FrameKind.REQUEST) {
            chunks[0]++;
            frame.body()[40] ^= (byte) (chunks[0] == 3 || chunks[0] == 5 ? 8 : 0);
          }
        };
    Transfer transfer = send(world, world.plain, ALL);
    // The sender's copy was changed as well, so it never passes the check.
    assertFalse(world.succeeds(transfer));
    assertEquals(0, world.b.content(world.plain).size());
    world.scheduler.advance(Duration.ofMinutes(5));
    assertNothingLeft(world);
  }

  @Test
  void rowsOfAStreamThatIsNotClosedAreNotVisible() throws Exception {
    StreamWorld world = new StreamWorld(SEED);
    world.a.fill(world.plain, 100, SEED);
    world.onSend =
        frame -> {
          if (frame.verb() == Verb.STREAM_CLOSE && frame.kind() == Frame.FrameKind.REQUEST) {
            world.cut = true;
          }
        };
    Transfer transfer = send(world, world.plain, ALL);
    assertFalse(world.succeeds(transfer));
    assertEquals(StreamProgress.StreamState.FAILED, transfer.progress().state());
    assertEquals(0, world.b.content(world.plain).size());
    world.scheduler.advance(Duration.ofMinutes(5));
    assertEquals(StreamProgress.StreamState.FAILED, world.b.streams.figures().get(0).state());
    assertNothingLeft(world);
  }

  @Test
  void cancellingEitherSideLeavesNothing() throws Exception {
    for (boolean sender : List.of(true, false)) {
      StreamWorld world = new StreamWorld(SEED);
      world.a.fill(world.plain, 100, SEED);
      Transfer transfer = send(world, world.plain, ALL);
      world.scheduler.runUntil(() -> transfer.progress().rows() > 20, Duration.ofMinutes(1));
      if (sender) {
        transfer.cancel("no longer wanted");
      } else {
        world.b.streams.lost("a");
      }
      assertFalse(world.succeeds(transfer));
      world.scheduler.advance(Duration.ofSeconds(1));
      assertEquals(StreamProgress.StreamState.FAILED, world.b.streams.figures().get(0).state());
      assertEquals(0, world.b.content(world.plain).size());
      assertNothingLeft(world);
    }
  }

  @Test
  void aStopEndsStreamsAndGivesFilesBack() throws Exception {
    StreamWorld world = new StreamWorld(SEED);
    world.a.fill(world.plain, 100, SEED);
    Transfer transfer = send(world, world.plain, ALL);
    world.scheduler.runUntil(() -> transfer.progress().rows() > 20, Duration.ofMinutes(1));
    world.b.store.await(world.b.streams.stop());
    world.a.store.await(world.a.streams.stop());
    for (StreamWorld.Node node : List.of(world.a, world.b)) {
      node.store.await(node.store.engine().stop());
      world.scheduler.advance(Duration.ofSeconds(1));
      node.store.release();
      world.scheduler.runUntilIdle();
      assertEquals(List.of(), node.disk.openFiles());
    }
    assertNothingLeft(world);
  }

  @Test
  void theRateIsKept() throws Exception {
    StreamSettings slow =
        new StreamSettings(
            256,
            4,
            1_000,
            4,
            Duration.ofSeconds(10),
            Duration.ofSeconds(60),
            Duration.ofSeconds(1),
            Duration.ofSeconds(60),
            Duration.ofMinutes(3));
    StreamWorld world = new StreamWorld(SEED, slow);
    world.a.fill(world.plain, 100, SEED);
    long from = world.clock.monotonicNanos();
    StreamProgress end = world.await(send(world, world.plain, ALL));
    long seconds = (world.clock.monotonicNanos() - from) / 1_000_000_000L;
    assertTrue(
        seconds >= end.bytes() / 1_000 - 2 && seconds < end.bytes() / 1_000 + 10,
        end.bytes() + " bytes in " + seconds + " s");
    world.a.streams.bytesPerSecond(0);
    from = world.clock.monotonicNanos();
    var unused = world.await(send(world, world.plain, ALL));
    assertTrue(world.clock.monotonicNanos() - from < 3_000_000_000L);
  }

  /** At a byte a second a chunk waits longer than a receiver waits for a silent sender. */
  @Test
  void theOwnPaceIsNoSilenceForEitherSide() throws Exception {
    StreamSettings slow =
        new StreamSettings(
            256,
            4,
            1,
            4,
            Duration.ofSeconds(10),
            Duration.ofSeconds(60),
            Duration.ofSeconds(1),
            Duration.ofSeconds(60),
            Duration.ofMinutes(3));
    for (int loss : new int[] {0, 300}) {
      StreamWorld world = new StreamWorld(SEED, slow);
      world.lossPerMille = loss;
      world.a.fill(world.plain, 20, SEED);
      Transfer transfer = send(world, world.plain, ALL);
      StreamProgress end = world.await(transfer);
      assertEquals(StreamProgress.StreamState.DONE, end.state(), end::toString);
      assertTrue(end.bytes() > 3 * 256, end::toString);
      assertEquals(world.a.content(world.plain), world.b.content(world.plain));
      assertNothingLeft(world);
    }
  }

  @Test
  void moreStreamsThanAllowedAreRefused() throws Exception {
    StreamWorld world = new StreamWorld(SEED);
    world.a.fill(world.plain, 50, SEED);
    List<Transfer> transfers = new ArrayList<>();
    for (int i = 0; i < 5; i++) {
      transfers.add(send(world, world.plain, ALL));
    }
    assertFalse(world.succeeds(transfers.get(4)));
    for (Transfer transfer : transfers.subList(0, 4)) {
      assertTrue(world.succeeds(transfer));
    }
    assertTrue(world.succeeds(send(world, world.plain, ALL)));
  }

  @Test
  void aPowerCutOfTheReceiverLeavesAllRowsOrNone() throws Exception {
    StreamWorld world = new StreamWorld(SEED);
    world.a.fill(world.plain, 60, SEED);
    world.b.fill(world.plain, 20, SEED + 1);
    SortedMap<String, String> before = world.b.content(world.plain);
    List<SimFileSystem> clones = new ArrayList<>();
    world.b.disk.afterEach(() -> clones.add(world.b.disk.crashClone()));
    var unused = world.await(send(world, world.plain, ALL));
    world.b.disk.afterEach(() -> {});
    SortedMap<String, String> after = world.b.content(world.plain);
    int all = 0;
    for (SimFileSystem clone : clones) {
      SortedMap<String, String> found = StreamWorld.contentOf(clone, world.plain);
      assertTrue(found.equals(before) || found.equals(after), "seed " + SEED);
      all += found.equals(after) ? 1 : 0;
    }
    assertTrue(clones.size() > 10 && all > 0 && all < clones.size(), all + " of " + clones.size());
  }

  @Test
  void eachFailingOperationOfTheReceiversDiskEndsWellOrLeavesNothing() throws Exception {
    int failures = 0;
    for (int nth = 1; nth <= 40; nth += 3) {
      StreamWorld world = new StreamWorld(SEED);
      world.a.fill(world.plain, 30, SEED);
      world.b.disk.failAt(world.b.disk.operations() + nth);
      Transfer transfer = send(world, world.plain, ALL);
      boolean succeeded = world.succeeds(transfer);
      SortedMap<String, String> found =
          StreamWorld.contentOf(world.b.disk.crashClone(), world.plain);
      assertTrue(
          succeeded
              ? found.equals(world.a.content(world.plain))
              : found.isEmpty() || found.equals(world.a.content(world.plain)),
          "operation " + nth);
      failures += succeeded ? 0 : 1;
    }
    assertTrue(failures > 2, failures + " failures");
  }

  @Test
  void aDamagedFileOfTheSenderEndsTheStream() throws Exception {
    StreamWorld world = new StreamWorld(SEED);
    world.a.fill(world.plain, 100, SEED);
    world.a.flush(world.plain);
    world.a.disk.plan().add(FileFault.FLIPPED_BIT).on(FileOperation.READ).from(3);
    Transfer transfer = send(world, world.plain, ALL);
    boolean succeeded = world.succeeds(transfer);
    world.a.disk.plan().clear();
    if (!succeeded) {
      world.scheduler.advance(Duration.ofMinutes(5));
      assertEquals(0, world.b.content(world.plain).size());
    }
  }

  @Test
  void rowsOfAFamilyThatWasTruncatedMeanwhileDoNotComeBack() throws Exception {
    StreamWorld world = new StreamWorld(SEED);
    world.a.fill(world.plain, 100, SEED);
    Transfer transfer = send(world, world.plain, ALL);
    world.scheduler.runUntil(() -> transfer.progress().rows() > 20, Duration.ofMinutes(1));
    world.b.store.await(world.b.store.engine().truncate(world.plain.id(), 1));
    assertFalse(world.succeeds(transfer));
    assertEquals(0, world.b.content(world.plain).size());
    assertNothingLeft(world);
  }

  @Test
  void aDeletionThatIsOlderThanTheStreamIsNotPurgedBeforeItsEnd() throws Exception {
    StreamSettings slow =
        new StreamSettings(
            64,
            1,
            0,
            4,
            Duration.ofSeconds(10),
            Duration.ofSeconds(60),
            Duration.ofSeconds(1),
            Duration.ofDays(19),
            Duration.ofDays(20));
    StreamWorld world = new StreamWorld(SEED, slow);
    world.a.write(
        world.plain, "row", update -> update.add(Cell.live(bytes("c"), null, bytes("old"), 5)));
    Transfer transfer = send(world, world.plain, ALL);
    world.scheduler.runUntil(
        () -> transfer.progress().state() == StreamProgress.StreamState.CLOSING,
        Duration.ofMinutes(1));
    world.cut = true;
    // The deletion comes while the rows are in transit, and its grace passes before they arrive.
    world.b.write(
        world.plain,
        "row",
        update -> update.deleteRow(new DeletionTime(6, world.clock.wallSeconds())));
    world.b.flush(world.plain);
    world.scheduler.advance(Duration.ofDays(11));
    world.b.store.await(world.b.store.engine().compact(world.plain.id(), progress -> {}));
    assertEquals(1, world.b.content(world.plain).size());
    world.cut = false;
    assertTrue(world.succeeds(transfer));
    String row = world.b.content(world.plain).toString();
    assertTrue(row.startsWith("{row=") && !row.contains("@5"), row);
  }

  @Test
  void anExpiredColumnTravelsAsItIs() throws Exception {
    StreamWorld world = new StreamWorld(SEED);
    long expired = world.clock.wallSeconds() - 100;
    world.a.write(
        world.plain,
        "row",
        update -> update.add(Cell.expiring(bytes("c"), null, bytes("v"), 5, 10, expired)));
    var unused = world.await(send(world, world.plain, ALL));
    String row = world.b.content(world.plain).toString();
    assertTrue(row.contains("until " + expired), row);
    assertEquals(world.a.content(world.plain), world.b.content(world.plain));
  }
}
