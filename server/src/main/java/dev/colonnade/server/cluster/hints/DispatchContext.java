package dev.colonnade.server.cluster.hints;

import dev.colonnade.server.base.async.Throttle;
import dev.colonnade.server.base.env.Clock;
import dev.colonnade.server.base.env.Scheduler;
import dev.colonnade.server.base.health.RepeatedFailures;

/** What all dispatches share. */
record DispatchContext(
    Clock clock,
    Scheduler scheduler,
    HintSettings settings,
    HintSender sender,
    HintContext context,
    HintCounters counters,
    Throttle throttle,
    RepeatedFailures failures) {}
