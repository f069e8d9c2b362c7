/**
 * The command {@code colonnade}: parses, calls, prints. Only the package {@code local} below, which
 * runs nodes inside this process, may see the server module.
 */
@NullMarked
package dev.colonnade.cli;

import org.jspecify.annotations.NullMarked;
