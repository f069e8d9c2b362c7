/**
 * Reads the shell's statements: text in, {@link dev.colonnade.cli.shell.statement.Statement} or a
 * {@link dev.colonnade.cli.shell.grammar.SyntaxException} with a place out, and back to text. The
 * words of the language stand in one table, {@link dev.colonnade.cli.shell.grammar.Vocabulary}, for
 * the parser, the completion and the help.
 *
 * <p>Nothing here knows a schema, the bytes of a literal, a terminal or a node.
 */
@NullMarked
package dev.colonnade.cli.shell.grammar;

import org.jspecify.annotations.NullMarked;
