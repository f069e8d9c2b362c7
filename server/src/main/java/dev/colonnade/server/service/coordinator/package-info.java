/**
 * Coordinates a client's request over the replicas of its rows at a consistency level: sends it,
 * counts the answers, applies timeouts, and resolves differences.
 *
 * <p>{@link dev.colonnade.server.service.coordinator.RowStore} is the interface for services.
 * Requests arrive validated: families exist, names fit their types, limits are checked. Futures
 * complete on the thread that brought the last answer, so code composed on them must not block.
 *
 * <p>This package must not contain wire formats, gRPC, validation of client input, or storage.
 */
@NullMarked
package dev.colonnade.server.service.coordinator;

import org.jspecify.annotations.NullMarked;
