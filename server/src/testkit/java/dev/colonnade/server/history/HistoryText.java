package dev.colonnade.server.history;

import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Histories in a line of text, beginnings and ends in their order, separated by spaces.
 *
 * <pre>
 * +A=x5   write A begins: key x, timestamp 5 (the value is "5")
 * +D=x~5  write D begins, which deletes x at 5
 * A!      A is acknowledged      A-  A is refused     A?  A's fate is unknown
 * ?R=x    read R of x begins     R:5 R saw 5          R:0 R saw nothing
 * </pre>
 */
final class HistoryText {
  private final RegisterHistory history = new RegisterHistory();
  private final Map<String, RegisterHistory.Write> writes = new HashMap<>();
  private final Map<String, RegisterHistory.Read> reads = new HashMap<>();

  private HistoryText() {}

  static RegisterHistory parse(String text) {
    HistoryText parser = new HistoryText();
    for (String step : text.trim().split(" +")) {
      parser.step(step);
    }
    return parser.history;
  }

  private void step(String step) {
    int last = step.length() - 1;
    int equals = step.indexOf('=');
    int colon = step.indexOf(':');
    if (step.charAt(0) == '+') {
      writes.put(
          step.substring(1, equals),
          history.beginWrite(step.substring(equals + 1, equals + 2), version(step, equals + 2)));
    } else if (step.charAt(0) == '?') {
      reads.put(step.substring(1, equals), history.beginRead(step.substring(equals + 1)));
    } else if (colon > 0) {
      history.endRead(read(step.substring(0, colon)), seen(step, colon + 1));
    } else {
      history.endWrite(
          write(step.substring(0, last)),
          switch (step.charAt(last)) {
            case '!' -> Outcome.DONE;
            case '-' -> Outcome.REFUSED;
            case '?' -> Outcome.UNKNOWN;
            default -> throw new IllegalArgumentException(step);
          });
    }
  }

  private static @Nullable Version seen(String step, int from) {
    return step.substring(from).equals("0") ? null : version(step, from);
  }

  private static Version version(String step, int from) {
    boolean deletes = step.charAt(from) == '~';
    String number = step.substring(deletes ? from + 1 : from);
    return new Version(Long.parseLong(number), deletes ? null : number);
  }

  private RegisterHistory.Write write(String name) {
    return Objects.requireNonNull(writes.get(name), name);
  }

  private RegisterHistory.Read read(String name) {
    return Objects.requireNonNull(reads.get(name), name);
  }
}
