package dev.colonnade.server.sim.cluster;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * Runs seeds in a JVM of its own, in which objects have other identities, so that a run which
 * depends on them gives another trace there.
 */
final class SecondJvm {
  private static final String MARK = "hash ";

  private SecondJvm() {}

  /** Hashes of the traces of these seeds, as they come about there. */
  static List<String> hashes(Workload workload, List<Long> seeds) {
    List<String> command =
        new ArrayList<>(
            List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-XX:+UnlockExperimentalVMOptions",
                "-XX:hashCode=2",
                "-cp",
                System.getProperty("java.class.path"),
                SecondJvm.class.getName(),
                workload.word()));
    seeds.forEach(seed -> command.add(seed.toString()));
    try {
      Process other =
          new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.DISCARD).start();
      List<String> hashes =
          new String(other.getInputStream().readAllBytes(), StandardCharsets.UTF_8)
              .lines()
              .filter(line -> line.startsWith(MARK))
              .map(line -> line.substring(MARK.length()))
              .toList();
      int status = other.waitFor();
      if (status != 0) {
        throw new IllegalStateException("the second JVM ended with status " + status);
      }
      return hashes;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted while the second JVM ran", e);
    }
  }

  /** The hash of a report's trace. */
  static String hash(RunReport report) {
    return Long.toHexString(report.hash());
  }

  /** Prints the hashes of the seeds that follow the workload's name. */
  public static void main(String[] args) {
    Workload workload = Workload.of(args[0]);
    for (String seed : List.of(args).subList(1, args.length)) {
      RunReport report = workload.run(Long.parseLong(seed), DataRun.Settings.DEFAULT);
      System.out.println(MARK + hash(report));
    }
  }
}
