/**
 * Replays what Apache Cassandra answered, line by line, against a node: {@link
 * dev.colonnade.it.conformance.Trace} reads a recording, {@link
 * dev.colonnade.it.conformance.TraceRequests} puts a line into our contract, {@link
 * dev.colonnade.it.conformance.TraceCalls} sends it and brings the answer into the form of the
 * recording, {@link dev.colonnade.it.conformance.TraceReplay} compares. What differs on purpose
 * stands in {@code conformance/differences.json} and nowhere else.
 */
@NullMarked
package dev.colonnade.it.conformance;

import org.jspecify.annotations.NullMarked;
