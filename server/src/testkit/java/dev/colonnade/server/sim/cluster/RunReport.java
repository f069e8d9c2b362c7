package dev.colonnade.server.sim.cluster;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * What came of one seed.
 *
 * @param hash of the trace
 * @param events that ran
 * @param age how long the world existed
 * @param kinds of faults that the seed chose
 * @param faults how often each came about
 * @param acknowledged writes
 * @param answered reads
 * @param refused writes that were refused, or whose outcome is unknown
 * @param settled how long it took after the healing until all nodes knew of one another
 * @param sometimes things that should happen in some runs, and how often they did
 * @param violations what must not be, in words; empty if all is well
 * @param trace the latest of what happened
 */
public record RunReport(
    long seed,
    long hash,
    long events,
    Duration age,
    Set<FaultKind> kinds,
    Map<FaultKind, Integer> faults,
    long acknowledged,
    long answered,
    long refused,
    Duration settled,
    Map<String, Long> sometimes,
    List<String> violations,
    List<String> trace) {

  /** The same, smaller. */
  RunReport withoutTrace() {
    return new RunReport(
        seed,
        hash,
        events,
        age,
        kinds,
        faults,
        acknowledged,
        answered,
        refused,
        settled,
        sometimes,
        violations,
        List.of());
  }

  /** Whether nothing was wrong. */
  public boolean isGood() {
    return violations.isEmpty();
  }

  /** Whether clients got something done. */
  public boolean madeProgress() {
    return acknowledged >= 50 && answered >= 50;
  }

  /** Whether a fault was felt. */
  public boolean feltFaults() {
    return faults.values().stream().anyMatch(count -> count > 0);
  }
}
