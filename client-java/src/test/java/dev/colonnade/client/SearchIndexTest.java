package dev.colonnade.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.colonnade.search.v1.SearchOrder;
import dev.colonnade.search.v1.SearchTermsRequest;
import dev.colonnade.search.v1.TermQuery;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Search queries and definitions of indexes, as messages; {@code ClientSearchIT} calls a node. */
final class SearchIndexTest {

  @Test
  void aQueryAsksForEverythingThatIsSet() {
    SearchQuery query =
        SearchQuery.allOf("a b")
            .andAnyOf("c")
            .andPhrase("d e")
            .andPrefix("f")
            .with("bob")
            .with(new byte[] {0, -1})
            .inOrder(SearchQuery.Order.BEST_FIRST);
    TermQuery message = query.message();
    assertEquals(TermQuery.getDescriptor().getFields().size(), message.getAllFields().size());
    assertEquals("c", message.getAnyOf());
    assertEquals(2, message.getParticipantsCount());
    assertEquals(SearchOrder.SEARCH_ORDER_BEST_FIRST, query.order());
    assertEquals(SearchOrder.SEARCH_ORDER_NEWEST_FIRST, SearchQuery.anyOf("a").with("bob").order());
  }

  @Test
  void callsSayWhichIndexTheyAreAbout() {
    assertEquals(
        new CallSubject(Optional.of("Mail"), Optional.of("Inbox")),
        CallSubject.of(
            SearchTermsRequest.newBuilder().setKeyspace("Mail").setIndex("Inbox").build()));
  }

  @Test
  void anIndexThatExistsMustHaveTheSameAnalyzer() {
    ColumnFamilyDefinition english =
        ColumnFamilyDefinition.searchIndex("Inbox", "english", Comparators.LONG);
    english.requireSameNames(english.withComment("other settings do not count"));
    IllegalStateException refusal =
        assertThrows(
            IllegalStateException.class,
            () ->
                ColumnFamilyDefinition.searchIndex("Inbox", "german", Comparators.LONG)
                    .requireSameNames(english));
    assertEquals(
        "the family Inbox exists as Super with BytesType and LongType and the analyzer english,"
            + " and not as Super with BytesType and LongType and the analyzer german",
        refusal.getMessage());
  }
}
