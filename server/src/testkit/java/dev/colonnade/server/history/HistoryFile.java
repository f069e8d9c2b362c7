package dev.colonnade.server.history;

import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.IOException;
import java.net.URLDecoder;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * A history as a file of lines, which programs in any language read easily: one operation a line,
 * words separated by spaces, names and values encoded as in a URL. A moment is a place in the order
 * of all beginnings and ends.
 *
 * <pre>
 * write CLIENT BEGIN END OUTCOME ROW TIMESTAMP COLUMN=VALUE COLUMN-
 * read  CLIENT BEGIN END PROMISE ROW COLUMN=VALUE@TIMESTAMP COLUMN=VALUE COLUMN!VALUE COLUMN-
 * count CLIENT BEGIN END PROMISE ROW NUMBER COLUMN COLUMN
 * note  MOMENT WORDS
 * </pre>
 *
 * A change has all columns that it touches, those of a removed row included, and an answer all that
 * it says anything of; {@code -} means that a column is deleted, or not there, {@code !} that its
 * value is another one. Changes without a timestamp are left out: only the node knew it, and none
 * has seen them.
 */
public final class HistoryFile {
  private HistoryFile() {}

  /** Writes a history, which may go on meanwhile, to a file. */
  public static void write(History history, Path file) throws IOException {
    try (BufferedWriter out = Files.newBufferedWriter(file)) {
      for (History.Note note : history.notes()) {
        line(out, "note", Long.toString(note.at()), encoded(note.words()));
      }
      for (String row : history.rows()) {
        HistoryCheck.SortedColumns columns = HistoryCheck.columns(history, row, new ArrayList<>());
        for (History.Write write : history.writes(row)) {
          if (write.timestamp != Change.BY_NODE) {
            write(out, write, columns);
          }
        }
        for (History.Read read : history.reads(row)) {
          read(out, read, columns);
        }
      }
    }
  }

  private static void write(
      BufferedWriter out, History.Write write, HistoryCheck.SortedColumns columns)
      throws IOException {
    List<String> words =
        start("write", write.client, write.begin, write.end, write.outcome, write.row);
    words.add(Long.toString(write.timestamp));
    HistoryCheck.versions(write, columns.all.keySet())
        .forEach((column, version) -> words.add(held(column, version.value())));
    line(out, words.toArray(String[]::new));
  }

  private static void read(
      BufferedWriter out, History.Read read, HistoryCheck.SortedColumns columns)
      throws IOException {
    Answer answer = read.answer;
    if (answer == null) {
      return;
    }
    boolean counts = read.count >= 0;
    List<String> words =
        start(counts ? "count" : "read", read.client, read.begin, read.end, read.promise, read.row);
    if (counts) {
      words.add(Long.toString(read.count));
    }
    columns.all.forEach(
        (column, versions) -> {
          Seen seen = answer.of(column);
          if (seen != null) {
            words.add(counts ? encoded(column) : shown(column, seen));
          }
        });
    line(out, words.toArray(String[]::new));
  }

  private static List<String> start(
      String kind, String client, long begin, long end, Enum<?> how, String row) {
    List<String> words = new ArrayList<>();
    words.add(kind);
    words.add(encoded(client));
    words.add(Long.toString(begin));
    words.add(end == Long.MAX_VALUE ? "-" : Long.toString(end));
    words.add(how.name().toLowerCase(Locale.ROOT));
    words.add(encoded(row));
    return words;
  }

  private static String held(String column, @Nullable String value) {
    return encoded(column) + (value == null ? "-" : "=" + encoded(value));
  }

  private static String shown(String column, Seen seen) {
    String value = seen.value();
    Version version = seen.version();
    if (seen.isDifferent()) {
      return encoded(column) + "!" + encoded(String.valueOf(value));
    }
    return held(column, value) + (version == null ? "" : "@" + version.timestamp());
  }

  private static void line(BufferedWriter out, String... words) throws IOException {
    out.write(String.join(" ", words));
    out.write('\n');
  }

  /** As in a URL, with {@code -} too, which has a meaning here. */
  private static String encoded(String text) {
    return URLEncoder.encode(text, StandardCharsets.UTF_8).replace("-", "%2D");
  }

  private static String decoded(String text) {
    return URLDecoder.decode(text, StandardCharsets.UTF_8);
  }

  /** Reads a history from a file. */
  public static History read(Path file) throws IOException {
    History history = new History();
    try (BufferedReader in = Files.newBufferedReader(file)) {
      for (String line = in.readLine(); line != null; line = in.readLine()) {
        String[] words = line.split(" ");
        switch (words[0]) {
          case "note" -> history.note(decoded(words[2]));
          case "write" -> write(history, words);
          case "read", "count" -> read(history, words);
          default -> throw new IOException("no line of a history: " + line);
        }
      }
    }
    return history;
  }

  private static void write(History history, String[] words) {
    Change change = Change.at(Long.parseLong(words[6]));
    for (int i = 7; i < words.length; i++) {
      int equals = words[i].indexOf('=');
      if (equals < 0) {
        change.remove(decoded(words[i].substring(0, words[i].length() - 1)));
      } else {
        change.put(decoded(words[i].substring(0, equals)), decoded(words[i].substring(equals + 1)));
      }
    }
    History.Write write =
        history.restored(decoded(words[1]), decoded(words[5]), change, Long.parseLong(words[2]));
    write.end = words[3].equals("-") ? Long.MAX_VALUE : Long.parseLong(words[3]);
    write.outcome = Outcome.valueOf(words[4].toUpperCase(Locale.ROOT));
  }

  private static void read(History history, String[] words) {
    Promise promise = Promise.valueOf(words[4].toUpperCase(Locale.ROOT));
    History.Read read =
        history.restored(decoded(words[1]), decoded(words[5]), promise, Long.parseLong(words[2]));
    read.end = Long.parseLong(words[3]);
    boolean counts = words[0].equals("count");
    read.count = counts ? Long.parseLong(words[6]) : -1;
    List<String> names = new ArrayList<>();
    Map<String, Seen> seen = new TreeMap<>();
    for (int i = counts ? 7 : 6; i < words.length; i++) {
      int mark = mark(words[i]);
      String column = decoded(words[i].substring(0, mark));
      names.add(column);
      if (mark < words[i].length() && words[i].charAt(mark) != '-') {
        seen.put(column, seen(words[i].charAt(mark), words[i].substring(mark + 1)));
      }
    }
    Answer answer = Answer.ofColumns(names);
    seen.forEach(answer::saw);
    read.answer = answer;
  }

  private static int mark(String word) {
    for (int i = 0; i < word.length(); i++) {
      if ("=!-".indexOf(word.charAt(i)) >= 0) {
        return i;
      }
    }
    return word.length();
  }

  private static Seen seen(char mark, String text) {
    int at = text.indexOf('@');
    if (at >= 0) {
      return Seen.version(Long.parseLong(text.substring(at + 1)), decoded(text.substring(0, at)));
    }
    return mark == '!' ? Seen.otherThan(decoded(text)) : Seen.value(decoded(text));
  }
}
