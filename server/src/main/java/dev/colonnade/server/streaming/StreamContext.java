package dev.colonnade.server.streaming;

import dev.colonnade.server.compaction.Throttle;
import dev.colonnade.server.engine.StorageEngine;
import dev.colonnade.server.env.Clock;
import dev.colonnade.server.env.Scheduler;
import dev.colonnade.server.net.Messenger;

/** What all streams of a node share. */
record StreamContext(
    Clock clock,
    Scheduler scheduler,
    StreamSettings settings,
    StorageEngine engine,
    Messenger messenger,
    Throttle throttle) {}
