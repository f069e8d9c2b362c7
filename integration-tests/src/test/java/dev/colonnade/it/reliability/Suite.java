package dev.colonnade.it.reliability;

import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The suites that planted bugs must be noticed by; each is one or more test classes of the server.
 */
enum Suite {
  CRASH(
      "crash",
      "colonnade.sweep.seed",
      Map.of("colonnade.sweep.states", "1200"),
      Map.of("colonnade.sweep.states", "10000"),
      "a random script, crashed after every file operation",
      "coordinator.StoreCrashTest"),
  FAILURES(
      "failures",
      "colonnade.sweep.seed",
      Map.of("colonnade.sweep.failures", "60"),
      Map.of("colonnade.sweep.failures", "16000"),
      "a random script, whose k-th file operation fails",
      "coordinator.StoreFailureSweepTest"),
  METAMORPHIC(
      "metamorphic",
      "colonnade.lists.first",
      Map.of("colonnade.lists", "10", "colonnade.lists.purging", "10"),
      Map.of("colonnade.lists", "10000", "colonnade.lists.purging", "1000"),
      "random operations under all configurations, against sorted maps",
      "metamorphic.MetamorphicTest"),
  RESURRECTION(
      "resurrection",
      null,
      Map.of(),
      Map.of(),
      "scenarios in which stores have lost a deletion too early",
      "coordinator.NoResurrectionTest"),
  ISOLATION(
      "isolation",
      null,
      Map.of("colonnade.isolation.reads", "100000"),
      Map.of("colonnade.isolation.reads", "10000000"),
      "readers and writers of 16 columns with one nonce, on threads and a real disk",
      "coordinator.RowIsolationTest"),
  LOG_DAMAGE(
      "log-damage",
      null,
      Map.of(),
      Map.of(),
      "bits flipped in segments of the log, and segments cut",
      "commitlog.CommitLogDamageTest"),
  FILE_DAMAGE(
      "file-damage",
      null,
      Map.of(),
      Map.of("colonnade.sweep.share", "1"),
      "every bit flipped and every length of each component of a small data file",
      "sstable.SSTableSweepTest"),
  STORE_DAMAGE(
      "store-damage",
      null,
      Map.of(),
      Map.of("colonnade.sweep.share", "1"),
      "bits flipped, files cut and files deleted of a whole store",
      "coordinator.StoreSweepTest"),
  KEY_INDEX(
      "key-index",
      null,
      Map.of("colonnade.keyindex.flips", "500", "colonnade.keyindex.rebuilds", "3"),
      Map.of("colonnade.keyindex.flips", "10000", "colonnade.keyindex.rebuilds", "12"),
      "random bits flipped in a memory-mapped key index",
      "sstable.KeyIndexFlipTest"),
  ERRORS(
      "errors",
      null,
      Map.of(),
      Map.of(),
      "requests with every field wrong in every way, and every failure of the store, over gRPC",
      "rpc.RefusalsTest",
      "rpc.ErrorDetailsTest",
      "rpc.CallsTest",
      "rpc.RowRangeCallsTest"),
  CLOCKS(
      "clocks",
      "colonnade.clock.seed",
      Map.of("colonnade.clock.scripts", "3"),
      Map.of("colonnade.clock.scripts", "1000"),
      "a wall clock that steps by up to a day, to and fro, under every kind of work",
      "coordinator.StoreClockTest"),
  LIFECYCLE(
      "lifecycle",
      null,
      Map.of(),
      Map.of(),
      "starts and stops, in order or not, twice at once, and of files of another release",
      "coordinator.StoreLifecycleTest",
      "coordinator.StoreRestartTest",
      "coordinator.RestartTest");

  private static final String PACKAGE = "dev.colonnade.server.";

  private final String label;
  private final @Nullable String seedProperty;
  private final Map<String, String> brief;
  private final Map<String, String> whole;
  private final String method;
  private final List<String> classes;

  Suite(
      String label,
      @Nullable String seedProperty,
      Map<String, String> brief,
      Map<String, String> whole,
      String method,
      String... classes) {
    this.label = label;
    this.seedProperty = seedProperty;
    this.brief = brief;
    this.whole = whole;
    this.method = method;
    this.classes = Arrays.stream(classes).map(PACKAGE::concat).toList();
  }

  /**
   * The suite of that name in heads and options.
   *
   * @throws IllegalArgumentException if there is none
   */
  static Suite named(String label) {
    for (Suite suite : values()) {
      if (suite.label.equals(label.strip())) {
        return suite;
      }
    }
    throw new IllegalArgumentException("no suite '" + label + "'");
  }

  String label() {
    return label;
  }

  /** Runs with other seeds are other runs; without a seed one run says all. */
  @Nullable String seedProperty() {
    return seedProperty;
  }

  /** Counts that take seconds, for a planted bug. */
  Map<String, String> brief() {
    return brief;
  }

  /** The counts that the project asks of the suite. */
  Map<String, String> whole() {
    return whole;
  }

  String method() {
    return method;
  }

  List<String> classes() {
    return classes;
  }
}
