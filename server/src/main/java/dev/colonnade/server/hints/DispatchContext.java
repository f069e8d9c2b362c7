package dev.colonnade.server.hints;

import dev.colonnade.server.compaction.Throttle;
import dev.colonnade.server.env.Clock;
import dev.colonnade.server.env.Scheduler;

/** What all dispatches share. */
record DispatchContext(
    Clock clock,
    Scheduler scheduler,
    HintSettings settings,
    HintSender sender,
    HintContext context,
    HintCounters counters,
    Throttle throttle) {}
