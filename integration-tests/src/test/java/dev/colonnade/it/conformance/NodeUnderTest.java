package dev.colonnade.it.conformance;

import io.grpc.Channel;
import java.time.Duration;

/** What a replay needs of a node besides its calls. */
interface NodeUnderTest {

  /** Leads to the node as it is now: ask again after {@link #restart}. */
  Channel channel();

  /** Lets the time pass that a recording waits: by moving the node's clock where it is held. */
  void pass(Duration time);

  /** Writes every memtable to a data file. */
  void flush();

  /** Stops the node and starts it on the same data. */
  void restart();
}
