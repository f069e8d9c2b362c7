/**
 * The shell for people: reads statements from a terminal, with history, completion and colours,
 * hands them to the interpreter, and lets Ctrl-C end the call. What statements mean and how answers
 * look is decided elsewhere; without a terminal nothing of this is used.
 */
@NullMarked
package dev.colonnade.cli.shell.terminal;

import org.jspecify.annotations.NullMarked;
