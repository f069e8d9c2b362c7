package dev.colonnade.it.abuse;

import java.io.IOException;

/**
 * A way to treat a node. Runs in a process of its own, at a lower priority than the node and the
 * well-behaved clients: the measurement shows what the node does with the abuse, not how much of
 * the machine its clients take.
 */
interface AbuseCase {

  /** As on the command line. */
  String name();

  /** In a few words. */
  String what();

  /** Begins, and continues until the process ends. */
  void begin(Target target, Tally tally) throws IOException;
}
