package dev.colonnade.server.service.search;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.colonnade.server.node.platform.SeededRandom;
import dev.colonnade.server.sim.Rng;
import dev.colonnade.server.sim.store.SimulatedStore;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** What a phrase keeps in memory has a bound, which changes nothing of what is found. */
final class PhraseMemoryTest {

  private static final long SEED = 20_261_127;
  private static final String LONG_PHRASE = words(0, 60);

  private static String words(int from, int to) {
    return IntStream.range(from, to).mapToObj(i -> "w" + i).collect(Collectors.joining(" "));
  }

  private static SearchSettings limits(int maxPhraseBytes) {
    SearchSettings usual = SearchSettings.DEFAULT;
    return new SearchSettings(
        usual.maxTextBytes(),
        usual.maxTerms(),
        usual.maxTermBytes(),
        usual.maxPositions(),
        usual.maxEntriesBytes(),
        usual.maxParticipants(),
        usual.maxParticipantBytes(),
        usual.maxPayloadBytes(),
        usual.maxDocumentBytes(),
        usual.maxQueryText(),
        usual.maxQueryTerms(),
        maxPhraseBytes,
        usual.maxPrefixTerms(),
        usual.defaultPageHits(),
        usual.defaultChunkHits(),
        usual.maxPageHits(),
        usual.maxPageBytes(),
        usual.maxExamined(),
        usual.maxRanked());
  }

  @Test
  void theMoreWordsAPhraseHasTheFewerDocumentsAreComparedAtOnce() throws Exception {
    TestIndex index = TestIndex.create(SimulatedStore.TINY, "standard");
    int before = Integer.MAX_VALUE;
    for (int words : new int[] {2, 5, 10, 20, 60}) {
      int round = index.reader("ada", words(0, words)).round();
      long positions = (long) round * words * SearchSettings.DEFAULT.maxPositions();
      assertTrue(
          Integer.BYTES * positions <= SearchSettings.DEFAULT.maxPhraseBytes(),
          words + " words, " + round + " documents");
      assertTrue(round <= before && round >= 1, words + " words, " + round + " documents");
      before = round;
    }
    assertTrue(before < 10, "60 words have " + before + " documents at once");
    assertEquals(32, index.reader("ada", "two words").round(), "few words need no bound");
    // A page of one word that is repeated ends with one document more.
    assertTrue(index.reader("ada", "again again").round() <= 33);
  }

  @Test
  void oneDocumentAtATimeFindsWhatManyFind() throws Exception {
    TestIndex usual = TestIndex.create(SimulatedStore.TINY, "standard");
    TestIndex narrow = TestIndex.create(SimulatedStore.TINY, "standard", limits(1));
    Rng rng = new Rng(new SeededRandom(SEED));
    Mails mails = new Mails(rng);
    for (long id = 1; id <= 150; id++) {
      String text = id % 10 == 0 ? "so " + LONG_PHRASE + " and on" : mails.words(2, 25);
      usual.index("ada", id, text);
      narrow.index("ada", id, text);
    }
    assertEquals(1, narrow.reader("ada", LONG_PHRASE).round());
    List<Long> all = IntStream.rangeClosed(1, 15).mapToObj(i -> 10L * (16 - i)).toList();
    assertEquals(all, usual.search("ada", TestIndex.phrase(LONG_PHRASE)));
    assertEquals(all, narrow.search("ada", TestIndex.phrase(LONG_PHRASE)));
    long found = 0;
    for (int i = 0; i < 100; i++) {
      // Words of a phrase that are asked for beside it, too.
      String phrase = mails.words(2, 3);
      SearchText text =
          i % 2 == 0
              ? TestIndex.phrase(phrase)
              : new SearchText("", phrase + " " + mails.word(), phrase, "", List.of());
      List<Long> expected = usual.search("ada", text);
      assertEquals(expected, narrow.search("ada", text), text + ", seed " + SEED);
      found += expected.size();
    }
    assertTrue(found > 50, "phrases that are not found compare nothing: " + found);
  }
}
