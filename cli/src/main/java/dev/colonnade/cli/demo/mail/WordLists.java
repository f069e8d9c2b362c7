package dev.colonnade.cli.demo.mail;

import dev.colonnade.cli.demo.search.Words;
import dev.colonnade.client.Batch;
import dev.colonnade.client.Column;
import dev.colonnade.client.ColumnFamilyDefinition;
import dev.colonnade.client.Comparators;
import dev.colonnade.client.Keyspace;
import dev.colonnade.client.KeyspaceDefinition;
import dev.colonnade.client.Serializers;
import dev.colonnade.client.Slice;
import dev.colonnade.client.SuperColumnFamily;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.UUID;

/**
 * Which of a user's mails has a word, kept three times: a list of mails by name, one of threads by
 * time, one of people by time. One family could not be in all these orders. In each a row is a
 * user, and a super column a word. Thread-safe.
 */
public final class WordLists {

  private static final String MAIL_LIST = "MailList";
  private static final String THREAD_LIST = "ThreadList";
  private static final String USER_LIST = "UserList";

  /** Between a subject and what tells mails of the same subject apart. */
  private static final String MARK = " #";

  /** A list by time has a thread, or a person, once for each mail; this many entries are read. */
  private static final int MOST_MAILS = 1_000;

  private final SuperColumnFamily<String, String, String, String> mails;
  private final SuperColumnFamily<String, String, UUID, String> threads;
  private final SuperColumnFamily<String, String, UUID, String> users;

  WordLists(Keyspace keyspace) {
    mails =
        keyspace.superColumnFamily(
            MAIL_LIST, Serializers.UTF8, Serializers.UTF8, Serializers.UTF8, Serializers.UTF8);
    threads = byTime(keyspace, THREAD_LIST);
    users = byTime(keyspace, USER_LIST);
  }

  static KeyspaceDefinition define(KeyspaceDefinition keyspace) {
    return keyspace
        .with(ColumnFamilyDefinition.superFamily(MAIL_LIST, Comparators.UTF8, Comparators.UTF8))
        .with(
            ColumnFamilyDefinition.superFamily(
                THREAD_LIST, Comparators.UTF8, Comparators.TIME_UUID))
        .with(
            ColumnFamilyDefinition.superFamily(USER_LIST, Comparators.UTF8, Comparators.TIME_UUID));
  }

  /** The subjects of a user's mails that have a word, in the order of the alphabet. */
  public List<String> subjects(String user, String word) {
    return mails.slice(user, folded(word), Slice.first(MOST_MAILS)).stream()
        .map(Column::name)
        .map(name -> name.substring(0, name.lastIndexOf(MARK)))
        .toList();
  }

  /** The ids of a user's threads that have a word, the most recent first. */
  public List<String> threads(String user, String word) {
    return newestFirst(threads, user, word);
  }

  /** The ids of people who used a word in mail to a user, the most recent first. */
  public List<String> users(String user, String word) {
    return newestFirst(users, user, word);
  }

  /** Enters a letter into the lists of one recipient. */
  void add(Batch batch, String user, Letter letter, String thread, UUID message) {
    for (String word : Words.of(letter.subject() + " " + letter.body()).keySet()) {
      batch.insert(mails.within(word), user, letter.subject() + MARK + message, thread);
      batch.insert(threads.within(word), user, message, thread);
      batch.insert(users.within(word), user, message, letter.from());
    }
  }

  private static List<String> newestFirst(
      SuperColumnFamily<String, String, UUID, String> list, String user, String word) {
    Set<String> found = new LinkedHashSet<>();
    list.slice(user, folded(word), Slice.last(MOST_MAILS))
        .forEach(column -> found.add(column.value()));
    return List.copyOf(found);
  }

  private static SuperColumnFamily<String, String, UUID, String> byTime(
      Keyspace keyspace, String family) {
    return keyspace.superColumnFamily(
        family, Serializers.UTF8, Serializers.UTF8, Serializers.TIME_UUID, Serializers.UTF8);
  }

  private static String folded(String word) {
    return word.toLowerCase(Locale.ROOT);
  }
}
