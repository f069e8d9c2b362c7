package dev.colonnade.server.node.platform;

import java.util.concurrent.atomic.LongAdder;

/** Counts messages in one channel class to and from one peer. Thread-safe. */
final class ChannelCounters {
  final LongAdder sentFrames = new LongAdder();
  final LongAdder sentBatches = new LongAdder();
  final LongAdder sentBytes = new LongAdder();
  final LongAdder receivedFrames = new LongAdder();
  final LongAdder receivedBatches = new LongAdder();
  final LongAdder receivedBytes = new LongAdder();
  final LongAdder dropped = new LongAdder();
  final LongAdder connects = new LongAdder();
}
