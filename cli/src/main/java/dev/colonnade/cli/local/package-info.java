/**
 * The commands that run nodes, {@code server} and {@code demo} inside this process, {@code demo},
 * {@code cluster} and {@code bench} as processes of their own, and those that read their files,
 * {@code conf}. This is the only package of the command line that sees the server module; what
 * speaks to a node from outside stays out of it.
 */
@NullMarked
package dev.colonnade.cli.local;

import org.jspecify.annotations.NullMarked;
