/**
 * Columns in files, a record for each: CSV or lines of JSON. What comes in and goes out is text, as
 * the shell shows keys, names and values; nothing here knows a family or asks a node.
 */
@NullMarked
package dev.colonnade.cli.shell.copy;

import org.jspecify.annotations.NullMarked;
