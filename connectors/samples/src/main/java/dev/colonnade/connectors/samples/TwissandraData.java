package dev.colonnade.connectors.samples;

import dev.colonnade.client.Colonnade;
import dev.colonnade.client.Column;
import dev.colonnade.client.ColumnFamily;
import dev.colonnade.client.ColumnFamilyDefinition;
import dev.colonnade.client.Comparators;
import dev.colonnade.client.Keyspace;
import dev.colonnade.client.KeyspaceDefinition;
import dev.colonnade.client.RoutedWriter;
import dev.colonnade.client.Serializers;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.locks.LockSupport;
import java.util.function.IntConsumer;

/**
 * Users who follow each other and tweet, in the families of Twissandra, made of a seed: the same
 * seed and number of tweets make the same data. Immutable.
 */
public final class TwissandraData {

  /** The keyspace. */
  public static final String KEYSPACE = "Twissandra";

  /** Row: a tweet's id; columns {@code id}, {@code user_id}, {@code body}. */
  public static final String TWEET = "Tweet";

  /** Row: a user's id; columns: ids of those who follow. */
  public static final String FOLLOWERS = "Followers";

  /** Row: a user's id; columns: ids of those followed. */
  public static final String FRIENDS = "Friends";

  /** Row: a word; column {@code count}. What a count of words writes. */
  public static final String WORD_COUNT = "WordCount";

  /** Row: a user's id; columns: words, and how often friends wrote them. */
  public static final String FRIENDS_WORDS = "FriendsWords";

  private static final int TWEETS_PER_USER = 20;
  private static final int MOST_FRIENDS = 8;
  private static final int WORDS = 400;
  private static final int MOST_WORDS = 12;
  private static final Duration SCHEMA_LIMIT = Duration.ofSeconds(30);

  private static final List<String> SYLLABLES =
      List.of("ka", "lo", "mi", "ne", "ru", "sa", "to", "vi", "wen", "dor", "pel", "gis");

  private final long seed;
  private final int tweets;
  private final int users;

  /**
   * The data of a seed.
   *
   * @param tweets how many, at least one
   */
  public TwissandraData(long seed, int tweets) {
    if (tweets < 1) {
      throw new IllegalArgumentException("there is one tweet or more; got " + tweets);
    }
    this.seed = seed;
    this.tweets = tweets;
    this.users = Math.max(2, tweets / TWEETS_PER_USER);
  }

  /**
   * A tweet.
   *
   * @param id of the tweet
   * @param userId who wrote it
   * @param body its words
   */
  public record Tweet(String id, String userId, String body) {}

  /** How many tweets there are. */
  public int tweets() {
    return tweets;
  }

  /** How many users there are. */
  public int users() {
    return users;
  }

  /** The id of a user, by number from 0. */
  public String user(int number) {
    return "user-" + number;
  }

  /** A tweet, by number from 0. */
  public Tweet tweet(int number) {
    Random random = new Random(seed * 31 + number);
    int count = 1 + random.nextInt(MOST_WORDS);
    StringBuilder body = new StringBuilder();
    for (int i = 0; i < count; i++) {
      // Few words are frequent and many are rare, as in a language.
      double drawn = random.nextDouble();
      String word = word((int) (WORDS * drawn * drawn * drawn));
      body.append(i == 0 ? "" : i % 5 == 0 ? ", " : " ")
          .append(
              i == 0 ? word.substring(0, 1).toUpperCase(Locale.ROOT) + word.substring(1) : word);
    }
    return new Tweet("tweet-" + number, user(random.nextInt(users)), body.append('.').toString());
  }

  private static String word(int number) {
    StringBuilder word = new StringBuilder();
    int rest = number;
    do {
      word.append(SYLLABLES.get(rest % SYLLABLES.size()));
      rest /= SYLLABLES.size();
    } while (rest > 0);
    return word.toString();
  }

  /** Numbers of those whom a user follows, in order. */
  public Set<Integer> friends(int user) {
    Random random = new Random(seed * 17 + user);
    Set<Integer> friends = new TreeSet<>();
    int count = random.nextInt(MOST_FRIENDS + 1);
    for (int i = 0; i < count; i++) {
      int friend = random.nextInt(users);
      if (friend != user) {
        friends.add(friend);
      }
    }
    return friends;
  }

  /** Makes the keyspace, and waits until all nodes know it. */
  public static void define(Colonnade client, int replicationFactor) {
    client
        .schema()
        .create(
            KeyspaceDefinition.named(KEYSPACE)
                .withReplicationFactor(replicationFactor)
                .with(ColumnFamilyDefinition.standard(TWEET, Comparators.UTF8))
                .with(ColumnFamilyDefinition.standard(FRIENDS, Comparators.BYTES))
                .with(ColumnFamilyDefinition.standard(FOLLOWERS, Comparators.BYTES))
                .with(ColumnFamilyDefinition.standard(WORD_COUNT, Comparators.UTF8))
                .with(ColumnFamilyDefinition.standard(FRIENDS_WORDS, Comparators.UTF8)));
    awaitSchema(client);
  }

  /** Waits until all nodes have the same schema. */
  public static void awaitSchema(Colonnade client) {
    long untilNanos = System.nanoTime() + SCHEMA_LIMIT.toNanos();
    while (!client.cluster().schemaVersions().agreed()) {
      if (System.nanoTime() - untilNanos > 0) {
        throw new IllegalStateException("the nodes do not agree on the schema; look at the ring");
      }
      LockSupport.parkNanos(Duration.ofMillis(20).toNanos());
    }
  }

  /**
   * Writes all of it, each row to a node that holds it.
   *
   * @param written is told how many tweets have been sent
   */
  public void write(Keyspace keyspace, Colonnade client, IntConsumer written) {
    ColumnFamily<String, String, String> tweetRows = family(keyspace, TWEET);
    ColumnFamily<String, String, String> friendRows = family(keyspace, FRIENDS);
    ColumnFamily<String, String, String> followerRows = family(keyspace, FOLLOWERS);
    try (RoutedWriter writer = client.routedWriter(keyspace)) {
      for (int user = 0; user < users; user++) {
        for (int friend : friends(user)) {
          writer.insert(friendRows, user(user), Column.of(user(friend), ""));
          writer.insert(followerRows, user(friend), Column.of(user(user), ""));
        }
      }
      for (int i = 0; i < tweets; i++) {
        Tweet tweet = tweet(i);
        writer.insertAll(
            tweetRows,
            tweet.id(),
            List.of(
                Column.of("id", tweet.id()),
                Column.of("user_id", tweet.userId()),
                Column.of("body", tweet.body())));
        written.accept(i + 1);
      }
    }
  }

  private static ColumnFamily<String, String, String> family(Keyspace keyspace, String name) {
    return keyspace.columnFamily(name, Serializers.UTF8, Serializers.UTF8, Serializers.UTF8);
  }
}
