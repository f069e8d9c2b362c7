package dev.colonnade.server.service.admin;

import dev.colonnade.server.base.env.Scheduler;
import dev.colonnade.server.base.env.Stage;
import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Calls registered watches periodically, by one timer that runs while there are any. Thread-safe.
 */
final class PolledWatches {

  /** Short for a user who watches, and long compared with the cost of a call. */
  private static final Duration PERIOD = Duration.ofMillis(500);

  private final Scheduler scheduler;
  private final Set<PollingWatch> looks = new LinkedHashSet<>();
  private Scheduler.@Nullable Cancellable timer;

  PolledWatches(Scheduler scheduler) {
    this.scheduler = scheduler;
  }

  ClusterOperations.Watch add(Runnable look) {
    PollingWatch added = new PollingWatch(look);
    synchronized (looks) {
      looks.add(added);
      if (timer == null) {
        timer = scheduler.every(PERIOD, Stage.CONTROL, this::lookAll);
      }
    }
    return added;
  }

  private void lookAll() {
    List<PollingWatch> all;
    synchronized (looks) {
      all = List.copyOf(looks);
    }
    for (PollingWatch one : all) {
      one.look.run();
    }
  }

  private final class PollingWatch implements ClusterOperations.Watch {
    private final Runnable look;

    PollingWatch(Runnable look) {
      this.look = look;
    }

    @Override
    public void end() {
      synchronized (looks) {
        looks.remove(this);
        Scheduler.Cancellable running = timer;
        if (looks.isEmpty() && running != null) {
          running.cancel();
          timer = null;
        }
      }
    }
  }
}
