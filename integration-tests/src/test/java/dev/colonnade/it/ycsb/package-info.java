/**
 * YCSB's core workloads through the client library: threads that wait for each of their calls, a
 * node or three of them, and beside them a server that answers at once and stores nothing.
 */
@NullMarked
package dev.colonnade.it.ycsb;

import org.jspecify.annotations.NullMarked;
