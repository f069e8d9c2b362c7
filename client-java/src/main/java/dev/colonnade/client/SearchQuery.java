package dev.colonnade.client;

import com.google.protobuf.ByteString;
import dev.colonnade.search.v1.SearchOrder;
import dev.colonnade.search.v1.TermQuery;

/**
 * What a document must have in order to be found: everything that is set. The index's analyzer cuts
 * texts into terms as it does with documents. Immutable.
 */
public final class SearchQuery {

  /** How hits are ordered. */
  public enum Order {
    /** By document id, the greatest first. */
    NEWEST_FIRST(SearchOrder.SEARCH_ORDER_NEWEST_FIRST),
    /** By score, the highest first; of the newest 10,000 documents that match. */
    BEST_FIRST(SearchOrder.SEARCH_ORDER_BEST_FIRST);

    private final SearchOrder message;

    Order(SearchOrder message) {
      this.message = message;
    }

    SearchOrder message() {
      return message;
    }
  }

  private final TermQuery message;
  private final Order order;

  private SearchQuery(TermQuery message, Order order) {
    this.message = message;
    this.order = order;
  }

  private static SearchQuery empty() {
    return new SearchQuery(TermQuery.getDefaultInstance(), Order.NEWEST_FIRST);
  }

  /** Documents with each term of a text. */
  public static SearchQuery allOf(String text) {
    return empty().andAllOf(text);
  }

  /** Documents with at least one term of a text. */
  public static SearchQuery anyOf(String text) {
    return empty().andAnyOf(text);
  }

  /** Documents with the terms of a text one after the other. */
  public static SearchQuery phrase(String text) {
    return empty().andPhrase(text);
  }

  /** Documents with a term that begins with this. */
  public static SearchQuery prefix(String beginning) {
    return empty().andPrefix(beginning);
  }

  /** The same, and with each term of a text. */
  public SearchQuery andAllOf(String text) {
    return new SearchQuery(message.toBuilder().setAllOf(text).build(), order);
  }

  /** The same, and with at least one term of a text. */
  public SearchQuery andAnyOf(String text) {
    return new SearchQuery(message.toBuilder().setAnyOf(text).build(), order);
  }

  /** The same, and with the terms of a text one after the other. */
  public SearchQuery andPhrase(String text) {
    return new SearchQuery(message.toBuilder().setPhrase(text).build(), order);
  }

  /** The same, and with a term that begins with this. */
  public SearchQuery andPrefix(String beginning) {
    return new SearchQuery(message.toBuilder().setPrefix(beginning).build(), order);
  }

  /** The same, and exchanged with somebody. */
  public SearchQuery with(String participant) {
    return with(ByteString.copyFromUtf8(participant));
  }

  /** The same, and exchanged with somebody whose bytes are no text. */
  public SearchQuery with(byte[] participant) {
    return with(ByteString.copyFrom(participant));
  }

  private SearchQuery with(ByteString participant) {
    return new SearchQuery(message.toBuilder().addParticipants(participant).build(), order);
  }

  /** The same in another order. */
  public SearchQuery inOrder(Order other) {
    return new SearchQuery(message, other);
  }

  TermQuery message() {
    return message;
  }

  SearchOrder order() {
    return order.message();
  }
}
