package dev.colonnade.server.service.coordinator;

import dev.colonnade.server.base.model.RowCells;
import dev.colonnade.server.base.model.RowKey;
import dev.colonnade.server.base.model.RowPosition;
import dev.colonnade.server.base.model.SlicePosition;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** Where a scan reads its rows from, a part at a time. */
@FunctionalInterface
interface RangeSource {

  /** Reads the next part. */
  CompletableFuture<ScanPart> read(ScanStep step);

  /**
   * The next part to read.
   *
   * @param start the first row that may be listed
   * @param end the first row that may not; empty for the end of the ring
   * @param inside set if the last part ended inside the row {@code start}
   * @param startListed whether that part returned some of it
   * @param rowLimit how many rows may still be listed
   */
  record ScanStep(
      RowKey start,
      Optional<RowKey> end,
      Optional<SlicePosition> inside,
      boolean startListed,
      long rowLimit) {}

  /**
   * A part of the rows.
   *
   * @param paused where in the rows the part ended; empty if it is complete
   * @param topContinues whether it ended inside the last cell's super column
   * @param goOnAt set if the part is complete but does not reach the end of what was asked for
   */
  record ScanPart(
      List<RowCells> rows,
      Optional<RowPosition> paused,
      boolean topContinues,
      @Nullable RowKey goOnAt,
      CallCost cost) {

    /** A part without rows. */
    static final ScanPart NOTHING =
        new ScanPart(List.of(), Optional.empty(), false, null, CallCost.NONE);
  }
}
