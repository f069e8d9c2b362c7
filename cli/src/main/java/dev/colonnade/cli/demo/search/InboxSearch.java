package dev.colonnade.cli.demo.search;

import dev.colonnade.client.Batch;
import dev.colonnade.client.Column;
import dev.colonnade.client.ColumnFamilyDefinition;
import dev.colonnade.client.Comparators;
import dev.colonnade.client.Keyspace;
import dev.colonnade.client.KeyspaceDefinition;
import dev.colonnade.client.Serializers;
import dev.colonnade.client.Slice;
import dev.colonnade.client.SuperColumnFamily;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * Finds mail by its words. The index has a row for each user, in it a super column for each word,
 * and in that a column for each mail with the word: the mail's id as the name, its rank as the
 * value. A user's index is one row, so that it is in one place and changes as one. Thread-safe.
 */
public final class InboxSearch {

  /** Of a word that is in more mails, this many are read, the newest. */
  public static final int MOST_MATCHES = 10_000;

  private static final String INDEX = "TermIndex";

  private final Keyspace keyspace;
  private final Inbox inbox;
  private final SuperColumnFamily<String, String, Long, Integer> index;

  /** The search in a keyspace like {@link #definition}. */
  public InboxSearch(Keyspace keyspace) {
    this.keyspace = keyspace;
    inbox = new Inbox(keyspace);
    index =
        keyspace.superColumnFamily(
            INDEX, Serializers.UTF8, Serializers.UTF8, Serializers.LONG, Serializers.INT);
  }

  /** The families that this application needs. */
  public static KeyspaceDefinition definition(String keyspace) {
    return KeyspaceDefinition.named(keyspace)
        .with(Inbox.definition())
        .with(ColumnFamilyDefinition.superFamily(INDEX, Comparators.UTF8, Comparators.LONG));
  }

  /** Puts mails into an inbox and their words into its index, in one call. */
  public void deliver(String user, Collection<Mail> mails) {
    Batch batch = keyspace.batch();
    for (Mail mail : mails) {
      inbox.put(batch, user, mail);
      Words.of(mail.text())
          .forEach((word, count) -> batch.insert(index.within(word), user, mail.id(), count));
    }
    batch.apply();
  }

  /** How many mails have a word. */
  public long count(String user, String word) {
    return index.within(folded(word)).count(user, Slice.all());
  }

  /**
   * The mails with all of some words, the highest rank first, and among equals the newest. A call
   * for each word, and one for the mails.
   *
   * @param words at least one
   * @param limit how many mails at most
   */
  public List<Hit> search(String user, List<String> words, int limit) {
    Map<Long, Integer> ranks = new HashMap<>(matches(user, words.get(0)));
    for (String word : words.subList(1, words.size())) {
      Map<Long, Integer> more = matches(user, word);
      ranks.keySet().retainAll(more.keySet());
      ranks.replaceAll((id, rank) -> rank + more.getOrDefault(id, 0));
    }
    Comparator<Map.Entry<Long, Integer>> best =
        Map.Entry.<Long, Integer>comparingByValue().thenComparing(Map.Entry.comparingByKey());
    List<Long> ids =
        ranks.entrySet().stream()
            .sorted(best.reversed())
            .limit(limit)
            .map(Map.Entry::getKey)
            .toList();
    return inbox.find(user, ids).stream()
        .map(mail -> new Hit(mail, ranks.getOrDefault(mail.id(), 0)))
        .sorted(Comparator.comparingInt((Hit hit) -> ids.indexOf(hit.mail().id())))
        .toList();
  }

  private Map<Long, Integer> matches(String user, String word) {
    Map<Long, Integer> ranks = new HashMap<>();
    for (Column<Long, Integer> column : index.slice(user, folded(word), Slice.last(MOST_MATCHES))) {
      ranks.put(column.name(), column.value());
    }
    return ranks;
  }

  private static String folded(String word) {
    return word.toLowerCase(Locale.ROOT);
  }
}
