package dev.colonnade.connectors.spark;

import dev.colonnade.client.Slice;
import java.io.Serializable;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What of each row is asked for. Immutable.
 *
 * @param names only these; null: an interval
 * @param from null: from the beginning
 * @param to null: to the end
 * @param since the least timestamp; null: any
 * @param limit of each row; 0 for none
 */
record Selection(
    @Nullable List<byte[]> names,
    @Nullable Bound from,
    @Nullable Bound to,
    @Nullable Long since,
    int limit)
    implements Serializable {

  static final Selection ALL = new Selection(null, null, null, null, 0);

  /** An end of an interval. */
  @SuppressWarnings("ArrayRecordComponent") // never compared as a whole
  record Bound(byte[] name, boolean isInside) implements Serializable {}

  Selection withNames(List<byte[]> others) {
    return new Selection(List.copyOf(others), null, null, since, 0);
  }

  /** At most so many of each row, unless names are given. */
  Selection withLimit(int most) {
    return names != null ? this : new Selection(null, from, to, since, most);
  }

  Slice<byte[]> slice() {
    Slice<byte[]> slice;
    if (names != null) {
      slice = Slice.named(names);
    } else {
      slice =
          from == null
              ? Slice.all()
              : from.isInside() ? Slice.from(from.name()) : Slice.after(from.name());
      if (to != null) {
        slice = to.isInside() ? slice.to(to.name()) : slice.before(to.name());
      }
      if (limit > 0) {
        slice = slice.limit(limit);
      }
    }
    return since == null ? slice : slice.since(since);
  }

  /** Words for a plan; empty if it is everything. */
  @Override
  public String toString() {
    StringBuilder text = new StringBuilder();
    if (names != null) {
      text.append(", names ").append(names.stream().map(Bytes::show).toList());
    }
    if (from != null) {
      text.append(from.isInside() ? ", from " : ", after ").append(Bytes.show(from.name()));
    }
    if (to != null) {
      text.append(to.isInside() ? ", to " : ", before ").append(Bytes.show(to.name()));
    }
    if (since != null) {
      text.append(", since ").append(since);
    }
    if (limit > 0) {
      text.append(", ").append(limit).append(" of each row");
    }
    return text.toString();
  }
}
