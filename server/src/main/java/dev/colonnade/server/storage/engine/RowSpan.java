package dev.colonnade.server.storage.engine;

import dev.colonnade.server.base.model.RowKey;
import java.util.Optional;

/**
 * A range of consecutive rows.
 *
 * @param start the first key of the range
 * @param end the first key after the range; empty for the end of all rows
 */
public record RowSpan(RowKey start, Optional<RowKey> end) {}
