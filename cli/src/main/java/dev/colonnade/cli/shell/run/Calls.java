package dev.colonnade.cli.shell.run;

import dev.colonnade.cli.shell.output.Cost;
import dev.colonnade.cli.shell.output.Listing;
import dev.colonnade.client.CallOptions;
import dev.colonnade.client.CallStatistics;
import dev.colonnade.client.Consistency;
import java.util.List;
import java.util.OptionalLong;
import java.util.Queue;
import java.util.UUID;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Function;
import java.util.function.ToLongFunction;

/** How one statement calls the node, and the cost that its answers reported. */
final class Calls {

  /** Filled by threads of the client. */
  private final Queue<CallStatistics> told = new ConcurrentLinkedQueue<>();

  private final Session session;

  Calls(Session session) {
    this.session = session;
  }

  CallOptions reads() throws StatementFailure {
    Consistency level = session.consistency();
    if (level == Consistency.ANY || level == Consistency.ZERO) {
      throw StatementFailure.refused(
          "consistency level "
              + level
              + " is for writes only; enter `consistencylevel as ONE;` before reading");
    }
    return options().withReadConsistency(level);
  }

  CallOptions writes() {
    return options().withWriteConsistency(session.consistency());
  }

  CallOptions writes(OptionalLong timestampMicros) {
    return timestampMicros.isPresent()
        ? writes().withTimestamp(timestampMicros.getAsLong())
        : writes();
  }

  private CallOptions options() {
    CallOptions options = CallOptions.defaults().withDeadline(session.timeout());
    if (session.tracing()) {
      options = options.withTraceparent(() -> Traces.sampled(UUID::randomUUID));
    }
    return session.statistics() || session.tracing() ? options.withStatistics(told::add) : options;
  }

  /** A table for each answer with a trace. */
  List<Listing> traces() {
    return told.stream().filter(each -> !each.trace().id().isEmpty()).map(Traces::table).toList();
  }

  boolean haveCost() {
    return !told.isEmpty();
  }

  Cost cost() {
    return new Cost(
        told.size(),
        told.stream().map(CallStatistics::coordinator).distinct().toList(),
        ids(CallStatistics::replicas),
        ids(CallStatistics::replicasAnswered),
        sum(CallStatistics::sstablesRead),
        sum(CallStatistics::bloomRejections),
        sum(CallStatistics::blocksRead),
        sum(CallStatistics::blockCacheHits),
        sum(CallStatistics::tombstonesScanned),
        sum(each -> each.serverTime().toNanos() / 1000));
  }

  private List<String> ids(Function<CallStatistics, List<String>> which) {
    return told.stream().flatMap(each -> which.apply(each).stream()).distinct().sorted().toList();
  }

  private long sum(ToLongFunction<CallStatistics> what) {
    return List.copyOf(told).stream().mapToLong(what).sum();
  }
}
