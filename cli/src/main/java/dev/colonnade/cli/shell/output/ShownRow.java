package dev.colonnade.cli.shell.output;

import java.util.Iterator;
import java.util.function.BooleanSupplier;

/**
 * A row, of which no more is in memory than what is being shown.
 *
 * @param superFamily whether its entries are super columns
 * @param entries may be walked once
 * @param more whether the limit left entries out; known when the entries are at their end
 */
public record ShownRow(
    String key, boolean superFamily, Iterator<ShownEntry> entries, BooleanSupplier more) {}
