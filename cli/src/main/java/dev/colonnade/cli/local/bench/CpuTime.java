package dev.colonnade.cli.local.bench;

import java.time.Duration;
import java.util.List;

/** Processor time of whole processes, user and system, as the operating system counts it. */
public final class CpuTime {

  private CpuTime() {}

  /** Of all processes of these numbers together, since they were started; 0 for one that ended. */
  public static Duration of(List<Long> pids) {
    Duration sum = Duration.ZERO;
    for (long pid : pids) {
      sum = sum.plus(ProcessHandle.of(pid).map(CpuTime::of).orElse(Duration.ZERO));
    }
    return sum;
  }

  /** Of this process, since it was started. */
  public static Duration ofThisProcess() {
    return of(ProcessHandle.current());
  }

  private static Duration of(ProcessHandle process) {
    return process.info().totalCpuDuration().orElse(Duration.ZERO);
  }
}
