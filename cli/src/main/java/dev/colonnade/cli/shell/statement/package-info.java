/**
 * What a statement of the shell says, as the parser leaves it: which family, which key, which
 * names, as written, before their types are known. Values only: nothing here reads text, asks a
 * node or prints.
 */
@NullMarked
package dev.colonnade.cli.shell.statement;

import org.jspecify.annotations.NullMarked;
