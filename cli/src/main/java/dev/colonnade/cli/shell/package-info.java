/**
 * The command {@code colonnade shell}. Its packages: {@code statement} is what can be said, {@code
 * grammar} reads it, {@code value} knows the bytes of literals, {@code run} does what it says,
 * {@code output} writes the answers, {@code terminal} is for people, {@code help} is the manual.
 * This one only connects them, and may import all of them; the shell sees the store through the
 * client library alone.
 */
@NullMarked
package dev.colonnade.cli.shell;

import org.jspecify.annotations.NullMarked;
