package dev.colonnade.server.service.search;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.colonnade.server.base.model.Cell;
import dev.colonnade.server.node.platform.SeededRandom;
import dev.colonnade.server.service.consistency.AskedReplicas;
import dev.colonnade.server.service.consistency.Consistency;
import dev.colonnade.server.service.coordinator.RowStore;
import dev.colonnade.server.service.read.RangePage;
import dev.colonnade.server.service.read.RangeRead;
import dev.colonnade.server.service.read.SlicePage;
import dev.colonnade.server.service.read.SliceRead;
import dev.colonnade.server.service.write.RowMutation;
import dev.colonnade.server.sim.Rng;
import dev.colonnade.server.sim.store.SimulatedStore;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What a document had is gone with its version, also if several write it at a time. */
final class LeftOversTest {

  private TestIndex index;

  @BeforeEach
  void create() throws Exception {
    index = TestIndex.create(SimulatedStore.TINY, "standard");
  }

  @Test
  void aDeletedDocumentLeavesAMarkAndInTheEndNothing() {
    index.index("ada", 1, List.of(TestIndex.bytes("bob")), "lunch with bob");
    index.flush();
    index.delete("ada", 1);
    assertEquals(List.of("d:"), index.cells("ada").stream().map(LeftOversTest::top).toList());
    index.compact();
    assertEquals(List.of(), index.cells("ada"));
    assertEquals(List.of(), index.search("ada", TestIndex.allOf("lunch")));
  }

  @Test
  void aDocumentThatIsIndexedAgainLosesTheTermsThatItLacks() {
    index.index("ada", 1, "lunch on friday");
    index.flush();
    index.index("ada", 1, "dinner on friday");
    assertEquals(List.of(), index.search("ada", TestIndex.allOf("lunch")));
    assertEquals(List.of(1L), index.search("ada", TestIndex.allOf("dinner friday")));
    index.compact();
    assertEquals(
        List.of("d:", "t:dinner", "t:friday", "t:on", "v:"),
        index.cells("ada").stream().map(LeftOversTest::top).toList());
  }

  @Test
  void theHighestTimestampStandsWhicheverCameFirst() {
    index.store.await(write(2_000, "newer words"));
    DocumentIndexer.Outcome late = index.store.await(write(1_000, "older words"));
    assertTrue(late.superseded());
    assertEquals(List.of(1L), index.search("ada", TestIndex.allOf("newer")));
    assertEquals(List.of(), index.search("ada", TestIndex.allOf("older")));
    // Without a timestamp of its own a document replaces what is there, whatever the clocks say.
    long far = index.store.clock().wallMicros() + 1_000_000_000;
    index.store.await(write(far, "from the future"));
    assertEquals(far + 1, index.index("ada", 1, "back again").timestamp());
    assertEquals(List.of(1L), index.search("ada", TestIndex.allOf("back")));
    assertEquals(List.of(), index.search("ada", TestIndex.allOf("future")));
    assertEquals(far + 2, index.delete("ada", 1).timestamp());
    assertEquals(far + 3, index.index("ada", 1, "above the removal").timestamp());
    assertEquals(List.of(1L), index.search("ada", TestIndex.allOf("above")));
  }

  @Test
  void aRemovalHidesVersionsThatComeLater() {
    index.store.await(index.beginDelete(index.rows(), "ada", 1, OptionalLong.of(5_000)));
    for (long late : new long[] {4_000, 5_000}) {
      assertTrue(index.store.await(write(late, "too late")).superseded(), () -> "at " + late);
      assertEquals(
          List.of("d:"),
          index.cells("ada").stream().map(LeftOversTest::top).toList(),
          "no entry stays for ever");
    }
    assertEquals(List.of(), index.search("ada", TestIndex.anyOf("too late")));
    index.store.await(write(5_001, "in time"));
    assertEquals(List.of(1L), index.search("ada", TestIndex.anyOf("time")));
  }

  @Test
  void twoWritersOfOneDocumentLeaveOneVersion() {
    index.index("ada", 1, "common before");
    // Both have read the version before when the first of them writes.
    HeldWrites first = new HeldWrites(index.rows());
    HeldWrites second = new HeldWrites(index.rows());
    var a = index.begin(first, "ada", document(OptionalLong.empty(), "common alpha"));
    var b = index.begin(second, "ada", document(OptionalLong.empty(), "common beta"));
    index.store.scheduler().runUntilIdle();
    assertFalse(a.isDone() || b.isDone(), "both wait to write");
    second.release();
    first.release();
    index.store.await(CompletableFuture.allOf(a, b));
    assertTrue(
        index.cells("ada").stream().anyMatch(cell -> top(cell).equals("t:alpha")),
        "the first left its term");
    assertEquals(List.of(1L), index.search("ada", TestIndex.allOf("common beta")));
    assertEquals(List.of(), index.search("ada", TestIndex.allOf("alpha")));
    assertEquals(List.of(), index.search("ada", TestIndex.allOf("common alpha")));
    assertEquals(List.of(), index.search("ada", TestIndex.allOf("before")));
    // The searches have removed what the loser left.
    index.compact();
    assertEquals(
        List.of("d:", "t:beta", "t:common", "v:"),
        index.cells("ada").stream().map(LeftOversTest::top).toList());
  }

  @Test
  void ofTwoVersionsWithOneTimestampOneStandsWhole() {
    for (boolean swapped : new boolean[] {false, true}) {
      String user = "user" + swapped;
      HeldWrites first = new HeldWrites(index.rows());
      HeldWrites second = new HeldWrites(index.rows());
      var a = index.begin(first, user, document(OptionalLong.of(9), "common alpha one"));
      var b = index.begin(second, user, document(OptionalLong.of(9), "common beta two"));
      index.store.scheduler().runUntilIdle();
      (swapped ? first : second).release();
      (swapped ? second : first).release();
      index.store.await(CompletableFuture.allOf(a, b));
      boolean alpha = !index.search(user, TestIndex.allOf("alpha")).isEmpty();
      assertEquals(
          List.of(1L),
          index.search(user, TestIndex.phrase(alpha ? "common alpha one" : "common beta two")));
      assertEquals(List.of(), index.search(user, TestIndex.allOf(alpha ? "beta" : "alpha")));
      assertEquals(List.of(1L), index.search(user, TestIndex.allOf("common")));
    }
  }

  /** The removal of a term would hide it in every version of that timestamp. */
  @Test
  void ofVersionsWithOneTimestampTheOneThatStandsIsFoundByAllItsTerms() {
    String[] texts = {
      "common alpha", "common beta", "common alpha gamma", "beta delta", "gamma", "alpha delta beta"
    };
    Rng rng = new Rng(new SeededRandom(17));
    for (int round = 0; round < 20; round++) {
      String user = "user" + round;
      String standing = "";
      for (int i = 0; i < 8; i++) {
        String text = texts[rng.between(0, texts.length - 1)];
        var outcome =
            index.store.await(index.begin(index.rows(), user, document(OptionalLong.of(9), text)));
        standing = outcome.superseded() ? standing : text;
        for (String term : List.of("common", "alpha", "beta", "gamma", "delta")) {
          assertEquals(
              List.of(standing).stream().filter(each -> each.contains(term)).map(x -> 1L).toList(),
              index.search(user, TestIndex.allOf(term)),
              "seed 17, round " + round + ", " + term + " in " + standing);
        }
      }
    }
  }

  @Test
  void aRetriedVersionIsWrittenAgain() {
    index.store.await(write(7, "the same words"));
    List<Cell> once = index.cells("ada");
    DocumentIndexer.Outcome again = index.store.await(write(7, "the same words"));
    assertFalse(again.superseded());
    assertEquals(once, index.cells("ada"));
  }

  /** A search between two versions finds a document that both of them have the terms of. */
  @Test
  void aDocumentThatChangesIsNeverLost() {
    Rng rng = new Rng(new SeededRandom(3));
    index.index("ada", 1, "common word number 0");
    List<CompletableFuture<TermSearch>> searches = new ArrayList<>();
    List<CompletableFuture<DocumentIndexer.Outcome>> writes = new ArrayList<>();
    for (int i = 1; i <= 300; i++) {
      String text = "common word number " + i;
      writes.add(index.begin(index.rows(), "ada", document(OptionalLong.empty(), text)));
      searches.add(
          index.beginPage(
              new SlowReads(index.rows(), rng, () -> index.index("ada", 1, text)),
              "ada",
              rng.chance(500) ? TestIndex.allOf("word common") : TestIndex.phrase("common word"),
              false,
              5,
              Optional.empty()));
    }
    writes.forEach(index.store::await);
    for (CompletableFuture<TermSearch> search : searches) {
      assertEquals(List.of(1L), TestIndex.ids(index.store.await(search)));
    }
  }

  private CompletableFuture<DocumentIndexer.Outcome> write(long timestamp, String text) {
    return index.begin(index.rows(), "ada", document(OptionalLong.of(timestamp), text));
  }

  private static DocumentIndexer.Document document(OptionalLong timestamp, String text) {
    return TestIndex.document(1, timestamp, text);
  }

  private static String top(Cell cell) {
    return new String(cell.top(), StandardCharsets.UTF_8);
  }

  /** Keeps writes until they are released. */
  private static final class HeldWrites implements RowStore {
    private final RowStore rows;
    private final CompletableFuture<Void> released = new CompletableFuture<>();

    HeldWrites(RowStore rows) {
      this.rows = rows;
    }

    void release() {
      released.complete(null);
    }

    @Override
    public CompletableFuture<SlicePage> read(SliceRead read) {
      return rows.read(read);
    }

    @Override
    public CompletableFuture<RangePage> readRange(RangeRead read) {
      return rows.readRange(read);
    }

    @Override
    public CompletableFuture<AskedReplicas> write(
        List<RowMutation> mutations, boolean durable, Consistency consistency, long deadline) {
      return released.thenCompose(now -> rows.write(mutations, durable, consistency, deadline));
    }
  }

  /** Lets something happen before some of the reads. */
  private static final class SlowReads implements RowStore {
    private final RowStore rows;
    private final Rng rng;
    private final Runnable between;

    SlowReads(RowStore rows, Rng rng, Runnable between) {
      this.rows = rows;
      this.rng = rng;
      this.between = between;
    }

    @Override
    public CompletableFuture<SlicePage> read(SliceRead read) {
      if (rng.chance(400)) {
        between.run();
      }
      return rows.read(read);
    }

    @Override
    public CompletableFuture<RangePage> readRange(RangeRead read) {
      return rows.readRange(read);
    }

    @Override
    public CompletableFuture<AskedReplicas> write(
        List<RowMutation> mutations, boolean durable, Consistency consistency, long deadline) {
      return rows.write(mutations, durable, consistency, deadline);
    }
  }
}
