package dev.colonnade.client;

import java.time.Duration;
import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * A name with a value.
 *
 * @param timestampMicros decides between versions: the higher wins; of equal ones a removal, then a
 *     column that expires, then the later expiry, then the greater value. Microseconds since 1970
 *     by convention. Always present in what was read; absent in a write, the client's clock is
 *     taken
 * @param ttl how long the column lives, from when it is written, in whole seconds and at least one;
 *     absent: the family's default. When read, it is the number that was written, not the remaining
 *     time
 */
public record Column<N, V>(N name, V value, OptionalLong timestampMicros, Optional<Duration> ttl)
    implements Entry<N> {

  /**
   * Checks the time to live.
   *
   * @throws IllegalArgumentException if it is not whole seconds from 1 to 2^31 - 1
   */
  public Column {
    ttl.ifPresent(Column::requireWholeSeconds);
  }

  /** A column to write, with the client's clock and the family's time to live. */
  public static <N, V> Column<N, V> of(N name, V value) {
    return new Column<>(name, value, OptionalLong.empty(), Optional.empty());
  }

  /** The same with a timestamp, in microseconds since 1970 by convention. */
  public Column<N, V> withTimestamp(long micros) {
    return new Column<>(name, value, OptionalLong.of(micros), ttl);
  }

  /** The same with a time to live, in whole seconds. */
  public Column<N, V> withTtl(Duration duration) {
    return new Column<>(name, value, timestampMicros, Optional.of(duration));
  }

  /**
   * Values by name, in the order of the columns; cannot be changed. Names must be equal when their
   * bytes are, as arrays are not.
   */
  public static <N, V> Map<N, V> asMap(Collection<Column<N, V>> columns) {
    Map<N, V> values = new LinkedHashMap<>();
    columns.forEach(column -> values.put(column.name(), column.value()));
    return Collections.unmodifiableMap(values);
  }

  private static void requireWholeSeconds(Duration ttl) {
    if (ttl.getNano() != 0 || ttl.getSeconds() < 1 || ttl.getSeconds() > Integer.MAX_VALUE) {
      throw new IllegalArgumentException(
          "a time to live is whole seconds, from 1 to 2^31 - 1; got " + ttl);
    }
  }
}
