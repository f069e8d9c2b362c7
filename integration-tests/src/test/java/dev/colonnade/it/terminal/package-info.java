/** The shell as a person at a terminal sees it: a process of its own behind a pseudo-terminal. */
@NullMarked
package dev.colonnade.it.terminal;

import org.jspecify.annotations.NullMarked;
