package dev.colonnade.server.node.platform;

import dev.colonnade.server.base.metrics.Counter;

/** Counts messages in one channel class to and from one peer. Thread-safe. */
final class ChannelCounters {
  final Counter sentFrames = new Counter();
  final Counter sentBatches = new Counter();
  final Counter sentBytes = new Counter();
  final Counter receivedFrames = new Counter();
  final Counter receivedBatches = new Counter();
  final Counter receivedBytes = new Counter();
  final Counter dropped = new Counter();
  final Counter connects = new Counter();
}
