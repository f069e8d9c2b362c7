package dev.colonnade.server.service.search;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.colonnade.server.sim.store.EngineSettingsBuilder;
import dev.colonnade.server.storage.engine.EngineSettings;
import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/** A search reads as much as its hits need, and not as much as its terms have. */
final class SearchCostTest {

  private static final int DOCUMENTS = 5_000;

  /** Blocks as a node has them. */
  private static final EngineSettings USUAL = EngineSettingsBuilder.forHeap(256 << 20).build();

  private static TestIndex full() throws Exception {
    TestIndex index = TestIndex.create(USUAL, "standard");
    for (int i = 1; i <= DOCUMENTS; i++) {
      index.index("ada", i, "everywhere " + (i % 1_000 == 0 ? "seldom" : "often"));
    }
    index.compact();
    return index;
  }

  @Test
  void theTenNewestOfATermOfManyDocumentsAreTwoBlocks() throws Exception {
    TestIndex index = full();
    TermSearch page = index.page("ada", TestIndex.allOf("everywhere"), false, 10);
    assertEquals(
        LongStream.rangeClosed(DOCUMENTS - 9, DOCUMENTS)
            .map(i -> 2L * DOCUMENTS - 9 - i)
            .boxed()
            .toList(),
        TestIndex.ids(page));
    assertTrue(index.cost.blocksRead() <= 2, index.cost.toString());
    assertTrue(index.cost.blocksRead() > 0, "nothing was measured");
  }

  @Test
  void absentTermsAndUsersReadNoBlockButTheOneTheyWouldBeIn() throws Exception {
    TestIndex index = full();
    assertEquals(List.of(), index.search("ada", TestIndex.allOf("everywhere zebra")));
    // The first block of each term.
    assertTrue(index.cost.blocksRead() <= 2, index.cost.toString());
    assertEquals(List.of(), index.search("ada", TestIndex.allOf("zebra")));
    assertTrue(index.cost.blocksRead() <= 1, index.cost.toString());
    assertEquals(List.of(), index.search("nobody", TestIndex.allOf("everywhere")));
    assertEquals(0, index.cost.blocksRead(), index.cost.toString());
  }

  @Test
  void aRareTermLeadsTheWay() throws Exception {
    TestIndex index = full();
    assertEquals(
        List.of(5_000L, 4_000L, 3_000L, 2_000L, 1_000L),
        index.search("ada", TestIndex.allOf("everywhere seldom"), false, 10));
    // One page of either term, and five documents to look up.
    assertTrue(index.cost.blocksRead() < 20, index.cost.toString());
  }
}
