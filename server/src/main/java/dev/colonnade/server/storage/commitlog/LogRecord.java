package dev.colonnade.server.storage.commitlog;

import dev.colonnade.server.base.codec.ByteWriter;
import dev.colonnade.server.base.model.FamilyId;
import java.util.Set;

/**
 * A record to append. It encodes itself directly into the log's buffer, so that nothing is copied
 * on the way.
 */
public interface LogRecord {

  /**
   * Writes the payload at the end of {@code out}, and changes nothing before it. Called once for
   * each append.
   */
  void encode(ByteWriter out);

  /** The column families that the record changes; each keeps the segment until it is flushed. */
  Set<FamilyId> families();
}
