package dev.colonnade.server.metamorphic;

import org.junit.jupiter.api.Test;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Goal: filters, caches, sizes of blocks, flushes, merges and restarts never change an answer.
 * Method: the same random operations go to stores under each of the named configurations and to
 * plain sorted maps; every answer must be the same. A list that fails is cut down to what is needed
 * and printed.
 */
class MetamorphicTest {

  private static final Logger LOG = LoggerFactory.getLogger(MetamorphicTest.class);

  private static final int LISTS = Integer.getInteger("colonnade.metamorphic.lists", 200);
  private static final int FIRST = Integer.getInteger("colonnade.metamorphic.first", 0);

  @Test
  void answersAreThoseOfSortedMapsUnderEveryConfiguration() {
    Comparison comparison = new Comparison(RandomLists.Kind.TIES, Configuration.all());
    for (int seed = FIRST; seed < FIRST + LISTS; seed++) {
      comparison.run(seed);
    }
    LOG.info(
        "{} lists from seed {} on under {} configurations: no difference",
        LISTS,
        FIRST,
        Configuration.all().size());
  }
}
