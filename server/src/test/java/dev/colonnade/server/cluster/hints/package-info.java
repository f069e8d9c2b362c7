/** Tests of the writes kept for absent nodes. */
@org.jspecify.annotations.NullMarked
package dev.colonnade.server.cluster.hints;
