package dev.colonnade.server.cluster.hints;

import dev.colonnade.server.base.env.Clock;
import dev.colonnade.server.base.env.Scheduler;
import dev.colonnade.server.storage.compaction.Throttle;

/** What all dispatches share. */
record DispatchContext(
    Clock clock,
    Scheduler scheduler,
    HintSettings settings,
    HintSender sender,
    HintContext context,
    HintCounters counters,
    Throttle throttle) {}
