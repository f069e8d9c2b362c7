package dev.colonnade.it.bench;

import dev.colonnade.cli.local.bench.CpuTime;
import java.time.Duration;
import java.util.List;

/** Waits for what nodes do in the background: flushes and merges belong to a load. */
public final class SettledProcesses {

  /** Nodes are settled once they use less than this in each of two seconds. */
  private static final Duration SETTLED_CPU = Duration.ofMillis(80);

  private static final int MOST_SECONDS = 120;

  private SettledProcesses() {}

  /** Returns when these processes use next to no processor time, or after two minutes. */
  public static void await(List<Long> pids) throws InterruptedException {
    if (pids.isEmpty()) {
      return;
    }
    Duration before = CpuTime.of(pids);
    int calm = 0;
    for (int second = 0; second < MOST_SECONDS && calm < 2; second++) {
      Thread.sleep(Duration.ofSeconds(1).toMillis());
      Duration now = CpuTime.of(pids);
      calm = now.minus(before).compareTo(SETTLED_CPU) < 0 ? calm + 1 : 0;
      before = now;
    }
  }
}
