package dev.colonnade.cli.shell.output;

import java.util.Iterator;
import java.util.function.BooleanSupplier;

/**
 * Rows, of which no more than one is in memory.
 *
 * @param rows may be walked once, each row to its end before the next
 * @param more whether the limit left rows out; known at the end
 */
public record ShownRows(Iterator<ShownRow> rows, BooleanSupplier more) {}
