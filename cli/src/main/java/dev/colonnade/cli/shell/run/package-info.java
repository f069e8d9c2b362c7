/**
 * Runs statements: finds out which family, key and names are meant and what bytes they are, asks
 * the node through the client library, and hands what comes back to an {@link
 * dev.colonnade.cli.shell.output.Output}.
 *
 * <p>{@link dev.colonnade.cli.shell.run.Session} is what lasts between statements, {@link
 * dev.colonnade.cli.shell.run.Interpreter} runs one of them on the calling thread, {@link
 * dev.colonnade.cli.shell.run.Scripts} many. To cancel a statement, interrupt that thread. Nothing
 * here knows a terminal or the form of the output.
 */
@NullMarked
package dev.colonnade.cli.shell.run;

import org.jspecify.annotations.NullMarked;
