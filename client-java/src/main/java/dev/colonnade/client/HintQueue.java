package dev.colonnade.client;

import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Optional;

/**
 * The hints that a node keeps for another one that was away.
 *
 * @param nodeId of the node that they are for
 * @param hints how many
 * @param bytes that they take on disk
 * @param oldest when the first of them was kept; empty if there is none
 */
public record HintQueue(String nodeId, long hints, long bytes, Optional<Instant> oldest) {

  static HintQueue of(dev.colonnade.admin.v1.HintQueue message) {
    return new HintQueue(
        message.getTargetNodeId(),
        message.getHints(),
        message.getBytes(),
        message.getOldestMicros() == 0
            ? Optional.empty()
            : Optional.of(Instant.EPOCH.plus(message.getOldestMicros(), ChronoUnit.MICROS)));
  }
}
