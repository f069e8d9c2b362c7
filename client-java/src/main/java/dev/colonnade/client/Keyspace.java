package dev.colonnade.client;

import java.util.List;

/**
 * A keyspace by its name, without asking a node whether it exists. Thread-safe.
 *
 * <pre>{@code
 * Keyspace blog =
 *     client
 *         .keyspace("Blog")
 *         .with(CallOptions.defaults().withWriteConsistency(Consistency.QUORUM));
 * ColumnFamily<String, String, String> users =
 *     blog.columnFamily("Users", Serializers.UTF8, Serializers.UTF8, Serializers.UTF8);
 * SuperColumnFamily<String, UUID, String, String> comments =
 *     blog.superColumnFamily(
 *         "Comments", Serializers.UTF8, Serializers.TIME_UUID, Serializers.UTF8, Serializers.UTF8);
 * blog.batch()
 *     .insert(users, "bob", "posts", "1")
 *     .insert(comments.within(client.timeUuids().now()), "bobs-post", "author", "Ann")
 *     .apply();
 * System.out.println(comments.count("bobs-post", Slice.all())); // prints 1
 * }</pre>
 */
public final class Keyspace {

  private final ClientContext context;
  private final String name;
  private final CallOptions options;

  Keyspace(ClientContext context, String name, CallOptions options) {
    this.context = context;
    this.name = name;
    this.options = options;
  }

  /** Its exact name. */
  public String name() {
    return name;
  }

  /** The same, with other options for the families and batches that come from it. */
  public Keyspace with(CallOptions other) {
    return new Keyspace(context, name, other);
  }

  /** A Standard family: rows of columns. */
  public <K, N, V> ColumnFamily<K, N, V> columnFamily(
      String family, Serializer<K> keys, Serializer<N> names, Serializer<V> values) {
    return new ColumnFamily<>(new AsyncColumnFamily<>(place(family, keys), names, values));
  }

  /** A Super family: rows of super columns. */
  public <K, S, N, V> SuperColumnFamily<K, S, N, V> superColumnFamily(
      String family,
      Serializer<K> keys,
      Serializer<S> superColumns,
      Serializer<N> names,
      Serializer<V> values) {
    return new SuperColumnFamily<>(
        new AsyncSuperColumnFamily<>(place(family, keys), superColumns, names, values));
  }

  /** A Standard family whose rows are records. */
  public <K, R extends Record> RecordFamily<K, R> records(
      String family, Serializer<K> keys, RowMapper<R> mapper) {
    return new RecordFamily<>(
        this, columnFamily(family, keys, Serializers.UTF8, Serializers.BYTES), mapper);
  }

  /** A Super family whose super columns are records. */
  public <K, S, R extends Record> SuperRecordFamily<K, S, R> superRecords(
      String family, Serializer<K> keys, Serializer<S> superColumns, RowMapper<R> mapper) {
    return new SuperRecordFamily<>(
        this,
        superColumnFamily(family, keys, superColumns, Serializers.UTF8, Serializers.BYTES),
        mapper);
  }

  /**
   * A search index.
   *
   * @param ids of its documents, as the index's comparator of ids has them
   */
  public <K, I> SearchIndex<K, I> searchIndex(
      String index, Serializer<K> users, Serializer<I> ids) {
    return new SearchIndex<>(new AsyncSearchIndex<>(place(index, users), ids));
  }

  /** An empty batch of changes to this keyspace. */
  public Batch batch() {
    return new Batch(context, name, options);
  }

  /**
   * A writer of many batches over one stream. It makes its call when the first batch is written.
   */
  public BulkWriter bulkWriter() {
    return new BulkWriter(this, batchStream(List.of()));
  }

  /** A stream of batches to the first of these nodes that answers; none: to any node. */
  BatchStream batchStream(List<Endpoint> owners) {
    return new BatchStream(
        context.transport().channel(owners), options.deadline(), context.resumeAttempts());
  }

  /** Changes that are collected. */
  Changes changes() {
    return new Changes(context.timestamps(), options);
  }

  private <K> ColumnParentRef<K> place(String family, Serializer<K> keys) {
    return new ColumnParentRef<>(context, name, family, null, keys, options);
  }
}
