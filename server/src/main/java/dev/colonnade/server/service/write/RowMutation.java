package dev.colonnade.server.service.write;

import dev.colonnade.server.base.model.RowKey;
import dev.colonnade.server.base.model.RowUpdate;
import dev.colonnade.server.base.schema.ColumnFamily;
import java.util.List;

/**
 * All changes of one key in one keyspace: one log record, applied together.
 *
 * @param updates one update per family
 */
public record RowMutation(RowKey key, List<FamilyUpdate> updates) {

  /** The changes of the key's row in one family. */
  public record FamilyUpdate(ColumnFamily family, RowUpdate update) {}
}
