package dev.colonnade.it.history;

import dev.colonnade.client.Applied;
import dev.colonnade.client.ColonnadeException;
import dev.colonnade.it.cluster.CallFailure;
import dev.colonnade.server.history.Answer;
import dev.colonnade.server.history.Change;
import dev.colonnade.server.history.History;
import dev.colonnade.server.history.Outcome;
import dev.colonnade.server.history.Promise;
import io.grpc.StatusRuntimeException;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongConsumer;
import java.util.function.LongFunction;
import java.util.function.Supplier;

/** Records the calls of all clients, each with its beginning, its end and what came of it. */
final class Recorder {

  /** Errors that say that nothing was written; see docs/errors.md. */
  private static final Set<String> NOTHING_WRITTEN =
      Set.of(
          "NOT_ENOUGH_REPLICAS",
          "NODE_NOT_READY",
          "OVERLOADED",
          "COLUMN_FAMILY_EXISTS",
          "COLUMN_FAMILY_NOT_FOUND");

  private final History history = new History();
  private final Map<String, Long> calls = new ConcurrentHashMap<>();
  private final Map<String, Long> failures = new ConcurrentHashMap<>();
  private final Map<String, String> examples = new ConcurrentHashMap<>();

  /** Guarded by the history: timestamps grow in the order in which changes begin. */
  private long timestamp;

  History history() {
    return history;
  }

  /** How many calls of each kind were answered. */
  Map<String, Long> calls() {
    return new TreeMap<>(calls);
  }

  /** Of each reason the message of the first call that failed for it. */
  Map<String, String> examples() {
    return new TreeMap<>(examples);
  }

  /** How many calls of each kind failed for each reason. */
  Map<String, Long> failures() {
    return new TreeMap<>(failures);
  }

  /**
   * Makes a change, whatever becomes of it.
   *
   * @param quorum whether an answer means that a quorum has it
   * @param change of a timestamp
   * @param call makes it with that timestamp
   */
  void write(
      String kind, String row, boolean quorum, LongFunction<Change> change, LongConsumer call) {
    History.Write write;
    long chosen;
    synchronized (history) {
      chosen = ++timestamp;
      write = history.begin(client(), row, change.apply(chosen));
    }
    Outcome outcome = Outcome.UNKNOWN;
    try {
      call.accept(chosen);
      calls.merge(kind, 1L, Long::sum);
      outcome = quorum ? Outcome.DONE : Outcome.UNKNOWN;
    } catch (StatusRuntimeException | ColonnadeException e) {
      outcome = outcome(e);
      failed(kind, e);
    } finally {
      history.end(write, outcome);
    }
  }

  private static Outcome outcome(RuntimeException failure) {
    boolean refused =
        failure instanceof ColonnadeException known
            ? known.applied() == Applied.NO
            : NOTHING_WRITTEN.contains(CallFailure.of((StatusRuntimeException) failure).reason());
    return refused ? Outcome.REFUSED : Outcome.UNKNOWN;
  }

  /** Begins a read; what is not ended counts as never answered. */
  History.Read begin(String row, Promise promise) {
    return history.begin(client(), row, promise);
  }

  /** Reads one row, whatever comes of it. */
  void read(String kind, String row, Promise promise, Supplier<Answer> call) {
    History.Read read = begin(row, promise);
    attempt(kind, () -> history.end(read, call.get()));
  }

  /** Makes calls that record themselves. */
  void attempt(String kind, Runnable call) {
    try {
      call.run();
      calls.merge(kind, 1L, Long::sum);
    } catch (StatusRuntimeException | ColonnadeException e) {
      failed(kind, e);
    }
  }

  private void failed(String kind, RuntimeException failure) {
    String reason =
        failure instanceof ColonnadeException known
            ? known.reason()
            : CallFailure.of((StatusRuntimeException) failure).reason();
    if (reason.isEmpty() && failure instanceof StatusRuntimeException known) {
      reason = known.getStatus().getCode().name();
    }
    failures.merge(reason + " of " + kind, 1L, Long::sum);
    examples.putIfAbsent(reason, String.valueOf(failure.getMessage()));
  }

  private static String client() {
    return Thread.currentThread().getName();
  }
}
