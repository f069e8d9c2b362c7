package dev.colonnade.cli.demo.search;

import dev.colonnade.client.Batch;
import dev.colonnade.client.CallOptions;
import dev.colonnade.client.Column;
import dev.colonnade.client.ColumnFamily;
import dev.colonnade.client.ColumnFamilyDefinition;
import dev.colonnade.client.Comparators;
import dev.colonnade.client.Keyspace;
import dev.colonnade.client.Serializers;
import dev.colonnade.client.Slice;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * A row for each user, a column for each of the user's mails. Because columns are kept in the order
 * of their names, which are times, the newest ten cost the same in a row of ten and in one of a
 * million. Thread-safe.
 */
public final class Inbox {

  /** The family. */
  public static final String FAMILY = "Inbox";

  private final ColumnFamily<String, Long, String> mails;

  /** The inboxes in a keyspace that has the family of {@link #definition}. */
  public Inbox(Keyspace keyspace) {
    this(keyspace.columnFamily(FAMILY, Serializers.UTF8, Serializers.LONG, Serializers.UTF8));
  }

  private Inbox(ColumnFamily<String, Long, String> mails) {
    this.mails = mails;
  }

  /** The family that this application needs. */
  public static ColumnFamilyDefinition definition() {
    return ColumnFamilyDefinition.standard(FAMILY, Comparators.LONG);
  }

  /** The same, called with other options. */
  public Inbox with(CallOptions options) {
    return new Inbox(mails.with(options));
  }

  /** Puts mails into an inbox, all in one call. */
  public CompletableFuture<@Nullable Void> put(String user, Collection<Mail> arrived) {
    return mails
        .async()
        .insertAll(user, arrived.stream().map(mail -> Column.of(mail.id(), mail.text())).toList());
  }

  /** The newest mails of an inbox, the newest first. */
  public List<Mail> newest(String user, int limit) {
    return read(mails.slice(user, Slice.last(limit)));
  }

  /** The mails of an inbox with these ids, by time. */
  public List<Mail> find(String user, Collection<Long> ids) {
    return ids.isEmpty() ? List.of() : read(mails.slice(user, Slice.named(ids)));
  }

  /** Lets a mail be put into an inbox along with other changes. */
  void put(Batch batch, String user, Mail mail) {
    batch.insert(mails, user, mail.id(), mail.text());
  }

  private static List<Mail> read(List<Column<Long, String>> columns) {
    return columns.stream().map(column -> new Mail(column.name(), column.value())).toList();
  }
}
