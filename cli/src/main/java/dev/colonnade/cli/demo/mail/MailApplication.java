package dev.colonnade.cli.demo.mail;

import dev.colonnade.client.Batch;
import dev.colonnade.client.Column;
import dev.colonnade.client.ColumnFamily;
import dev.colonnade.client.ColumnFamilyDefinition;
import dev.colonnade.client.Comparators;
import dev.colonnade.client.Keyspace;
import dev.colonnade.client.KeyspaceDefinition;
import dev.colonnade.client.Row;
import dev.colonnade.client.Serializers;
import dev.colonnade.client.Slice;
import dev.colonnade.client.SuperColumn;
import dev.colonnade.client.SuperColumnFamily;
import dev.colonnade.client.TimeUuids;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.function.Supplier;

/**
 * Mail between users, in threads. Each fact is stored once, in four families, and the program joins
 * them when it reads: a user's threads, a thread's subject, its messages, the names of people. A
 * join of four families is four calls, whatever the number of lines. Thread-safe.
 */
public final class MailApplication {

  private static final String MAILBOX = "Mailbox";
  private static final String THREADS = "Msg_threads";
  private static final String STORE = "Msg_store";
  private static final String INFO = "Info";

  /** How much of a mailbox is read at once; a thread is in it once for each of its messages. */
  private static final int MAILBOX_PART = 200;

  private final Keyspace keyspace;
  private final Supplier<UUID> names;
  private final ColumnFamily<String, UUID, String> mailbox;
  private final ColumnFamily<String, String, String> threads;
  private final SuperColumnFamily<String, UUID, String, String> store;
  private final ColumnFamily<String, String, String> info;
  private final WordLists words;

  /**
   * The application in a keyspace like {@link #definition}.
   *
   * @param names of messages, by time: {@code client.timeUuids()::now}
   */
  public MailApplication(Keyspace keyspace, Supplier<UUID> names) {
    this.keyspace = keyspace;
    this.names = names;
    mailbox =
        keyspace.columnFamily(MAILBOX, Serializers.UTF8, Serializers.TIME_UUID, Serializers.UTF8);
    threads = keyspace.columnFamily(THREADS, Serializers.UTF8, Serializers.UTF8, Serializers.UTF8);
    store =
        keyspace.superColumnFamily(
            STORE, Serializers.UTF8, Serializers.TIME_UUID, Serializers.UTF8, Serializers.UTF8);
    info = keyspace.columnFamily(INFO, Serializers.UTF8, Serializers.UTF8, Serializers.UTF8);
    words = new WordLists(keyspace);
  }

  /** The families that this application needs. */
  public static KeyspaceDefinition definition(String keyspace) {
    return WordLists.define(
        KeyspaceDefinition.named(keyspace)
            .with(ColumnFamilyDefinition.standard(MAILBOX, Comparators.TIME_UUID))
            .with(ColumnFamilyDefinition.standard(THREADS, Comparators.UTF8))
            .with(
                ColumnFamilyDefinition.superFamily(STORE, Comparators.TIME_UUID, Comparators.UTF8))
            .with(ColumnFamilyDefinition.standard(INFO, Comparators.UTF8)));
  }

  /** Which of a user's mails has which word. */
  public WordLists words() {
    return words;
  }

  /** Sets a user's name. */
  public void name(String user, String name) {
    info.insert(user, "name", name);
  }

  /**
   * Begins a thread.
   *
   * @return its id
   */
  public String send(Letter letter) {
    UUID message = names.get();
    String thread = message.toString();
    deliver(
        keyspace.batch().insert(threads, thread, "subject", letter.subject()),
        letter,
        thread,
        message);
    return thread;
  }

  /** Adds a message to a thread. */
  public void reply(String thread, Letter letter) {
    deliver(keyspace.batch(), letter, thread, names.get());
  }

  /** The threads of a user, the one with the newest message first: four calls. */
  public List<InboxLine> inbox(String user, int limit) {
    List<String> newest = threadsOf(user, limit);
    if (newest.isEmpty()) {
      return List.of();
    }
    Map<String, String> subjects = texts(threads, newest, "subject");
    Map<String, SuperColumn<UUID, String, String>> messages = new HashMap<>();
    Set<String> senders = new LinkedHashSet<>();
    for (Row<String, SuperColumn<UUID, String, String>> row :
        store.multiget(newest, Slice.last(1))) {
      for (SuperColumn<UUID, String, String> message : row.entries()) {
        messages.put(row.key(), message);
        senders.add(text(message, "from"));
      }
    }
    Map<String, String> people = texts(info, senders, "name");
    List<InboxLine> lines = new ArrayList<>();
    for (String thread : newest) {
      SuperColumn<UUID, String, String> message = messages.get(thread);
      // The families are independent: a listed thread may no longer exist.
      if (message != null) {
        lines.add(new InboxLine(thread, subjects.getOrDefault(thread, ""), read(message, people)));
      }
    }
    return lines;
  }

  /** The messages of a thread, the oldest first. */
  public List<Message> thread(String thread) {
    List<SuperColumn<UUID, String, String>> messages = store.slice(thread, Slice.all());
    Set<String> senders = new LinkedHashSet<>();
    messages.forEach(message -> senders.add(text(message, "from")));
    Map<String, String> people = texts(info, senders, "name");
    return messages.stream().map(message -> read(message, people)).toList();
  }

  private void deliver(Batch batch, Letter letter, String thread, UUID message) {
    batch.insert(
        store,
        thread,
        new SuperColumn<>(
            message, List.of(Column.of("from", letter.from()), Column.of("body", letter.body()))));
    for (String user : letter.to()) {
      batch.insert(mailbox, user, message, thread);
      words.add(batch, user, letter, thread, message);
    }
    batch.apply();
  }

  /**
   * Each thread once, at the place of its newest message. Nothing is removed from a mailbox when a
   * thread gets another message: that would need a read before each write.
   */
  private List<String> threadsOf(String user, int limit) {
    Set<String> found = new LinkedHashSet<>();
    Slice<UUID> part = Slice.last(MAILBOX_PART);
    List<Column<UUID, String>> columns;
    do {
      columns = mailbox.slice(user, part);
      for (Column<UUID, String> column : columns) {
        if (found.size() < limit) {
          found.add(column.value());
        }
        part = Slice.after(column.name()).reversed().limit(MAILBOX_PART);
      }
    } while (found.size() < limit && columns.size() == MAILBOX_PART);
    return List.copyOf(found);
  }

  /** One column of many rows, where they have it. */
  private static Map<String, String> texts(
      ColumnFamily<String, String, String> family, Collection<String> keys, String column) {
    Map<String, String> texts = new HashMap<>();
    if (!keys.isEmpty()) {
      family
          .multiget(keys, Slice.named(List.of(column)))
          .forEach(row -> row.entries().forEach(found -> texts.put(row.key(), found.value())));
    }
    return texts;
  }

  private static Message read(
      SuperColumn<UUID, String, String> message, Map<String, String> people) {
    String sender = text(message, "from");
    return new Message(
        people.getOrDefault(sender, sender),
        text(message, "body"),
        TimeUuids.instantOf(message.name()));
  }

  private static String text(SuperColumn<UUID, String, String> message, String column) {
    return message.columns().stream()
        .filter(found -> found.name().equals(column))
        .map(Column::value)
        .findFirst()
        .orElse("");
  }
}
