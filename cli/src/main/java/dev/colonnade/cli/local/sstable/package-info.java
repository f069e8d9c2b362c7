/**
 * The offline tools for data files: {@code colonnade sstable}. They read, check and write the files
 * of a node that does not run with {@code dev.colonnade.server.node.offline}; here are the command,
 * the lines of JSON that rows are exported as and imported from, and what people see.
 */
@NullMarked
package dev.colonnade.cli.local.sstable;

import org.jspecify.annotations.NullMarked;
