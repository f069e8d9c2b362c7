package dev.colonnade.it.bench;

import dev.colonnade.client.CallOptions;
import dev.colonnade.client.ClientOptions;
import dev.colonnade.client.Colonnade;
import dev.colonnade.client.ColonnadeException;
import dev.colonnade.client.ColumnFamily;
import dev.colonnade.client.ColumnFamilyDefinition;
import dev.colonnade.client.Comparators;
import dev.colonnade.client.Consistency;
import dev.colonnade.client.KeyspaceDefinition;
import dev.colonnade.client.Serializers;
import dev.colonnade.it.Folders;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.HdrHistogram.Histogram;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** The command that measures what callers of the client library notice of a node that is killed. */
@Command(
    name = "failover",
    mixinStandardHelpOptions = true,
    description = {
      "Measures what threads that write and read at QUORUM notice when one of three nodes, the"
          + " client's contact point, is killed with kill -9. Calls follow a clock: the time of one"
          + " counts from when it was due. Takes two minutes a round.",
      "Ends with 0 when no call failed and, from 2 s after the kill on, the 99th percentile was at"
          + " most 3 times that before it (counting less than 1 ms as 1 ms); 1 when not."
    })
final class FailoverBenchmark implements Callable<Integer> {

  private static final int NODES = 3;
  private static final int KEYS = 1_000;
  private static final Duration UNSETTLED = Duration.ofSeconds(2);
  private static final int MOST_TIMES = 3;
  private static final double LEAST_MILLIS = 1;

  @Option(
      names = "--rate",
      defaultValue = "2000",
      description = "Calls a second, half of them writes (default ${DEFAULT-VALUE}).")
  private int rate;

  @Option(
      names = "--threads",
      defaultValue = "16",
      description = "Threads that share the calls (default ${DEFAULT-VALUE}).")
  private int threads;

  @Option(
      names = "--warmup",
      defaultValue = "45",
      description = "Seconds before measuring (default ${DEFAULT-VALUE}).")
  private int warmupSeconds;

  @Option(
      names = "--seconds",
      defaultValue = "15",
      description = "Seconds measured before the kill, and after it (default ${DEFAULT-VALUE}).")
  private int seconds;

  @Option(
      names = "--rounds",
      defaultValue = "3",
      description = "New clusters (default ${DEFAULT-VALUE}).")
  private int rounds;

  @Option(
      names = "--heap",
      defaultValue = "512m",
      description = "Heap of each node (default ${DEFAULT-VALUE}).")
  private String heap = "512m";

  /** A call that has ended. */
  private record Sample(long dueNanos, long tookNanos) {}

  @Override
  public Integer call() throws IOException {
    Path folder = Files.createTempDirectory("colonnade-failover");
    boolean holds = true;
    System.out.println("99th percentiles and the longest call, ms");
    System.out.println("round  before the kill   2 s from it on   later  times  calls  failed");
    try {
      for (int round = 1; round <= rounds; round++) {
        holds &= round(round, folder.resolve("round" + round));
      }
    } finally {
      Folders.delete(folder);
    }
    return holds ? 0 : 1;
  }

  private boolean round(int round, Path folder) throws IOException {
    Path jar = Path.of(System.getProperty("colonnade.jar"));
    try (BuildUnderTest cluster = BuildUnderTest.start(jar, NODES, heap, folder);
        Colonnade client =
            Colonnade.connect(List.of(cluster.address()), ClientOptions.defaults())) {
      client
          .schema()
          .create(
              KeyspaceDefinition.named("Bench")
                  .withReplicationFactor(NODES)
                  .with(ColumnFamilyDefinition.standard("Rows", Comparators.UTF8)));
      ColumnFamily<String, String, String> family =
          client
              .keyspace("Bench")
              .with(
                  CallOptions.defaults()
                      .withReadConsistency(Consistency.QUORUM)
                      .withWriteConsistency(Consistency.QUORUM))
              .columnFamily("Rows", Serializers.UTF8, Serializers.UTF8, Serializers.UTF8);
      long begin = System.nanoTime();
      long kill = begin + TimeUnit.SECONDS.toNanos((long) warmupSeconds + seconds);
      long end = kill + UNSETTLED.toNanos() + TimeUnit.SECONDS.toNanos(seconds);
      ConcurrentLinkedQueue<Sample> samples = new ConcurrentLinkedQueue<>();
      ConcurrentLinkedQueue<String> failures = new ConcurrentLinkedQueue<>();
      List<Thread> callers = new ArrayList<>();
      for (int i = 0; i < threads; i++) {
        int offset = i;
        Thread caller =
            new Thread(() -> run(family, offset, begin, end, samples, failures), "caller-" + i);
        callers.add(caller);
        caller.start();
      }
      parkUntil(kill);
      ProcessHandle.of(cluster.pids().get(0)).ifPresent(ProcessHandle::destroyForcibly);
      for (Thread caller : callers) {
        caller.join();
      }
      failures.stream().distinct().limit(5).forEach(System.err::println);
      return report(round, kill, samples, failures.size());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted", e);
    }
  }

  /** Makes each call when it is due, or as soon as the one before has ended. */
  private void run(
      ColumnFamily<String, String, String> family,
      int offset,
      long begin,
      long end,
      ConcurrentLinkedQueue<Sample> samples,
      ConcurrentLinkedQueue<String> failures) {
    long measured = begin + TimeUnit.SECONDS.toNanos(warmupSeconds);
    long everyNanos = TimeUnit.SECONDS.toNanos(1) * threads / rate;
    long due = begin + everyNanos * offset / threads;
    for (int number = 0; due < end; number++, due += everyNanos) {
      parkUntil(due);
      // No two threads share a key: a read has to find what its thread wrote before.
      String key = "key" + (number / 2 % KEYS) + "-" + offset;
      String value = Integer.toString(number / 2);
      try {
        if (number % 2 == 0) {
          family.insert(key, "c", value);
        } else {
          Optional<String> read = family.get(key, "c");
          if (!read.equals(Optional.of(value))) {
            failures.add("a read found " + read + " after " + value + " was written");
          }
        }
      } catch (ColonnadeException e) {
        failures.add(e.toString());
      }
      if (due >= measured) {
        samples.add(new Sample(due, System.nanoTime() - due));
      }
    }
  }

  private static void parkUntil(long nanos) {
    for (long left = nanos - System.nanoTime(); left > 0; left = nanos - System.nanoTime()) {
      LockSupport.parkNanos(left);
    }
  }

  private static boolean report(int round, long kill, Iterable<Sample> samples, int failed) {
    Histogram before = new Histogram(3);
    Histogram unsettled = new Histogram(3);
    Histogram later = new Histogram(3);
    long calls = 0;
    for (Sample sample : samples) {
      long sinceKill = sample.dueNanos() - kill;
      Histogram of = sinceKill < 0 ? before : sinceKill < UNSETTLED.toNanos() ? unsettled : later;
      of.recordValue(sample.tookNanos());
      calls++;
    }
    double normal = millis(before.getValueAtPercentile(99));
    double settled = millis(later.getValueAtPercentile(99));
    double times = settled / Math.max(LEAST_MILLIS, normal);
    System.out.printf(
        Locale.ROOT,
        "%5d %6.1f, %7.1f  %6.1f, %7.1f  %5.1f, %5.1f  %5.1f  %5d  %6d%n",
        round,
        normal,
        millis(before.getMaxValue()),
        millis(unsettled.getValueAtPercentile(99)),
        millis(unsettled.getMaxValue()),
        settled,
        millis(later.getMaxValue()),
        times,
        calls,
        failed);
    return failed == 0 && times <= MOST_TIMES;
  }

  private static double millis(long nanos) {
    return nanos / 1e6;
  }
}
