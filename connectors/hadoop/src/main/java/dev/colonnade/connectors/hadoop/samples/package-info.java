/** Jobs to begin with: over the tweets of Twissandra, the small Twitter of the examples. */
@NullMarked
package dev.colonnade.connectors.hadoop.samples;

import org.jspecify.annotations.NullMarked;
