/**
 * The benchmark: drives a server through gRPC and, in the same run and by turns, a server that does
 * nothing with calls of the same sizes. What counts is the server's CPU time per call and its ratio
 * to the call that does nothing; calls per second depend on whatever else the machine does.
 */
@NullMarked
package dev.colonnade.it.bench;

import org.jspecify.annotations.NullMarked;
