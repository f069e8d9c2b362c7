/**
 * What the layout of the data files costs: bytes on disk for bytes of payload, and calls to the
 * file system for a write and for a cold read, beside a B-tree table that takes the same inserts.
 */
@NullMarked
package dev.colonnade.it.bench.layout;

import org.jspecify.annotations.NullMarked;
