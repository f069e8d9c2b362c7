package dev.colonnade.client.micrometer;

import dev.colonnade.client.CallEvent;
import dev.colonnade.client.CallListener;
import dev.colonnade.client.CallStatistics;
import dev.colonnade.client.ColonnadeException;
import io.micrometer.core.instrument.DistributionSummary;
import io.micrometer.core.instrument.Meter.MeterProvider;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.Timer;

/**
 * Times every attempt of every call, and sums up what nodes say of their cost:
 *
 * <ul>
 *   <li>{@value #ATTEMPTS}, a timer with the tags {@code method}, {@code keyspace}, {@code family},
 *       {@code node}, {@code outcome} ({@code OK}, or the reason of the failure) and {@code kind}
 *       ({@code first}, {@code retry} or {@code speculative})
 *   <li>{@value #SERVER_TIME}, a timer, {@value #BLOCKS_READ} and {@value #TOMBSTONES_SCANNED},
 *       distributions, with the tags {@code keyspace} and {@code family}: only of calls whose
 *       {@code CallOptions} ask for statistics
 * </ul>
 *
 * A tag whose value is not known is {@code none}. There are as many meters as there are methods,
 * families, nodes and outcomes that a program meets; {@code MeterFilter.ignoreTags("node")} in the
 * registry has fewer. Thread-safe.
 */
public final class MicrometerListener implements CallListener {

  /** The name of the timer of attempts. */
  public static final String ATTEMPTS = "colonnade.client.attempts";

  /** The name of the timer of what nodes needed for their answers. */
  public static final String SERVER_TIME = "colonnade.client.server.time";

  /** The name of the distribution of blocks that an answer read. */
  public static final String BLOCKS_READ = "colonnade.client.blocks.read";

  /** The name of the distribution of deletions and expired columns that an answer skipped. */
  public static final String TOMBSTONES_SCANNED = "colonnade.client.tombstones.scanned";

  private static final String NONE = "none";

  private final MeterProvider<Timer> attempts;
  private final MeterProvider<Timer> serverTime;
  private final MeterProvider<DistributionSummary> blocksRead;
  private final MeterProvider<DistributionSummary> tombstonesScanned;

  /**
   * Meters appear with the first attempts that they are of.
   *
   * @param registry where they are registered
   */
  public MicrometerListener(MeterRegistry registry) {
    attempts =
        Timer.builder(ATTEMPTS)
            .description("attempts of calls, from their beginning to their end")
            .withRegistry(registry);
    serverTime =
        Timer.builder(SERVER_TIME)
            .description("from the arrival of a request to its answer, at the coordinator")
            .withRegistry(registry);
    blocksRead =
        DistributionSummary.builder(BLOCKS_READ)
            .description("blocks of data files that an answer read, from the cache or from disk")
            .withRegistry(registry);
    tombstonesScanned =
        DistributionSummary.builder(TOMBSTONES_SCANNED)
            .description("deletions and expired columns that an answer skipped")
            .withRegistry(registry);
  }

  @Override
  public void ended(CallEvent call) {
    Tags family =
        Tags.of(
            "keyspace", call.keyspace().orElse(NONE), "family", call.columnFamily().orElse(NONE));
    attempts
        .withTags(
            family.and(
                "method",
                call.method(),
                "node",
                call.node(),
                "outcome",
                call.failure().map(ColonnadeException::reason).orElse("OK"),
                "kind",
                kind(call)))
        .record(call.took());
    call.cost().ifPresent(cost -> addCost(cost, family));
  }

  private static String kind(CallEvent call) {
    if (call.speculative()) {
      return "speculative";
    }
    return call.attempt() == 1 ? "first" : "retry";
  }

  private void addCost(CallStatistics cost, Tags family) {
    serverTime.withTags(family).record(cost.serverTime());
    blocksRead.withTags(family).record((double) cost.blocksRead());
    tombstonesScanned.withTags(family).record((double) cost.tombstonesScanned());
  }
}
