/** Jobs over the data of Twissandra, to try and to copy from. */
@NullMarked
package dev.colonnade.connectors.spark.samples;

import org.jspecify.annotations.NullMarked;
