package dev.colonnade.connectors.spark.samples;

import static org.apache.spark.sql.functions.col;
import static org.apache.spark.sql.functions.explode;
import static org.apache.spark.sql.functions.lower;
import static org.apache.spark.sql.functions.split;

import dev.colonnade.connectors.samples.TwissandraData;
import org.apache.spark.sql.Column;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;

/** How often each word stands in the bodies of all tweets: read from one family, into another. */
public final class WordCount {

  private WordCount() {}

  /**
   * Counts, and writes a row for each word with a column {@code count}.
   *
   * @param session whose configuration has {@code spark.datasource.colonnade.contact_points}
   */
  public static void run(SparkSession session) {
    count(tweets(session))
        .select(col("word").as("key"), col("count").cast("string").as("count"))
        .write()
        .format("colonnade")
        .option("keyspace", TwissandraData.KEYSPACE)
        .option("family", TwissandraData.WORD_COUNT)
        .mode("append")
        .save();
  }

  /** A row for each tweet, with its body. */
  public static Dataset<Row> tweets(SparkSession session) {
    return session
        .read()
        .format("colonnade")
        .option("keyspace", TwissandraData.KEYSPACE)
        .option("family", TwissandraData.TWEET)
        .schema("key string, body string not null")
        .load();
  }

  /** A row for each word, with how often it comes. */
  public static Dataset<Row> count(Dataset<Row> tweets) {
    return tweets
        .select(words(col("body")))
        .where(col("word").notEqual(""))
        .groupBy("word")
        .count();
  }

  /** Each word of a text, in small letters, and empty ones where a text begins or ends. */
  static Column words(Column text) {
    return explode(split(lower(text), "[^\\p{L}\\p{Nd}]+")).as("word");
  }

  /** What {@link #run} has written. */
  public static Dataset<Row> written(SparkSession session) {
    return session
        .read()
        .format("colonnade")
        .option("keyspace", TwissandraData.KEYSPACE)
        .option("family", TwissandraData.WORD_COUNT)
        .schema("key string, count string not null")
        .load();
  }
}
