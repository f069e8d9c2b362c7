/**
 * The coordinator of requests for rows: one interface, {@link
 * dev.colonnade.server.service.coordinator.RowStore}, over the coordination of reads and of writes.
 *
 * <p>Requests arrive validated: families exist, names fit their types, limits are checked. Futures
 * complete on the thread that brought the last answer, so code composed on them must not block.
 *
 * <p>The packages below it must not contain wire formats, gRPC, validation of client input, or
 * storage.
 */
@NullMarked
package dev.colonnade.server.service.coordinator;

import org.jspecify.annotations.NullMarked;
