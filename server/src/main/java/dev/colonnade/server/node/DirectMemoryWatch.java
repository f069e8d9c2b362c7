package dev.colonnade.server.node;

import dev.colonnade.server.base.health.Condition;
import dev.colonnade.server.base.health.Health;
import dev.colonnade.server.base.health.Impact;
import java.util.Locale;
import java.util.function.LongSupplier;

/**
 * Reports that off-heap memory is nearly used up, and when it is back. The memory account normally
 * prevents that; if it is wrong, calls fail one by one as overloaded, and clients are better served
 * by another node meanwhile. One thread at a time.
 */
final class DirectMemoryWatch {

  private static final String SUBJECT = "direct";

  /** With less than this fraction free, a buffer of some MiB may not be available. */
  private static final int SPARE_FRACTION = 16;

  private final Health health;
  private final LongSupplier usedBytes;
  private final long limitBytes;

  DirectMemoryWatch(Health health, LongSupplier usedBytes, long limitBytes) {
    this.health = health;
    this.usedBytes = usedBytes;
    this.limitBytes = limitBytes;
  }

  /** Checks the memory. Called periodically. */
  void look() {
    long used = usedBytes.getAsLong();
    if (used > limitBytes - limitBytes / SPARE_FRACTION) {
      health.raise(
          Condition.MEMORY,
          SUBJECT,
          Impact.NOT_READY,
          String.format(
              Locale.ROOT,
              "buffers use %d of the %d MiB of memory outside the heap",
              used >> 20,
              limitBytes >> 20));
    } else {
      health.clear(Condition.MEMORY, SUBJECT);
    }
  }
}
