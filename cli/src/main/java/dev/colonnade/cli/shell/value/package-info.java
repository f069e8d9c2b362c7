/**
 * What bytes a literal of the shell is where a type is known, and how bytes are shown: the
 * comparators, and types for values and keys that {@code assume} can name. The bytes are those of
 * the serializers of {@code client-java}, so that the shell and Java programs read each other's.
 *
 * <p>Nothing here reads a statement, knows a schema or asks a node.
 */
@NullMarked
package dev.colonnade.cli.shell.value;

import org.jspecify.annotations.NullMarked;
