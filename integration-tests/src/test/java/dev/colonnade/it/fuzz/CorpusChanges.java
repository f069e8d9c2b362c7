package dev.colonnade.it.fuzz;

import java.io.IOException;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * Runs a target of the fuzzer over random changes of the fuzzer's corpus, without its
 * instrumentation and so at many times its speed. It learns nothing itself.
 *
 * <p>Arguments: class of the target, inputs to run, seconds (0 for no limit), seconds after which
 * one input counts as hanging, seed, directory for findings, directories of corpora. Prints {@code
 * Done N runs in S second(s)}; the status is 1 if the target threw, whose input is then among the
 * findings.
 */
final class CorpusChanges {

  private static final int BYTES_MAX = 4_096;

  private final MethodHandle target;
  private final Changes changes;
  private final Path findings;

  /** The running input, and since when: read by the thread that looks for hanging inputs. */
  private volatile byte[] current = new byte[0];

  private volatile long since = System.nanoTime();

  private CorpusChanges(MethodHandle target, Changes changes, Path findings) {
    this.target = target;
    this.changes = changes;
    this.findings = findings;
  }

  /** Arguments as the class says. */
  public static void main(String[] args) throws Throwable {
    MethodHandle target =
        MethodHandles.publicLookup()
            .findStatic(
                Class.forName(args[0]),
                "fuzzerTestOneInput",
                MethodType.methodType(void.class, byte[].class));
    long runs = Long.parseLong(args[1]);
    long seconds = Long.parseLong(args[2]);
    long seed = Long.parseLong(args[4]);
    List<byte[]> corpus = new ArrayList<>();
    for (int i = 6; i < args.length; i++) {
      addAll(Path.of(args[i]), corpus);
    }
    System.out.println("Seed: " + seed + ", inputs to change: " + corpus.size());
    CorpusChanges run =
        new CorpusChanges(
            target,
            new Changes(corpus, BYTES_MAX, new SplittableRandom(seed)),
            Files.createDirectories(Path.of(args[5])));
    run.watch(TimeUnit.SECONDS.toNanos(Long.parseLong(args[3])));
    System.exit(run.all(runs, seconds == 0 ? Long.MAX_VALUE : seconds) ? 0 : 1);
  }

  /** In the order of the files' names, so that the seed says which inputs are made. */
  private static void addAll(Path directory, List<byte[]> corpus) throws IOException {
    try (Stream<Path> files = Files.list(directory)) {
      for (Path file : files.sorted().toList()) {
        corpus.add(Files.readAllBytes(file));
      }
    }
  }

  private boolean all(long runs, long secondsMax) throws IOException {
    long began = System.nanoTime();
    long done = 0;
    boolean well = true;
    while (well && done < runs && seconds(began) < secondsMax) {
      byte[] input = changes.next();
      current = input;
      since = System.nanoTime();
      well = one(input);
      done++;
      if ((done & (done - 1)) == 0 && done >= 1 << 16) {
        System.out.println("#" + done + " after " + seconds(began) + " s");
      }
    }
    System.out.println("Done " + done + " runs in " + seconds(began) + " second(s)");
    return well;
  }

  private boolean one(byte[] input) throws IOException {
    try {
      target.invokeExact(input);
      return true;
    } catch (Throwable finding) {
      finding.printStackTrace(System.out);
      keep("crash-", input);
      return false;
    }
  }

  private void watch(long nanosMax) {
    Thread watcher =
        new Thread(
            () -> {
              try {
                while (System.nanoTime() - since < nanosMax) {
                  TimeUnit.SECONDS.sleep(1);
                }
                System.out.println("an input hangs");
                keep("timeout-", current);
              } catch (IOException | InterruptedException e) {
                e.printStackTrace(System.out);
              }
              Runtime.getRuntime().halt(1);
            },
            "hanging inputs");
    watcher.setDaemon(true);
    watcher.start();
  }

  private void keep(String kind, byte[] input) throws IOException {
    Path file = findings.resolve(kind + Integer.toHexString(java.util.Arrays.hashCode(input)));
    Files.write(file, input);
    System.out.println("its input is " + file);
  }

  private static long seconds(long sinceNanos) {
    return TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - sinceNanos);
  }
}
