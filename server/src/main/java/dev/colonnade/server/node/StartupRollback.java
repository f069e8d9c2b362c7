package dev.colonnade.server.node;

import java.util.ArrayDeque;
import java.util.Deque;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What to take down again, last first, when a start fails half-way. */
final class StartupRollback {

  private static final Logger LOG = LoggerFactory.getLogger(StartupRollback.class);

  /** Takes one thing down. */
  interface RollbackStep {
    void run() throws Exception;
  }

  private final Deque<RollbackStep> steps = new ArrayDeque<>();

  void add(RollbackStep step) {
    steps.push(step);
  }

  void run() {
    while (!steps.isEmpty()) {
      try {
        steps.pop().run();
      } catch (Exception | Error e) {
        LOG.warn("something that had started before could not be stopped", e);
      }
    }
  }
}
