package dev.colonnade.server.metamorphic;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.colonnade.server.sim.Figures;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Goal: filters, caches, sizes of blocks, flushes, merges and restarts never change an answer, and
 * nothing that was deleted or has expired comes back. Method: the same random operations go to
 * stores under each of the named configurations and to plain sorted maps that forget nothing; every
 * answer must be the same. A list that fails is cut down to what is needed and printed.
 */
class MetamorphicTest {

  private static final Logger LOG = LoggerFactory.getLogger(MetamorphicTest.class);

  private static final int LISTS = Integer.getInteger("colonnade.lists", 100);
  private static final int PURGING_LISTS = Integer.getInteger("colonnade.lists.purging", 15);
  private static final int FIRST = Integer.getInteger("colonnade.lists.first", 0);

  private static final int PROGRESS_EACH = 500;

  @Test
  void answersAreThoseOfSortedMapsUnderEveryConfiguration() {
    run(LISTS, RandomLists.Kind.TIES, Configuration.all());
  }

  @Test
  void whatIsPurgedIsMissedUnderNoConfiguration() {
    run(PURGING_LISTS, RandomLists.Kind.SHORT_GRACE, Configuration.purging());
  }

  @Test
  void configurationsHaveNamesOfTheirOwn() {
    List<String> names = Configuration.all().stream().map(Configuration::name).toList();
    assertEquals(names.size(), names.stream().distinct().count());
    assertEquals(26, names.size());
    assertEquals(10, Configuration.purging().size());
  }

  private static void run(int lists, RandomLists.Kind kind, List<Configuration> configurations) {
    Comparison comparison = new Comparison(kind, configurations);
    for (int done = 0; done < lists; done++) {
      comparison.run(FIRST + done);
      if ((done + 1) % PROGRESS_EACH == 0 || done + 1 == lists) {
        LOG.info(
            "{} lists from seed {} on, each under {} configurations: no difference",
            done + 1,
            FIRST,
            configurations.size());
      }
    }
    Figures.write(
        kind.fields().isEmpty() ? "lists with ties" : "lists with purges",
        Map.of("lists", lists, "configurations", configurations.size()));
  }
}
