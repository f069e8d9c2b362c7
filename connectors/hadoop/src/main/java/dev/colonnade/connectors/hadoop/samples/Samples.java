package dev.colonnade.connectors.hadoop.samples;

import dev.colonnade.client.Colonnade;
import dev.colonnade.client.ColonnadeException;
import dev.colonnade.client.Column;
import dev.colonnade.client.Cursor;
import dev.colonnade.client.KeyRange;
import dev.colonnade.client.Row;
import dev.colonnade.client.Slice;
import dev.colonnade.connectors.hadoop.ConfigHelper;
import dev.colonnade.connectors.samples.SampleCommands;
import dev.colonnade.connectors.samples.TwissandraData;
import java.io.IOException;
import java.io.PrintStream;
import java.util.HashMap;
import java.util.Map;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.conf.Configured;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.mapreduce.Job;
import org.apache.hadoop.util.Tool;
import org.apache.hadoop.util.ToolRunner;

/** The samples as commands. */
public final class Samples extends Configured implements Tool {

  private static final String USAGE =
      """
      Usage: fill [TWEETS] | word-count | friends-words [USER]

        fill           makes the keyspace Twissandra and writes tweets, 5000 unless told otherwise
        word-count     counts the words of all tweets into the family WordCount, and shows the most frequent
        friends-words  counts, for every user, the words of those whom the user follows, loads them in bulk
                       into FriendsWords, and shows those of one user, user-1 unless told otherwise

      Options come first, as Hadoop's commands take them:
        -D colonnade.client.contact_points=HOST:PORT,…   127.0.0.1:9160 without it
        -D colonnade.client.NAME=VALUE                   any setting of the client library
        -D colonnade.input.split_size=ROWS               about how many rows a task reads
      """;

  private static final int DEFAULT_TWEETS = 5_000;

  private static final int FAILED = 1;
  private static final int MISUSED = 2;

  private final PrintStream out;

  private Samples(PrintStream out) {
    this.out = out;
  }

  /** Runs one; the exit status is 0 if it ended well, 1 if not, 2 if it was not understood. */
  public static void main(String[] args) throws Exception {
    Configuration conf = new Configuration();
    conf.set(ConfigHelper.CLIENT_PREFIX + "contact_points", "127.0.0.1:9160");
    System.exit(ToolRunner.run(conf, new Samples(System.out), args));
  }

  @Override
  public int run(String[] args) throws Exception {
    String command = args.length == 0 ? "" : args[0];
    try {
      switch (command) {
        case "fill" -> fill(args.length > 1 ? Integer.parseInt(args[1]) : DEFAULT_TWEETS);
        case "word-count" -> wordCount();
        case "friends-words" -> friendsWords(args.length > 1 ? args[1] : "user-1");
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
    try (Colonnade client = client()) {
      SampleCommands.fill(client, tweets, out);
    }
  }

  private void wordCount() throws Exception {
    require(WordCount.job(getConf()));
    Map<String, Long> counts = new HashMap<>();
    try (Colonnade client = client();
        Cursor<Row<String, Column<String, String>>> rows =
            SampleCommands.family(client, TwissandraData.WORD_COUNT)
                .range(KeyRange.all(), Slice.all())) {
      rows.forEachRemaining(
          row ->
              row.get(WordCount.COUNT)
                  .ifPresent(count -> counts.put(row.key(), Long.parseLong(count.value()))));
    }
    SampleCommands.show(counts, out);
  }

  private void friendsWords(String user) throws Exception {
    Configuration conf = getConf();
    Path folder =
        new Path(conf.get("hadoop.tmp.dir", "/tmp"), "friends-words-" + System.currentTimeMillis());
    try (FileSystem files = folder.getFileSystem(conf)) {
      try {
        require(FriendsWords.join(conf, folder));
        require(FriendsWords.load(conf, folder));
      } finally {
        files.delete(folder, true);
      }
    }
    Map<String, Long> counts = new HashMap<>();
    try (Colonnade client = client()) {
      SampleCommands.family(client, TwissandraData.FRIENDS_WORDS)
          .getAll(user, Slice.all())
          .forEach((word, count) -> counts.put(word, Long.parseLong(count)));
    }
    out.println("the words of those whom " + user + " follows:");
    SampleCommands.show(counts, out);
  }

  private static void require(Job job) throws Exception {
    if (!job.waitForCompletion(true)) {
      throw new IllegalStateException(
          "the job \"" + job.getJobName() + "\" failed: " + job.getStatus().getFailureInfo());
    }
  }

  private Colonnade client() {
    Map<String, String> settings = getConf().getPropsWithPrefix(ConfigHelper.CLIENT_PREFIX);
    return Colonnade.builder().properties(settings).connect();
  }
}
