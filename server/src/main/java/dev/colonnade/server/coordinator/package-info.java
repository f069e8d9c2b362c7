/**
 * A client's request over the replicas of its rows at a consistency level: send, count, time out,
 * resolve.
 *
 * <p>{@link dev.colonnade.server.coordinator.RowStore} is what the services see. Requests arrive
 * validated: families exist, names fit their types, limits are checked. Answers complete on
 * whichever thread brought the last part, so whoever composes on them must not block.
 *
 * <p>What may not enter: wire formats, gRPC, validation of what clients send, storage.
 */
@NullMarked
package dev.colonnade.server.coordinator;

import org.jspecify.annotations.NullMarked;
