package dev.colonnade.server.storage.mutation;

import dev.colonnade.server.base.model.Bound;
import dev.colonnade.server.base.model.Cell;
import dev.colonnade.server.base.model.FamilyId;
import dev.colonnade.server.base.model.RangeTombstone;
import dev.colonnade.server.base.model.RowKey;
import dev.colonnade.server.base.model.RowUpdate;
import java.util.List;

/**
 * All changes of one key: one log record, applied together.
 *
 * @param updates each family once
 * @param nowSeconds when the coordinator made it, by its clock; a hint's age counts from here
 */
public record Mutation(RowKey key, List<FamilyMutation> updates, long nowSeconds) {

  /** What the frame of a record, a family's id and the like take beside names and values. */
  private static final long OVERHEAD_BYTES = 64;

  private static final long OPERATION_BYTES = 32;

  /** About how many bytes this takes in the log; never an underestimate. */
  public long payloadBytes() {
    long bytes = OVERHEAD_BYTES + key.token().length + key.key().length;
    for (FamilyMutation part : updates) {
      bytes += OVERHEAD_BYTES + part.update().operations() * OPERATION_BYTES;
      for (Cell cell : part.update().cells()) {
        bytes += cell.payloadBytes();
      }
      for (RangeTombstone range : part.update().ranges()) {
        bytes += nameBytes(range.start()) + nameBytes(range.end());
      }
    }
    return bytes;
  }

  private static long nameBytes(Bound bound) {
    byte[] sub = bound.sub();
    return (long) bound.top().length + (sub == null ? 0 : sub.length);
  }

  /**
   * The changes of the key's row in one family.
   *
   * @param truncation the last truncation of the family that the writer knew of, by which a store
   *     can tell whether this is void. Not kept in the log, because the order of the log shows it
   */
  public record FamilyMutation(FamilyId family, RowUpdate update, long truncation) {
    /** Changes in a family that was never truncated. */
    public FamilyMutation(FamilyId family, RowUpdate update) {
      this(family, update, 0);
    }
  }
}
