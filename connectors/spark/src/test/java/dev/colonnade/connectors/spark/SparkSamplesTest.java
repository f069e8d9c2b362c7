package dev.colonnade.connectors.spark;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.colonnade.client.Colonnade;
import dev.colonnade.client.Slice;
import dev.colonnade.connectors.samples.ExpectedWords;
import dev.colonnade.connectors.samples.SampleCommands;
import dev.colonnade.connectors.samples.TwissandraData;
import dev.colonnade.connectors.spark.samples.FriendsWords;
import dev.colonnade.connectors.spark.samples.WordCount;
import dev.colonnade.testkit.ColonnadeTest;
import dev.colonnade.testkit.TestNodes;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/**
 * The samples over three nodes with two copies of each row, whose answers are those of a count in
 * memory. {@code -Dcolonnade.connectors.rows=100000} takes more tweets than the usual ones.
 */
@ColonnadeTest(nodes = 3)
final class SparkSamplesTest {

  private static final int TWEETS = Integer.getInteger("colonnade.connectors.rows", 3_000);
  private static final TwissandraData DATA = new TwissandraData(20, TWEETS);

  private static SparkSession spark;

  @BeforeAll
  static void write(Colonnade client, TestNodes nodes) {
    TwissandraData.define(client, 2);
    DATA.write(Sparks.all(client), client, written -> {});
    spark = Sparks.session(nodes);
    spark.conf().set("spark.datasource.colonnade.split_size", TWEETS / 6);
  }

  @AfterAll
  static void end() {
    spark.stop();
  }

  @Test
  void wordsAreCountedWrittenAndReadBack() {
    long startNanos = System.nanoTime();
    WordCount.run(spark);
    Map<String, Long> found = new TreeMap<>();
    for (Row row : WordCount.written(spark).collectAsList()) {
      found.put(row.getString(0), Long.valueOf(row.getString(1)));
    }
    told("word count", startNanos);
    assertEquals(ExpectedWords.ofAll(DATA), found);
    assertTrue(WordCount.tweets(spark).rdd().getNumPartitions() >= 3);
  }

  @Test
  void friendsWordsAreJoinedLoadedAndReadBack(Colonnade client) {
    long startNanos = System.nanoTime();
    FriendsWords.run(spark);
    Map<String, Map<String, Long>> found = new TreeMap<>();
    for (Row row : FriendsWords.written(spark).collectAsList()) {
      found
          .computeIfAbsent(row.getString(0), user -> new TreeMap<>())
          .put(row.getString(1), Long.valueOf(row.getString(2)));
    }
    told("friends' words", startNanos);
    Map<String, Map<String, Long>> expected = new TreeMap<>(ExpectedWords.ofFriends(DATA));
    expected.values().removeIf(Map::isEmpty);
    assertEquals(expected, found);
    Map.Entry<String, Map<String, Long>> one = expected.entrySet().iterator().next();
    assertEquals(
        one.getValue().keySet(),
        SampleCommands.family(client, TwissandraData.FRIENDS_WORDS)
            .getAll(one.getKey(), Slice.all())
            .keySet());
  }

  private static void told(String what, long startNanos) {
    System.out.printf(
        Locale.ROOT,
        "%s: %,d tweets of %,d users, %.1f s%n",
        what,
        TWEETS,
        DATA.users(),
        (System.nanoTime() - startNanos) / 1e9);
  }
}
