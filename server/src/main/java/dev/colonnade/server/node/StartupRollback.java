package dev.colonnade.server.node;

import java.util.ArrayDeque;
import java.util.Deque;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Closes what was started, in reverse order, when a start fails half-way. */
final class StartupRollback {

  private static final Logger LOG = LoggerFactory.getLogger(StartupRollback.class);

  /** Closes one part. */
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
        LOG.warn("a part that had been started could not be stopped", e);
      }
    }
  }
}
