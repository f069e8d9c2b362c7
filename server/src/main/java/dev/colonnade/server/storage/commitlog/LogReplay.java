package dev.colonnade.server.storage.commitlog;

import dev.colonnade.server.base.codec.ByteReader;
import dev.colonnade.server.base.model.FamilyId;
import dev.colonnade.server.base.model.LogPosition;
import java.io.IOException;
import java.util.Set;

/** Receives the records of earlier runs, in order. */
@FunctionalInterface
public interface LogReplay {

  /**
   * Takes one record.
   *
   * @param payload its bytes; valid only during the call. A {@link
   *     dev.colonnade.server.base.codec.CorruptDataException} that it throws is reported as damage
   *     of the segment.
   * @return the families that took something from it into memory, and so keep the segment until
   *     they are flushed; not those that were flushed beyond {@code position} before, nor dropped
   *     ones
   */
  Set<FamilyId> record(LogPosition position, ByteReader payload) throws IOException;
}
