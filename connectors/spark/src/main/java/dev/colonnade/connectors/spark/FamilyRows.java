package dev.colonnade.connectors.spark;

import dev.colonnade.client.Colonnade;
import dev.colonnade.client.Column;
import dev.colonnade.client.Columns;
import dev.colonnade.client.Cursor;
import dev.colonnade.client.Entries;
import dev.colonnade.client.KeyRange;
import dev.colonnade.client.Keyspace;
import dev.colonnade.client.Row;
import dev.colonnade.client.Serializers;
import dev.colonnade.client.Slice;
import dev.colonnade.client.SuperColumnFamily;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** The rows of one part of a scan, whatever the kind of the family. For one thread. */
final class FamilyRows implements AutoCloseable {

  /** Few enough that their rows fit into memory, many enough that calls do not count. */
  private static final int KEYS_PER_CALL = 100;

  private final Iterator<FamilyRow> rows;
  private final Runnable source;

  /**
   * A row.
   *
   * @param groups its super columns; in a Standard family one group without a name
   */
  @SuppressWarnings("ArrayRecordComponent") // never compared as a whole
  record FamilyRow(byte[] key, List<Group> groups) {}

  /**
   * Columns.
   *
   * @param superColumn that has them; null if none, or the one that is meant
   */
  @SuppressWarnings("ArrayRecordComponent") // never compared as a whole
  record Group(byte @Nullable [] superColumn, List<Column<byte[], byte[]>> columns) {}

  private FamilyRows(Iterator<FamilyRow> rows, Runnable source) {
    this.rows = rows;
    this.source = source;
  }

  /** Begins to read. */
  static FamilyRows open(Colonnade client, ReadPlan plan, ScanPart part) {
    Keyspace keyspace = client.keyspace(plan.settings().keyspace());
    if (plan.types().isSuper()) {
      return open(
          supers(keyspace, plan.settings().family()),
          plan,
          part,
          row ->
              new FamilyRow(
                  row.key(),
                  row.entries().stream()
                      .map(each -> new Group(each.name(), each.columns()))
                      .toList()));
    }
    return open(
        columns(keyspace, plan.settings(), plan.types()),
        plan,
        part,
        row -> new FamilyRow(row.key(), List.of(new Group(null, row.entries()))));
  }

  /** A Super family, of bytes. */
  static SuperColumnFamily<byte[], byte[], byte[], byte[]> supers(Keyspace keyspace, String name) {
    return keyspace.superColumnFamily(
        name, Serializers.BYTES, Serializers.BYTES, Serializers.BYTES, Serializers.BYTES);
  }

  /** A Standard family, or the one super column that is meant, of bytes. */
  static Columns<byte[], byte[], byte[]> columns(
      Keyspace keyspace, Settings settings, FamilyTypes types) {
    Optional<byte[]> within = types.meant(settings);
    return within.isPresent()
        ? supers(keyspace, settings.family()).within(within.get())
        : keyspace.columnFamily(
            settings.family(), Serializers.BYTES, Serializers.BYTES, Serializers.BYTES);
  }

  private static <C> FamilyRows open(
      Entries<byte[], byte[], C> entries,
      ReadPlan plan,
      ScanPart part,
      Function<Row<byte[], C>, FamilyRow> form) {
    Slice<byte[]> slice = plan.selection().slice();
    if (part.keys().isEmpty()) {
      KeyRange<byte[]> keys = KeyRange.in(part.range());
      // Where rows are left out after they were read, more of them may be needed.
      boolean countsRows = plan.limit() > 0 && plan.required().isEmpty() && !plan.types().isSuper();
      Cursor<Row<byte[], C>> cursor =
          entries.range(countsRows ? keys.limit(plan.limit()) : keys, slice);
      return new FamilyRows(mapped(cursor, form), cursor::close);
    }
    Iterator<Row<byte[], C>> found =
        batches(part.keys()).stream()
            .flatMap(each -> entries.multiget(each, slice).stream())
            .filter(row -> !row.isEmpty())
            .iterator();
    return new FamilyRows(mapped(found, form), () -> {});
  }

  private static List<List<byte[]>> batches(List<byte[]> keys) {
    int count = (keys.size() + KEYS_PER_CALL - 1) / KEYS_PER_CALL;
    return IntStream.range(0, count)
        .mapToObj(
            i -> keys.subList(i * KEYS_PER_CALL, Math.min(keys.size(), (i + 1) * KEYS_PER_CALL)))
        .toList();
  }

  private static <T> Iterator<FamilyRow> mapped(Iterator<T> from, Function<T, FamilyRow> form) {
    return new Iterator<>() {
      @Override
      public boolean hasNext() {
        return from.hasNext();
      }

      @Override
      public FamilyRow next() {
        return form.apply(from.next());
      }
    };
  }

  /** The next row; null at the end. */
  @Nullable FamilyRow next() {
    return rows.hasNext() ? rows.next() : null;
  }

  @Override
  public void close() {
    source.run();
  }
}
