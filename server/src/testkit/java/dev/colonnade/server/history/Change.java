package dev.colonnade.server.history;

import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * A batch of changes of one row, all with one timestamp. Values of one column must differ, so that
 * a value names the change that wrote it.
 */
public final class Change {
  /** The node chooses the timestamp. */
  static final long BY_NODE = Long.MIN_VALUE;

  private final long timestamp;
  private final SortedMap<String, @Nullable String> values = new TreeMap<>();
  private boolean removesRow;

  private Change(long timestamp) {
    this.timestamp = timestamp;
  }

  /** An empty one with this timestamp. */
  public static Change at(long timestamp) {
    return new Change(timestamp);
  }

  /** An empty one; the answer to it, or what others see of it, has the timestamp. */
  public static Change byNode() {
    return new Change(BY_NODE);
  }

  /** Adds a value. */
  public Change put(String column, String value) {
    values.put(column, value);
    return this;
  }

  /** Adds the deletion of a column. */
  public Change remove(String column) {
    values.put(column, null);
    return this;
  }

  /** Adds the deletion of all columns that it does not name. */
  public Change removeRow() {
    removesRow = true;
    return this;
  }

  long timestamp() {
    return timestamp;
  }

  SortedMap<String, @Nullable String> values() {
    return values;
  }

  boolean removesRow() {
    return removesRow;
  }
}
