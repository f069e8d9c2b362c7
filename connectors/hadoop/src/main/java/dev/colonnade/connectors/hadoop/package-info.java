/**
 * Hadoop MapReduce over column families: jobs that read them, write them, and load them in bulk.
 */
@NullMarked
package dev.colonnade.connectors.hadoop;

import org.jspecify.annotations.NullMarked;
