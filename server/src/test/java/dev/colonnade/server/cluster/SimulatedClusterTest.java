package dev.colonnade.server.cluster;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/**
 * Five real nodes, registers at QUORUM, faults by seed. {@code -Dcolonnade.sim.seeds=N} runs more
 * seeds, {@code -Dcolonnade.sim.from=S} others; {@code integration-tests/simulate} runs thousands.
 */
final class SimulatedClusterTest {
  private static final long FIRST = Long.getLong("colonnade.sim.from", 1);
  private static final long SEEDS = Long.getLong("colonnade.sim.seeds", 25);

  /** How many of the seeds are run a second time, and how many in a second JVM. */
  private static final int TWICE = 5;

  @Test
  void whatClientsSawCanHaveBeenAndReplicasAgree() {
    List<RunReport> reports =
        LongStream.range(FIRST, FIRST + SEEDS)
            .mapToObj(seed -> DataRun.of(seed, DataRun.Settings.DEFAULT))
            .toList();
    for (RunReport report : reports) {
      assertTrue(report.isGood(), () -> explain(report));
    }
    long most = SEEDS * 9 / 10;
    assertTrue(
        reports.stream().filter(RunReport::madeProgress).count() >= most, "too little got done");
    assertTrue(
        reports.stream().filter(RunReport::feltFaults).count() >= most, "too little went wrong");
  }

  private static String explain(RunReport report) {
    return "seed "
        + report.seed()
        + " (replay: integration-tests/simulate --seed "
        + report.seed()
        + ")\n  "
        + String.join("\n  ", report.violations())
        + "\n"
        + String.join("\n", report.trace());
  }

  @Test
  void aSeedIsOneRunInThisJvmAndInAnother() throws Exception {
    List<String> here = new ArrayList<>();
    for (long seed = FIRST; seed < FIRST + TWICE; seed++) {
      String once = hash(seed);
      assertEquals(once, hash(seed), "seed " + seed + " twice");
      here.add(once);
    }
    assertEquals(here, elsewhere());
  }

  private static String hash(long seed) {
    return Long.toHexString(DataRun.of(seed, DataRun.Settings.DEFAULT).hash());
  }

  /** The same seeds in a JVM of its own, where objects have other identities. */
  private static List<String> elsewhere() throws IOException, InterruptedException {
    Process other =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-XX:+UnlockExperimentalVMOptions",
                "-XX:hashCode=2",
                "-cp",
                System.getProperty("java.class.path"),
                Hashes.class.getName(),
                Long.toString(FIRST),
                Integer.toString(TWICE))
            .redirectError(ProcessBuilder.Redirect.DISCARD)
            .start();
    List<String> lines =
        new String(other.getInputStream().readAllBytes(), StandardCharsets.UTF_8)
            .lines()
            .filter(line -> line.startsWith("hash "))
            .map(line -> line.substring("hash ".length()))
            .toList();
    assertEquals(0, other.waitFor());
    return lines;
  }

  /** Prints the hashes of seeds. */
  static final class Hashes {
    private Hashes() {}

    public static void main(String[] args) {
      long first = Long.parseLong(args[0]);
      for (long seed = first; seed < first + Long.parseLong(args[1]); seed++) {
        System.out.println("hash " + hash(seed));
      }
    }
  }
}
