/**
 * How answers look: as the old cassandra-cli printed them, as tables, or as lines of JSON. What
 * comes in is text already, by the types of its family; nothing here asks a node, knows a statement
 * or decides what is shown. Control characters never pass, so that data cannot drive a terminal.
 */
@NullMarked
package dev.colonnade.cli.shell.output;

import org.jspecify.annotations.NullMarked;
