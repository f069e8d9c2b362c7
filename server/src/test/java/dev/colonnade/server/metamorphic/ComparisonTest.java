package dev.colonnade.server.metamorphic;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.colonnade.server.service.consistency.AskedReplicas;
import dev.colonnade.server.service.consistency.Consistency;
import dev.colonnade.server.service.coordinator.RowStore;
import dev.colonnade.server.service.read.RangePage;
import dev.colonnade.server.service.read.RangeRead;
import dev.colonnade.server.service.read.SlicePage;
import dev.colonnade.server.service.read.SliceRead;
import dev.colonnade.server.service.write.RowMutation;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/**
 * The suite finds a faulty store, reduces the failure to a few operations, and reports the same
 * each time.
 */
class ComparisonTest {

  /** Few lists have a page with a successor, and reads of what is new have fewer columns. */
  private static final int SEEDS = 400;

  @Test
  void aColumnLostAtTheEdgeOfAPageIsFoundAndShownWithFewOperations() {
    Configuration errs = Configuration.all().get(0).with(LosesColumnsAtPageEdges::new);
    Comparison comparison = new Comparison(RandomLists.Kind.TIES, List.of(errs));
    AssertionError found = assertThrows(AssertionError.class, () -> runUpTo(comparison, SEEDS));
    String report = String.valueOf(found.getMessage());
    long operations = report.lines().filter(line -> line.startsWith("  Write[")).count();
    assertTrue(operations <= 2 && report.contains("seed "), report);
    AssertionError again = assertThrows(AssertionError.class, () -> runUpTo(comparison, SEEDS));
    assertEquals(report, again.getMessage());
  }

  @Test
  void equalSeedsMakeEqualLists() {
    for (long seed = 0; seed < 20; seed++) {
      assertEquals(
          RandomLists.list(seed, RandomLists.Kind.TIES),
          RandomLists.list(seed, RandomLists.Kind.TIES));
    }
  }

  @Test
  void shrinkingLeavesOnlyWhatIsNeeded() {
    List<Operation> list = RandomLists.list(7, RandomLists.Kind.SHORT_GRACE);
    List<Operation> needed = List.of(list.get(3), list.get(17), list.get(30));
    assertEquals(needed, Shrinker.shrink(list, shorter -> shorter.containsAll(needed), 5_000));
  }

  private static void runUpTo(Comparison comparison, int seeds) {
    for (int seed = 0; seed < seeds; seed++) {
      comparison.run(seed);
    }
  }

  /** A store that omits the last column of a page that has a successor. */
  private record LosesColumnsAtPageEdges(RowStore store) implements RowStore {
    @Override
    public CompletableFuture<SlicePage> read(SliceRead read) {
      return store
          .read(read)
          .thenApply(
              page ->
                  page.next().isEmpty() || page.cells().size() < 2
                      ? page
                      : new SlicePage(
                          page.cells().subList(0, page.cells().size() - 1),
                          page.counted(),
                          page.next(),
                          page.topContinues(),
                          page.cost()));
    }

    @Override
    public CompletableFuture<RangePage> readRange(RangeRead read) {
      return store.readRange(read);
    }

    @Override
    public CompletableFuture<AskedReplicas> write(
        List<RowMutation> mutations, boolean durable, Consistency consistency, long deadlineNanos) {
      return store.write(mutations, durable, consistency, deadlineNanos);
    }
  }
}
