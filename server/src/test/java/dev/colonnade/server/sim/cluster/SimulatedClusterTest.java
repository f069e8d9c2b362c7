package dev.colonnade.server.sim.cluster;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.colonnade.server.sim.Figures;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Five real nodes, clients at QUORUM, faults by seed. {@code -Dcolonnade.sim.seeds=N} runs more
 * seeds of each workload, {@code -Dcolonnade.sim.from=S} others; {@code integration-tests/simulate}
 * runs thousands.
 */
final class SimulatedClusterTest {
  // Not constants: the planted-bugs runner runs many seeds in one process.
  private final long first = Long.getLong("colonnade.sim.from", 1);
  private final long seeds = Long.getLong("colonnade.sim.seeds", 10);

  /** How many of the seeds are run a second time, and once more in a second JVM. */
  private static final long TWICE = 1;

  @Test
  void whatClientsSawCanHaveBeenAndReplicasAgree() {
    Figures.write("simulated clusters", run(Workload.DATA, seeds));
  }

  @Test
  void aRingWhoseMembersChangeLosesNothing() {
    Figures.write("simulated rings", run(Workload.MEMBERSHIP, seeds));
  }

  @Test
  void schemasChangedEverywhereAtOnceBecomeOne() {
    Figures.write("simulated schemas", run(Workload.SCHEMA, seeds));
  }

  private Map<String, Object> run(Workload workload, long count) {
    List<RunReport> reports = new ArrayList<>();
    for (long seed = first; seed < first + count; seed++) {
      RunReport report = workload.run(seed, DataRun.Settings.DEFAULT);
      assertTrue(report.isGood(), () -> explain(workload, report));
      reports.add(report.withoutTrace());
    }
    long most = count * 9 / 10;
    assertTrue(
        reports.stream().filter(workload::madeProgress).count() >= most, "too little got done");
    assertTrue(
        reports.stream().filter(RunReport::feltFaults).count() >= most, "too little went wrong");
    return figures(reports);
  }

  private static Map<String, Object> figures(List<RunReport> reports) {
    Map<String, Object> figures = new TreeMap<>();
    figures.put("seeds", reports.size());
    figures.put("events", reports.stream().mapToLong(RunReport::events).sum());
    figures.put("simulated seconds", reports.stream().mapToLong(r -> r.age().toSeconds()).sum());
    figures.put("writes acknowledged", reports.stream().mapToLong(RunReport::acknowledged).sum());
    figures.put("writes unknown", reports.stream().mapToLong(RunReport::refused).sum());
    figures.put("reads answered", reports.stream().mapToLong(RunReport::answered).sum());
    figures.put(
        "faults",
        reports.stream()
            .flatMap(report -> report.faults().values().stream())
            .mapToLong(Integer::longValue)
            .sum());
    return figures;
  }

  private static String explain(Workload workload, RunReport report) {
    return "replay: "
        + Simulate.replay(workload, report.seed())
        + "\n  "
        + String.join("\n  ", report.violations())
        + "\n"
        + String.join("\n", report.trace());
  }

  @Test
  @Tag("second-jvm")
  void aSeedIsOneRunInThisJvmAndInAnother() {
    List<Long> chosen = LongStream.range(first, first + TWICE).boxed().toList();
    for (Workload workload : Workload.values()) {
      List<String> once = hashes(workload, chosen);
      assertEquals(once, hashes(workload, chosen), workload + " a second time");
      assertEquals(once, SecondJvm.hashes(workload, chosen), workload + " in a second JVM");
    }
  }

  private static List<String> hashes(Workload workload, List<Long> seeds) {
    return seeds.stream()
        .map(seed -> SecondJvm.hash(workload.run(seed, DataRun.Settings.DEFAULT)))
        .toList();
  }

  /** The checkers notice that read repair is off: without it some run fails. */
  @Test
  void withoutReadRepairClientsSeeValuesComeAndGo() {
    DataRun.Settings without = DataRun.Settings.DEFAULT.withoutReadRepair();
    assertTrue(
        LongStream.rangeClosed(1, 20)
            .mapToObj(seed -> DataRun.of(seed, without))
            .flatMap(report -> report.violations().stream())
            .anyMatch(violation -> violation.contains(": the read of ")),
        "twenty runs without read repair, and no check noticed");
  }
}
