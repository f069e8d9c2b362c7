package dev.colonnade.server.service.search;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.colonnade.server.base.model.Cell;
import dev.colonnade.server.node.platform.SeededRandom;
import dev.colonnade.server.sim.Rng;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.apache.lucene.analysis.core.KeywordAnalyzer;
import org.apache.lucene.analysis.core.WhitespaceAnalyzer;
import org.junit.jupiter.api.Test;

/** The values of an index's columns, and the limits of what goes into them. */
final class IndexValuesTest {

  private static final TextAnalyzer WORDS = new TextAnalyzer(new WhitespaceAnalyzer());
  private static final SearchSettings LIMITS = SearchSettings.DEFAULT;

  private static Cell cell(byte[] value) {
    return Cell.live(new byte[] {'t'}, new byte[] {1}, value, 77);
  }

  private static IndexedDocument document(String... texts) {
    return IndexedDocument.of(List.of(texts), List.of(), new byte[] {4, 2}, WORDS, LIMITS);
  }

  private static byte[] value(IndexedDocument document, String term) {
    return document.value(
        Objects.requireNonNull(document.entries().get(IndexLayout.term(bytes(term)))));
  }

  @Test
  void aPostingSaysWhereAndHowOftenATermIs() {
    IndexedDocument document = document("to be or not to be", "to");
    Posting posting = Posting.of(cell(value(document, "to")), 10).orElseThrow();
    assertEquals(3, posting.frequency());
    assertEquals(7, posting.length());
    assertArrayEquals(new int[] {0, 4, 105}, posting.positions());
    assertEquals(new DocumentVersion(77, document.fingerprint()), posting.version());
    assertEquals(3 / (3 + 0.3f + 0.9f * 7 / 100), posting.score());
    assertEquals(4, document.terms());
  }

  @Test
  void theListOfEntriesAndTheVersionComeBack() {
    IndexedDocument document = document("alpha alphabet beta Zürich");
    EntryList entries = EntryList.of(cell(document.value(document.names()))).orElseThrow();
    assertEquals(
        List.of("t:Zürich", "t:alpha", "t:alphabet", "t:beta"),
        entries.names().stream().map(IndexLayout::display).toList());
    VersionEntry version = VersionEntry.of(cell(document.value(document.payload()))).orElseThrow();
    assertArrayEquals(new byte[] {4, 2}, version.payload());
    assertEquals(entries.version(), version.version());
  }

  @Test
  void theFingerprintTellsContentsApart() {
    assertEquals(document("a b").fingerprint(), document("a b").fingerprint());
    assertTrue(document("a b").fingerprint() != document("b a").fingerprint());
    assertTrue(document("a b").fingerprint() != document("a", "b").fingerprint());
  }

  /** The family is everybody's: any bytes may lie in it. */
  @Test
  void bytesThatNoIndexingWroteAreNoEntries() {
    assertEquals(Optional.empty(), Posting.of(cell(new byte[0]), 10));
    assertEquals(Optional.empty(), Posting.of(cell(new byte[] {1, 2, 3, 4, 5}), 10));
    assertEquals(Optional.empty(), EntryList.of(cell(new byte[] {0, 0, 0, 0, 3, 1, 65})));
    assertEquals(Optional.empty(), VersionEntry.of(cell(new byte[] {1})));
    Rng rng = new Rng(new SeededRandom(1));
    for (int i = 0; i < 20_000; i++) {
      byte[] value = new byte[rng.between(0, 40)];
      for (int at = 0; at < value.length; at++) {
        value[at] = (byte) rng.between(0, rng.chance(500) ? 3 : 255);
      }
      // None of them may throw.
      var unused = List.of(Posting.of(cell(value), 10), EntryList.of(cell(value)));
    }
  }

  @Test
  void whatIsAboveALimitIsRefusedByName() {
    refused("texts", "bytes of text", () -> document("x".repeat(1 << 20), "y"));
    refused(
        "texts",
        "a term of 2000 bytes",
        () ->
            IndexedDocument.of(
                List.of("k".repeat(2_000)),
                List.of(),
                new byte[0],
                new TextAnalyzer(new KeywordAnalyzer()),
                LIMITS));
    List<String> many = new ArrayList<>();
    for (int i = 0; i <= LIMITS.maxTerms(); i++) {
      many.add(Integer.toString(i, 36));
    }
    refused("texts", "50000 different terms", () -> document(String.join(" ", many)));
    refused(
        "payload",
        "bytes of payload",
        () -> IndexedDocument.of(List.of(), List.of(), new byte[5_000], WORDS, LIMITS));
    refused(
        "participants[1]",
        "1 to 65000 bytes",
        () ->
            IndexedDocument.of(
                List.of(), List.of(bytes("bob"), new byte[0]), new byte[0], WORDS, LIMITS));
    refused(
        "query",
        "65 terms",
        () ->
            SearchQuery.of(TestIndex.anyOf(String.join(" ", many.subList(0, 65))), WORDS, LIMITS));
  }

  @Test
  void positionsBeyondTheLimitAreLeftOut() {
    IndexedDocument document = document("again ".repeat(20_000));
    byte[] value = value(document, "again");
    assertTrue(value.length < 32 << 10, "a posting is small: " + value.length);
    assertEquals(10_000, Posting.of(cell(value), 10_000).orElseThrow().positions().length);
    assertEquals(7, Posting.of(cell(value), 7).orElseThrow().positions().length);
    assertEquals(20_000, Posting.of(cell(value), 0).orElseThrow().frequency());
  }

  private static void refused(String field, String words, Runnable work) {
    SearchException refusal = assertThrows(SearchException.class, work::run);
    assertEquals(field, refusal.field());
    assertTrue(String.valueOf(refusal.getMessage()).contains(words), refusal.getMessage());
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }
}
