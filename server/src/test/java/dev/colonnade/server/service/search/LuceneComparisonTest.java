package dev.colonnade.server.service.search;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.colonnade.server.node.platform.SeededRandom;
import dev.colonnade.server.sim.Rng;
import dev.colonnade.server.sim.store.SimulatedStore;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Supplier;
import org.apache.lucene.analysis.Analyzer;
import org.apache.lucene.analysis.de.GermanAnalyzer;
import org.apache.lucene.analysis.en.EnglishAnalyzer;
import org.apache.lucene.analysis.standard.StandardAnalyzer;
import org.junit.jupiter.api.Test;

/**
 * Finds the same documents as Lucene, for every query of a list by seed, after mails were indexed,
 * indexed again and deleted. {@code -Dcolonnade.search.mails=20000 -Dcolonnade.search.users=100}
 * compares more of them.
 */
final class LuceneComparisonTest {

  private static final long SEED = Long.getLong("colonnade.search.seed", 20261123);
  private final int mails = Integer.getInteger("colonnade.search.mails", 600);
  private final int users = Integer.getInteger("colonnade.search.users", 6);
  private final int queries = Integer.getInteger("colonnade.search.queries", 400);

  @Test
  void findsWhatLuceneFindsInEnglish() throws Exception {
    compare("english", EnglishAnalyzer::new);
  }

  @Test
  void findsWhatLuceneFindsInGerman() throws Exception {
    compare("german", GermanAnalyzer::new);
  }

  @Test
  void findsWhatLuceneFindsByWordsAsTheyAre() throws Exception {
    compare("standard", StandardAnalyzer::new);
  }

  private void compare(String name, Supplier<Analyzer> analyzer) throws Exception {
    Rng rng = new Rng(new SeededRandom(SEED).fork(name));
    Mails generator = new Mails(rng);
    TestIndex index = TestIndex.create(SimulatedStore.TINY, name);
    Map<String, Map<Long, LuceneOracle.Content>> now = new TreeMap<>();
    for (int i = 0; i < mails; i++) {
      String user = "user" + rng.between(1, users);
      Map<Long, LuceneOracle.Content> mine = now.computeIfAbsent(user, none -> new TreeMap<>());
      long id = rng.chance(250) ? rng.between(1, i + 1) : i + 1;
      if (rng.chance(100)) {
        index.delete(user, id);
        mine.remove(id);
      } else {
        List<String> texts = List.of(generator.words(0, 4), generator.words(0, 25));
        List<String> participants = List.of(generator.somebody(), generator.somebody());
        index.index(
            user,
            id,
            participants.stream().map(TestIndex::bytes).toList(),
            texts.toArray(String[]::new));
        mine.put(id, new LuceneOracle.Content(texts, participants));
      }
      if (rng.chance(10)) {
        index.flush();
      }
    }
    LuceneOracle oracle = new LuceneOracle(analyzer.get(), now);
    long found = 0;
    List<String> different = new ArrayList<>();
    for (int i = 0; i < queries; i++) {
      String user = "user" + rng.between(1, users);
      SearchText query = generator.query();
      List<Long> expected = oracle.search(user, query);
      List<Long> ours = index.search(user, query, false, rng.between(1, 12));
      List<Long> best = new ArrayList<>(index.search(user, query, true, rng.between(5, 50)));
      best.sort(Comparator.reverseOrder());
      if (!ours.equals(expected) || !best.equals(expected)) {
        different.add(query + " of " + user + ": " + ours + " and " + best + ", not " + expected);
      }
      found += expected.size();
    }
    assertEquals(List.of(), different, "seed " + SEED);
    assertTrue(found > queries, "queries that find nothing compare nothing: " + found);
    index.store.close();
  }
}
