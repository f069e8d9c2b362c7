package dev.colonnade.server.hints;

import dev.colonnade.server.compaction.Throttle;
import dev.colonnade.server.env.Clock;
import dev.colonnade.server.env.Scheduler;

/** What all deliveries share. */
record DeliveryParts(
    Clock clock,
    Scheduler scheduler,
    HintSettings settings,
    HintSender sender,
    Surroundings surroundings,
    HintCounters counters,
    Throttle throttle) {}
