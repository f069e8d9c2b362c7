package dev.colonnade.client;

import com.google.protobuf.ByteString;
import java.util.List;

/**
 * Full-text search over the documents of users, such as the mails of inboxes: by their words, and
 * by those whom they were exchanged with. All that an index holds of a user is one row of a column
 * family, which {@link ColumnFamilyDefinition#searchIndex} defines. Thread-safe; methods wait and
 * fail as those of {@link Entries}.
 *
 * <pre>{@code
 * client.schema()
 *     .createIfAbsent(
 *         "Blog", ColumnFamilyDefinition.searchIndex("Inbox", "english", Comparators.LONG));
 * SearchIndex<String, Long> inbox =
 *     client.keyspace("Blog").searchIndex("Inbox", Serializers.UTF8, Serializers.LONG);
 * inbox.index("ada", Document.of(1L, "Lunch?", "The sushi bar, on Friday").with("bob"));
 * inbox.index("ada", Document.of(2L, "Reports", "They are due on friday").with("cy"));
 * inbox.index(
 *     "ada", Document.of(3L, "Re: Lunch?", "Booked").with("bob").withPayload("Re: Lunch?"));
 * System.out.println(inbox.find("ada", SearchQuery.allOf("fridays"), 10).size()); // prints 2
 * System.out.println(inbox.find("ada", SearchQuery.phrase("sushi bars"), 10).get(0).id());
 * // prints 1
 * for (Hit<Long> hit : inbox.interactions("ada", "bob", 1)) {
 *   System.out.println(hit.payloadText()); // prints Re: Lunch?
 * }
 * }</pre>
 *
 * @param <K> users
 * @param <I> ids of documents, the greatest of which is the newest document
 */
public final class SearchIndex<K, I> {

  private final AsyncSearchIndex<K, I> async;

  SearchIndex(AsyncSearchIndex<K, I> async) {
    this.async = async;
  }

  /** Its exact name, which is that of its column family. */
  public String name() {
    return async.name();
  }

  /** The same with futures. */
  public AsyncSearchIndex<K, I> async() {
    return async;
  }

  /** The same, called with other options. */
  public SearchIndex<K, I> with(CallOptions other) {
    return new SearchIndex<>(async.with(other));
  }

  /**
   * Indexes a document of a user, in place of what the index has of it. Of several versions of a
   * document the one with the highest timestamp stands.
   *
   * @return false if the index has a newer version, so that nothing was written
   */
  public boolean index(K user, Document<I> document) {
    return async.indexCall(user, document).execute();
  }

  /** Removes a document of a user; it need not exist. */
  public void delete(K user, I id) {
    async.deleteCall(user, id).execute();
  }

  /**
   * Finds documents of a user by their words.
   *
   * @param limit the most hits, at least 1
   */
  public List<Hit<I>> find(K user, SearchQuery query, int limit) {
    return async.findCall(user, query, limit).execute();
  }

  /** Reads all hits of a query while they arrive. */
  public Cursor<Hit<I>> stream(K user, SearchQuery query) {
    return new Cursor<>(async.stream(user, query));
  }

  /**
   * Lists the documents that a user exchanged with somebody, the newest first.
   *
   * @param limit the most hits, at least 1
   */
  public List<Hit<I>> interactions(K user, String participant, int limit) {
    return async.interactionsCall(user, ByteString.copyFromUtf8(participant), limit).execute();
  }

  /** As {@link #interactions(Object, String, int)}, with somebody whose bytes are no text. */
  public List<Hit<I>> interactions(K user, byte[] participant, int limit) {
    return async.interactionsCall(user, ByteString.copyFrom(participant), limit).execute();
  }

  /** Reads all documents that a user exchanged with somebody, while they arrive. */
  public Cursor<Hit<I>> streamInteractions(K user, String participant) {
    return new Cursor<>(async.streamInteractions(user, participant));
  }

  /** As {@link #streamInteractions(Object, String)}, with somebody whose bytes are no text. */
  public Cursor<Hit<I>> streamInteractions(K user, byte[] participant) {
    return new Cursor<>(async.streamInteractions(user, participant));
  }
}
