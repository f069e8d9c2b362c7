package dev.colonnade.server.service.coordinator;

import dev.colonnade.server.service.replica.TouchRead;
import java.util.concurrent.CompletableFuture;

/** Fills caches ahead of reads. Thread-safe; never blocks; fails as {@link RowStore} does. */
@FunctionalInterface
public interface RowToucher {

  /**
   * Loads rows as far as the caches' limits allow; completes with the number of rows found and
   * loaded.
   */
  CompletableFuture<Integer> touch(TouchRead touch);
}
