/**
 * The command {@code colonnade shell}. Its rooms: {@code statement} is what can be said, {@code
 * grammar} reads it, {@code value} knows the bytes of literals, {@code run} does what it says,
 * {@code output} writes down the answers, {@code terminal} is for people, {@code help} for those
 * who do not know. This one only puts them together, and may import all of them; the shell sees the
 * store through the client library alone.
 */
@NullMarked
package dev.colonnade.cli.shell;

import org.jspecify.annotations.NullMarked;
