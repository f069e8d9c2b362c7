package dev.colonnade.it.conformance;

import io.grpc.Channel;
import java.time.Duration;

/** What a replay needs of a node besides its calls. */
interface NodeUnderTest {

  /** The channel to the running node: get it again after {@link #restart}. */
  Channel channel();

  /** Lets the time of a recorded pause pass: by moving the node's clock if it is simulated. */
  void pass(Duration time);

  /** Writes every memtable to a data file. */
  void flush();

  /** Stops the node and starts it on the same data. */
  void restart();
}
