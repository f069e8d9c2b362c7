package dev.colonnade.server.service.rpc;

import dev.colonnade.server.base.model.DeletionTime;
import dev.colonnade.server.service.consistency.TimestampSource;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * The times of one write: the timestamp for all parts that have none, drawn when first needed, and
 * the wall clock's second that determines expiry and deletion times. For one thread.
 */
final class WriteTime {

  private final TimestampSource source;
  private final long nowSeconds;
  private @Nullable Long drawn;

  WriteTime(TimestampSource source, long nowSeconds) {
    this.source = source;
    this.nowSeconds = nowSeconds;
  }

  long nowSeconds() {
    return nowSeconds;
  }

  /** The client's timestamp, or this write's own. */
  long timestampOr(boolean present, long timestampMicros) {
    if (present) {
      return timestampMicros;
    }
    Long own = drawn;
    if (own == null) {
      own = source.nextMicros();
      drawn = own;
    }
    return own;
  }

  DeletionTime deletion(boolean present, long timestampMicros) {
    return new DeletionTime(timestampOr(present, timestampMicros), nowSeconds);
  }

  /** The timestamp that was filled in, if any part needed it. */
  OptionalLong filledIn() {
    Long own = drawn;
    return own == null ? OptionalLong.empty() : OptionalLong.of(own);
  }
}
