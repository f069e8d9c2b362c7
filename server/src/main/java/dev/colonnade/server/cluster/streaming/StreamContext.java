package dev.colonnade.server.cluster.streaming;

import dev.colonnade.server.base.async.Throttle;
import dev.colonnade.server.base.env.Clock;
import dev.colonnade.server.base.env.Scheduler;
import dev.colonnade.server.cluster.net.Messenger;
import dev.colonnade.server.storage.engine.StorageEngine;

/** What all streams of a node share. */
record StreamContext(
    Clock clock,
    Scheduler scheduler,
    StreamSettings settings,
    StorageEngine engine,
    Messenger messenger,
    Throttle throttle,
    StreamTotals sent,
    StreamTotals received) {}
