package dev.colonnade.server.service.read;

import dev.colonnade.server.base.model.RangeCommand;
import dev.colonnade.server.base.model.RangeRows;
import dev.colonnade.server.base.model.RowKey;
import dev.colonnade.server.service.consistency.CallCost;
import dev.colonnade.server.service.consistency.ReadAnswer;
import dev.colonnade.server.storage.engine.ReadMode;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** Where a scan reads its rows from, a part at a time: this node's store, or the ring's owners. */
@FunctionalInterface
interface RangeSource {

  /**
   * Reads the next part.
   *
   * @param here how this node's store is read
   */
  CompletableFuture<ScanPart> read(RangeCommand command, ReadMode here);

  /**
   * A part of the rows.
   *
   * @param goOnAt set if the part is complete but does not reach the end of what was asked for
   */
  record ScanPart(RangeRows page, @Nullable RowKey goOnAt, CallCost cost) {

    /** Everything that was asked for, or the first page of it. */
    static ScanPart of(ReadAnswer<RangeRows> answer) {
      return new ScanPart(answer.result(), null, answer.cost());
    }
  }
}
