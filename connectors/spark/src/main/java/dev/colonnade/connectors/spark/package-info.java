/** Spark's {@code format("colonnade")}: column families read, written and loaded as tables. */
@NullMarked
package dev.colonnade.connectors.spark;

import org.jspecify.annotations.NullMarked;
