package dev.colonnade.server.history;

import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Histories in a line of text, beginnings and ends in their order, separated by spaces. Rows and
 * columns have names of one letter; a row of one column need not name it.
 *
 * <pre>
 * +A=x5    write A begins: row x, timestamp 5 (the value is "5")
 * +A=x5ab  the same of columns a and b       +D=x~5a  deletes a at 5     +D=x~5*  deletes the row
 * +A=x@5   the node chooses the timestamp, and the value is "5"
 * A!       A is acknowledged      A!7  with timestamp 7      A-  A is refused     A?  A's fate is unknown
 * ?R=x     read R of x begins; ?fR=x (FRESH), ?cR=x (CURRENT), ?wR=x (WHOLE), ?-R=x (WEAK), else FRESH_AND_WHOLE
 * R:5      R saw 5          R:0      R saw nothing         R:a5b6  in a and b, and nothing else
 * R:5@7    the value "5" with timestamp 7      R:a5.b0  only of a and b      R:a=5b!6  value 5, and not value 6
 * R#3      R counted three
 * </pre>
 */
final class HistoryText {
  private static final Pattern CHANGE = Pattern.compile("(\\w)([~@]?)(\\d+)([a-z]*|\\*)");
  private static final Pattern SEEN = Pattern.compile("([a-z]?)([=!]?)(\\d+)(?:@(\\d+))?");

  /** Of rows that have one column. */
  static final String ONLY = "c";

  private final History history = new History();
  private final Map<String, History.Write> writes = new HashMap<>();
  private final Map<String, History.Read> reads = new HashMap<>();

  private HistoryText() {}

  static History parse(String text) {
    HistoryText parser = new HistoryText();
    for (String step : text.trim().split(" +")) {
      parser.step(step);
    }
    return parser.history;
  }

  private void step(String step) {
    int equals = step.indexOf('=');
    String name = step.substring(0, 1);
    if (step.charAt(0) == '+') {
      begin(step.substring(1, equals), step.substring(equals + 1));
    } else if (step.charAt(0) == '?') {
      Promise promise =
          switch (step.charAt(1)) {
            case 'f' -> Promise.FRESH;
            case 'c' -> Promise.CURRENT;
            case 'w' -> Promise.WHOLE;
            case '-' -> Promise.WEAK;
            default -> Promise.FRESH_AND_WHOLE;
          };
      String read = step.substring(equals - 1, equals);
      reads.put(read, history.begin(read, step.substring(equals + 1), promise));
    } else if (step.charAt(1) == ':') {
      history.end(named(reads, name), answer(step.substring(2)));
    } else if (step.charAt(1) == '#') {
      history.end(named(reads, name), Answer.ofRow(), Long.parseLong(step.substring(2)));
    } else {
      end(named(writes, name), step.substring(1));
    }
  }

  private void begin(String name, String text) {
    Matcher parts = matched(CHANGE, text);
    String value = parts.group(3);
    String columns = parts.group(4);
    boolean deletes = parts.group(2).equals("~");
    Change change = parts.group(2).equals("@") ? Change.byNode() : Change.at(Long.parseLong(value));
    if (columns.equals("*")) {
      change.removeRow();
      columns = "";
    } else if (columns.isEmpty()) {
      columns = ONLY;
    }
    for (String column : columns.split("")) {
      if (deletes && !column.isEmpty()) {
        change.remove(column);
      } else if (!column.isEmpty()) {
        change.put(column, value);
      }
    }
    writes.put(name, history.begin(name, parts.group(1), change));
  }

  private void end(History.Write write, String outcome) {
    switch (outcome) {
      case "!" -> history.end(write, Outcome.DONE);
      case "-" -> history.end(write, Outcome.REFUSED);
      case "?" -> history.end(write, Outcome.UNKNOWN);
      default -> history.acknowledged(write, Long.parseLong(outcome.substring(1)));
    }
  }

  private static Answer answer(String text) {
    Answer answer = text.contains(".") ? Answer.ofInterval("z", "a") : Answer.ofRow();
    Matcher parts = SEEN.matcher(text.replace(".", ""));
    while (parts.find()) {
      String column = parts.group(1).isEmpty() ? ONLY : parts.group(1);
      String value = parts.group(3);
      answer.saw(
          column,
          switch (parts.group(2)) {
            case "=" -> Seen.value(value);
            case "!" -> Seen.otherThan(value);
            default ->
                value.equals("0")
                    ? Seen.nothing()
                    : Seen.version(
                        Long.parseLong(parts.group(4) == null ? value : parts.group(4)), value);
          });
    }
    return answer;
  }

  private static Matcher matched(Pattern pattern, String text) {
    Matcher matcher = pattern.matcher(text);
    if (!matcher.matches()) {
      throw new IllegalArgumentException(text);
    }
    return matcher;
  }

  private static <T> T named(Map<String, T> all, String name) {
    return Objects.requireNonNull(all.get(name), name);
  }
}
