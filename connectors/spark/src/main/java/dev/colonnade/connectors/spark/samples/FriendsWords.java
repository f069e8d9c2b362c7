package dev.colonnade.connectors.spark.samples;

import static org.apache.spark.sql.functions.col;

import dev.colonnade.connectors.samples.TwissandraData;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;

/**
 * Which words my friends write, for every user: tweets and followers, joined by author, and added
 * up by follower and word. The result is loaded in bulk.
 */
public final class FriendsWords {

  private FriendsWords() {}

  /**
   * Joins, adds up and loads: a row for each user, with a column for each word.
   *
   * @param session whose configuration has {@code spark.datasource.colonnade.contact_points}
   */
  public static void run(SparkSession session) {
    Dataset<Row> tweets =
        session
            .read()
            .format("colonnade")
            .option("keyspace", TwissandraData.KEYSPACE)
            .option("family", TwissandraData.TWEET)
            .schema("key string, user_id string not null, body string not null")
            .load();
    // A cell for each follower: the key is the author, the name is who follows.
    Dataset<Row> followers =
        session
            .read()
            .format("colonnade")
            .option("keyspace", TwissandraData.KEYSPACE)
            .option("family", TwissandraData.FOLLOWERS)
            .schema("key string, name string, value string")
            .load()
            .select(col("key").as("author"), col("name").as("follower"));
    tweets
        .join(followers, tweets.col("user_id").equalTo(followers.col("author")))
        .select(col("follower"), WordCount.words(col("body")))
        .where(col("word").notEqual(""))
        .groupBy("follower", "word")
        .count()
        .select(
            col("follower").as("key"),
            col("word").as("name"),
            col("count").cast("string").as("value"))
        .write()
        .format("colonnade")
        .option("keyspace", TwissandraData.KEYSPACE)
        .option("family", TwissandraData.FRIENDS_WORDS)
        .option("write", "bulk")
        .mode("append")
        .save();
  }

  /** What {@link #run} has written: cells, whose names are words and whose values are counts. */
  public static Dataset<Row> written(SparkSession session) {
    return session
        .read()
        .format("colonnade")
        .option("keyspace", TwissandraData.KEYSPACE)
        .option("family", TwissandraData.FRIENDS_WORDS)
        .schema("key string, name string, value string")
        .load();
  }
}
