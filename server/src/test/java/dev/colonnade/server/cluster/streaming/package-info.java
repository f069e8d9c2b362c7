/** Tests of streams between nodes. */
@org.jspecify.annotations.NullMarked
package dev.colonnade.server.cluster.streaming;
