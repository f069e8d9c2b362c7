package dev.colonnade.it.abuse;

import io.grpc.Status;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;

/** Outcomes of calls. Thread-safe. */
final class Tally {

  private final LongAdder ok = new LongAdder();
  private final LongAdder refused = new LongAdder();
  private final LongAdder cancelled = new LongAdder();
  private final Map<String, LongAdder> failed = new ConcurrentHashMap<>();

  /**
   * Outcomes of calls until some moment.
   *
   * @param refused with RESOURCE_EXHAUSTED
   * @param cancelled by the client itself
   * @param failed in any other way, by status
   */
  record Counts(long ok, long refused, long cancelled, Map<String, Long> failed) {

    long failures() {
      return failed.values().stream().mapToLong(Long::longValue).sum();
    }

    /** The form of {@link #parse}. */
    String line() {
      StringBuilder line = new StringBuilder();
      line.append(ok).append(' ').append(refused).append(' ').append(cancelled);
      failed.forEach((what, count) -> line.append(' ').append(what).append('=').append(count));
      return line.toString();
    }

    static Counts parse(String line) {
      String[] words = line.split(" ", -1);
      Map<String, Long> failed = new TreeMap<>();
      for (int i = 3; i < words.length; i++) {
        String[] pair = words[i].split("=", -1);
        failed.put(pair[0], Long.parseLong(pair[1]));
      }
      return new Counts(
          Long.parseLong(words[0]), Long.parseLong(words[1]), Long.parseLong(words[2]), failed);
    }
  }

  static boolean isRefusal(Status status) {
    return status.getCode() == Status.Code.RESOURCE_EXHAUSTED;
  }

  void ended(Status status) {
    if (status.isOk()) {
      ok();
    } else if (isRefusal(status)) {
      refused();
    } else if (status.getCode() == Status.Code.CANCELLED) {
      cancelled.increment();
    } else {
      failed(status.getCode().name());
    }
  }

  void ok() {
    ok.increment();
  }

  void refused() {
    refused.increment();
  }

  /**
   * Something else happened.
   *
   * @param what a word
   */
  void failed(String what) {
    failed.computeIfAbsent(what, w -> new LongAdder()).increment();
  }

  Counts counts() {
    Map<String, Long> failures = new TreeMap<>();
    failed.forEach((what, count) -> failures.put(what, count.sum()));
    return new Counts(ok.sum(), refused.sum(), cancelled.sum(), failures);
  }
}
