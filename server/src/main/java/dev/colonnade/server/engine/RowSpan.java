package dev.colonnade.server.engine;

import dev.colonnade.server.model.RowKey;
import java.util.Optional;

/**
 * Rows that follow each other.
 *
 * @param start the first that may be one of them
 * @param end the first that is none of them any more; empty for the end of all rows
 */
public record RowSpan(RowKey start, Optional<RowKey> end) {}
