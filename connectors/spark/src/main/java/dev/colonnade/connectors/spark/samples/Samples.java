package dev.colonnade.connectors.spark.samples;

import static org.apache.spark.sql.functions.col;

import dev.colonnade.client.Colonnade;
import dev.colonnade.client.ColonnadeException;
import dev.colonnade.connectors.samples.SampleCommands;
import java.io.IOException;
import java.io.PrintStream;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.spark.SparkConf;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;

/** The samples as commands. */
public final class Samples {

  private static final String USAGE =
      """
      Usage: [OPTION...] fill [TWEETS] | word-count | friends-words [USER]

        fill           makes the keyspace Twissandra and writes tweets, 5000 unless told otherwise
        word-count     counts the words of all tweets into the family WordCount, and shows the most frequent
        friends-words  counts, for every user, the words of those whom the user follows, loads them in bulk
                       into FriendsWords, and shows those of one user, user-1 unless told otherwise

      Options come first:
        -D contact_points=HOST:PORT,…   127.0.0.1:9160 without it
        -D NAME=VALUE                   any other setting of the client library
      """;

  private static final String PREFIX = "spark.datasource.colonnade.";
  private static final int DEFAULT_TWEETS = 5_000;
  private static final int FAILED = 1;
  private static final int MISUSED = 2;

  private final Map<String, String> settings;
  private final PrintStream out;

  private Samples(Map<String, String> settings, PrintStream out) {
    this.settings = settings;
    this.out = out;
  }

  /** Runs one; the exit status is 0 if it ended well, 1 if not, 2 if it was not understood. */
  public static void main(String[] args) {
    Deque<String> words = new ArrayDeque<>(List.of(args));
    Map<String, String> settings = new TreeMap<>(Map.of("contact_points", "127.0.0.1:9160"));
    while ("-D".equals(words.peek())) {
      words.remove();
      String[] setting = words.isEmpty() ? new String[0] : words.remove().split("=", 2);
      if (setting.length != 2) {
        System.out.print(USAGE);
        System.exit(MISUSED);
      }
      settings.put(setting[0], setting[1]);
    }
    System.exit(new Samples(settings, System.out).run(List.copyOf(words)));
  }

  private int run(List<String> words) {
    String command = words.isEmpty() ? "" : words.get(0);
    String argument = words.size() > 1 ? words.get(1) : "";
    try {
      switch (command) {
        case "fill" -> fill(argument.isEmpty() ? DEFAULT_TWEETS : Integer.parseInt(argument));
        case "word-count" -> wordCount();
        case "friends-words" -> friendsWords(argument.isEmpty() ? "user-1" : argument);
        case "--help", "-h", "help" -> out.print(USAGE);
        default -> {
          out.print(USAGE);
          return MISUSED;
        }
      }
      return 0;
    } catch (IOException
        | ColonnadeException
        | IllegalArgumentException
        | IllegalStateException e) {
      out.println(command + ": " + e.getMessage());
      return FAILED;
    }
  }

  private void fill(int tweets) {
    try (Colonnade client = Colonnade.builder().properties(settings).connect()) {
      SampleCommands.fill(client, tweets, out);
    }
  }

  private void wordCount() throws IOException {
    try (SparkSession session = session()) {
      WordCount.run(session);
      SampleCommands.show(counts(WordCount.written(session), "key", "count"), out);
    }
  }

  private void friendsWords(String user) throws IOException {
    try (SparkSession session = session()) {
      FriendsWords.run(session);
      out.println("the words of those whom " + user + " follows:");
      SampleCommands.show(
          counts(FriendsWords.written(session).where(col("key").equalTo(user)), "name", "value"),
          out);
    }
  }

  private static Map<String, Long> counts(Dataset<Row> rows, String word, String count) {
    Map<String, Long> counts = new HashMap<>();
    for (Row row : rows.collectAsList()) {
      counts.put(row.getAs(word), Long.valueOf(row.<String>getAs(count)));
    }
    return counts;
  }

  /** In this process, unless {@code spark-submit} says where. */
  private SparkSession session() {
    SparkConf conf = new SparkConf().setAppName("Colonnade's samples");
    conf.setIfMissing("spark.master", "local[2]");
    conf.setIfMissing("spark.ui.enabled", "false");
    settings.forEach((name, value) -> conf.set(PREFIX + name, value));
    return SparkSession.builder().config(conf).getOrCreate();
  }
}
