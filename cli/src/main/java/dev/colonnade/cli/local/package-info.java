/**
 * The commands that run a node inside this process, {@code server} and {@code demo}, and those that
 * read its files, {@code conf}. This is the only package of the command line that sees the server
 * module; what speaks to a node from outside stays out of it.
 */
@NullMarked
package dev.colonnade.cli.local;

import org.jspecify.annotations.NullMarked;
