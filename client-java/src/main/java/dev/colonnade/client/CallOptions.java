package dev.colonnade.client;

import dev.colonnade.v1.ReadOptions;
import dev.colonnade.v1.RequestStats;
import dev.colonnade.v1.WriteOptions;
import java.time.Duration;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * How calls are made. Immutable.
 *
 * <pre>{@code
 * List<CallStatistics> costs = new CopyOnWriteArrayList<>();
 * CallOptions careful =
 *     CallOptions.defaults()
 *         .withDeadline(Duration.ofSeconds(2))
 *         .withReadConsistency(Consistency.QUORUM)
 *         .withStatistics(costs::add);
 * ColumnFamily<String, String, String> users =
 *     client
 *         .keyspace("Blog")
 *         .with(careful)
 *         .columnFamily("Users", Serializers.UTF8, Serializers.UTF8, Serializers.UTF8);
 * users.get("jsmith", "city");
 * System.out.println(costs.size()); // prints 1
 * System.out.println(costs.get(0).sstablesRead()); // prints 0
 * }</pre>
 */
public final class CallOptions {

  private static final CallOptions DEFAULTS =
      new CallOptions(
          Duration.ofSeconds(10),
          Consistency.ONE,
          Consistency.ONE,
          OptionalLong.empty(),
          null,
          null);

  private final Duration deadline;
  private final Consistency readConsistency;
  private final Consistency writeConsistency;
  private final OptionalLong timestampMicros;
  private final @Nullable Consumer<CallStatistics> statistics;
  private final @Nullable Supplier<String> traceparent;

  // The same for every call with these options, so they are made once.
  private final ReadOptions read;
  private final WriteOptions write;

  private CallOptions(
      Duration deadline,
      Consistency readConsistency,
      Consistency writeConsistency,
      OptionalLong timestampMicros,
      @Nullable Consumer<CallStatistics> statistics,
      @Nullable Supplier<String> traceparent) {
    this.deadline = deadline;
    this.readConsistency = readConsistency;
    this.writeConsistency = writeConsistency;
    this.timestampMicros = timestampMicros;
    this.statistics = statistics;
    this.traceparent = traceparent;
    this.read =
        ReadOptions.newBuilder()
            .setConsistencyLevel(readConsistency.level())
            .setIncludeStats(statistics != null)
            .build();
    this.write =
        WriteOptions.newBuilder()
            .setConsistencyLevel(writeConsistency.level())
            .setIncludeStats(statistics != null)
            .build();
  }

  /** Ten seconds, one replica, the client's clock for timestamps, no statistics. */
  public static CallOptions defaults() {
    return DEFAULTS;
  }

  /**
   * How long a call may take, all pages of its answer together. A {@link Cursor} has it for each
   * part of its answer, because its reader decides how long it lives.
   */
  public Duration deadline() {
    return deadline;
  }

  /** How many replicas a read waits for; at least one. */
  public Consistency readConsistency() {
    return readConsistency;
  }

  /** How many replicas a write waits for. */
  public Consistency writeConsistency() {
    return writeConsistency;
  }

  /** The timestamp of writes and removals; empty for the client's clock, which never goes back. */
  public OptionalLong timestampMicros() {
    return timestampMicros;
  }

  /** The consumer of statistics, if any. */
  public Optional<Consumer<CallStatistics>> statistics() {
    return Optional.ofNullable(statistics);
  }

  /**
   * The same with another deadline.
   *
   * @throws IllegalArgumentException if it is not more than zero
   */
  public CallOptions withDeadline(Duration other) {
    if (other.isZero() || other.isNegative()) {
      throw new IllegalArgumentException("a deadline is more than zero; got " + other);
    }
    return new CallOptions(
        other, readConsistency, writeConsistency, timestampMicros, statistics, traceparent);
  }

  /**
   * The same with another consistency of reads.
   *
   * @throws IllegalArgumentException if reads would wait for no replica
   */
  public CallOptions withReadConsistency(Consistency other) {
    if (other == Consistency.ZERO || other == Consistency.ANY) {
      throw new IllegalArgumentException(
          other + " is for writes only: a read needs a replica to read from");
    }
    return new CallOptions(
        deadline, other, writeConsistency, timestampMicros, statistics, traceparent);
  }

  /** The same with another consistency of writes. */
  public CallOptions withWriteConsistency(Consistency other) {
    return new CallOptions(
        deadline, readConsistency, other, timestampMicros, statistics, traceparent);
  }

  /**
   * The same with one timestamp for all removals, and for all writes that have none of their own. A
   * {@link Batch} takes it from its own options, not from those of the families in it. Where a
   * removal and a write have the same timestamp, the removal wins.
   *
   * @param micros microseconds since 1970 by convention; milliseconds would lose against them
   */
  public CallOptions withTimestamp(long micros) {
    return new CallOptions(
        deadline,
        readConsistency,
        writeConsistency,
        OptionalLong.of(micros),
        statistics,
        traceparent);
  }

  /**
   * The same with statistics, which are then requested from nodes.
   *
   * @param consumer is called once for each answer with statistics, before the answer is passed on:
   *     on the thread that waits for it or reads the cursor, and for a future on a thread of the
   *     client, where it should not block. Reads and writes have them; touching, truncating and
   *     schema changes do not. The call throws what it throws
   */
  public CallOptions withStatistics(Consumer<CallStatistics> consumer) {
    return new CallOptions(
        deadline, readConsistency, writeConsistency, timestampMicros, consumer, traceparent);
  }

  /**
   * The same as a part of a trace. The id of the trace is in the log of slow requests of the nodes,
   * and in {@link CallStatistics}; of a trace that is sampled these hold what happened when.
   *
   * @param current gives the W3C's header {@code traceparent} of the span that a call belongs to,
   *     as {@code 00-TRACE_ID-SPAN_ID-01}; empty if it belongs to none. It is asked at the
   *     beginning of each call, on the thread that makes it, and should not block. Nodes ignore
   *     what is malformed. Reads and writes are told of; touching, truncating, schema changes and
   *     bulk writers are not
   */
  public CallOptions withTraceparent(Supplier<String> current) {
    return new CallOptions(
        deadline, readConsistency, writeConsistency, timestampMicros, statistics, current);
  }

  /** The header of a call that begins now; empty if it is a part of no trace. */
  String traceparent() {
    return traceparent == null ? "" : TraceHeader.checked(traceparent.get());
  }

  ReadOptions read() {
    return read;
  }

  WriteOptions write() {
    return write;
  }

  /**
   * Passes on the cost of an answer.
   *
   * @param stats null if the answer has none
   */
  void report(@Nullable RequestStats stats) {
    if (stats != null && statistics != null) {
      statistics.accept(CallStatistics.of(stats));
    }
  }

  /**
   * Passes on the cost of an answer.
   *
   * @param present whether the answer has statistics
   */
  void report(boolean present, RequestStats stats) {
    report(present ? stats : null);
  }

  @Override
  public String toString() {
    return "deadline "
        + deadline
        + ", reads "
        + readConsistency
        + ", writes "
        + writeConsistency
        + (timestampMicros.isPresent() ? ", timestamp " + timestampMicros.getAsLong() : "")
        + (statistics == null ? "" : ", with statistics")
        + (traceparent == null ? "" : ", traced");
  }
}
