package dev.colonnade.cli.demo.twissandra;

import dev.colonnade.client.Batch;
import dev.colonnade.client.Column;
import dev.colonnade.client.ColumnFamily;
import dev.colonnade.client.ColumnFamilyDefinition;
import dev.colonnade.client.Comparators;
import dev.colonnade.client.Keyspace;
import dev.colonnade.client.KeyspaceDefinition;
import dev.colonnade.client.Row;
import dev.colonnade.client.Serializers;
import dev.colonnade.client.Slice;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.UUID;

/**
 * A small Twitter in seven families. There are no joins and no indexes, so that each page has its
 * family: who follows whom is written down from both sides, and a tweet is entered into the line of
 * every reader. Thread-safe.
 */
public final class Twissandra {

  /** At most this many followers get a tweet into their timelines, as in the article. */
  public static final int MOST_FOLLOWERS = 5000;

  private static final String USER = "User";
  private static final String USERNAME = "Username";
  private static final String FRIENDS = "Friends";
  private static final String FOLLOWERS = "Followers";
  private static final String TWEET = "Tweet";
  private static final String USERLINE = "Userline";
  private static final String TIMELINE = "Timeline";

  private final Keyspace keyspace;
  private final LineClock clock;
  private final ColumnFamily<String, String, String> users;
  private final ColumnFamily<String, String, String> usernames;
  private final ColumnFamily<String, String, Instant> friends;
  private final ColumnFamily<String, String, Instant> followers;
  private final ColumnFamily<String, String, String> tweets;
  private final ColumnFamily<String, Long, String> userline;
  private final ColumnFamily<String, Long, String> timeline;

  /**
   * The application in a keyspace like {@link #definition}.
   *
   * @param clock one for the whole program
   */
  public Twissandra(Keyspace keyspace, LineClock clock) {
    this.keyspace = keyspace;
    this.clock = clock;
    users = keyspace.columnFamily(USER, Serializers.UTF8, Serializers.UTF8, Serializers.UTF8);
    usernames =
        keyspace.columnFamily(USERNAME, Serializers.UTF8, Serializers.UTF8, Serializers.UTF8);
    friends =
        keyspace.columnFamily(FRIENDS, Serializers.UTF8, Serializers.UTF8, Serializers.INSTANT);
    followers =
        keyspace.columnFamily(FOLLOWERS, Serializers.UTF8, Serializers.UTF8, Serializers.INSTANT);
    tweets = keyspace.columnFamily(TWEET, Serializers.UTF8, Serializers.UTF8, Serializers.UTF8);
    userline =
        keyspace.columnFamily(USERLINE, Serializers.UTF8, Serializers.LONG, Serializers.UTF8);
    timeline =
        keyspace.columnFamily(TIMELINE, Serializers.UTF8, Serializers.LONG, Serializers.UTF8);
  }

  /** The families that this application needs. */
  public static KeyspaceDefinition definition(String keyspace) {
    return KeyspaceDefinition.named(keyspace)
        .with(ColumnFamilyDefinition.standard(USER, Comparators.UTF8))
        .with(ColumnFamilyDefinition.standard(USERNAME, Comparators.BYTES))
        .with(ColumnFamilyDefinition.standard(FRIENDS, Comparators.BYTES))
        .with(ColumnFamilyDefinition.standard(FOLLOWERS, Comparators.BYTES))
        .with(ColumnFamilyDefinition.standard(TWEET, Comparators.UTF8))
        .with(ColumnFamilyDefinition.standard(USERLINE, Comparators.LONG))
        .with(ColumnFamilyDefinition.standard(TIMELINE, Comparators.LONG));
  }

  /**
   * Makes an account. The second row leads from the name back to the id: an inverted index, which
   * is simply a row that the application writes. Two people can sign up with the same name at the
   * same time; the later one gets it.
   *
   * @param password as the article keeps it; a program that is not an example keeps a salted hash
   */
  public User signUp(String username, String password) {
    String id = UUID.randomUUID().toString();
    keyspace
        .batch()
        .insert(users, id, "id", id)
        .insert(users, id, "username", username)
        .insert(users, id, "password", password)
        .insert(usernames, username, "id", id)
        .apply();
    return new User(id, username);
  }

  /** The user of an id; empty if there is none. */
  public Optional<User> user(String id) {
    return users.get(id, "username").map(username -> new User(id, username));
  }

  /** The user of a name; empty if there is none. */
  public Optional<User> userNamed(String username) {
    return usernames.get(username, "id").flatMap(this::user);
  }

  /** Lets one user follow another from a moment on: a column on either side. */
  public void follow(User follower, User followed, Instant since) {
    keyspace
        .batch()
        .insert(friends, follower.id(), followed.id(), since)
        .insert(followers, followed.id(), follower.id(), since)
        .apply();
  }

  /** Ends that, on both sides. Tweets stay where they were delivered. */
  public void unfollow(User follower, User followed) {
    keyspace
        .batch()
        .remove(friends, follower.id(), followed.id())
        .remove(followers, followed.id(), follower.id())
        .apply();
  }

  /** The ids of the users that a user follows. */
  public List<String> friends(User user) {
    return names(friends.slice(user.id(), Slice.all()));
  }

  /** The ids of a user's followers, {@link #MOST_FOLLOWERS} at most. */
  public List<String> followers(User user) {
    return names(followers.slice(user.id(), Slice.first(MOST_FOLLOWERS)));
  }

  /**
   * Sends a message: one read, of the followers, and one batch, which writes the tweet and enters
   * it into the author's userline and timeline and into the timelines of all followers.
   */
  public Tweet tweet(User author, String body, Instant moment) {
    List<String> readers = followers(author);
    Tweet tweet = new Tweet(UUID.randomUUID().toString(), author.id(), body, clock.next(moment));
    Batch batch =
        keyspace
            .batch()
            .insert(tweets, tweet.id(), "id", tweet.id())
            .insert(tweets, tweet.id(), "user_id", tweet.userId())
            .insert(tweets, tweet.id(), "body", tweet.body())
            .insert(tweets, tweet.id(), "_ts", String.valueOf(tweet.sentMicros()))
            .insert(userline, author.id(), tweet.sentMicros(), tweet.id())
            .insert(timeline, author.id(), tweet.sentMicros(), tweet.id());
    readers.forEach(reader -> batch.insert(timeline, reader, tweet.sentMicros(), tweet.id()));
    batch.apply();
    return tweet;
  }

  /**
   * What a user wrote, the newest first.
   *
   * @param start {@link Page#next} of the page before, or a time in microseconds; empty for now
   * @param limit at least 1
   */
  public Page userline(User user, OptionalLong start, int limit) {
    return page(userline, user, start, limit);
  }

  /**
   * What a user may read: the user's tweets and those of all users that the user followed when they
   * were sent, the newest first.
   *
   * @param start {@link Page#next} of the page before, or a time in microseconds; empty for now
   * @param limit at least 1
   */
  public Page timeline(User user, OptionalLong start, int limit) {
    return page(timeline, user, start, limit);
  }

  private Page page(
      ColumnFamily<String, Long, String> line, User user, OptionalLong start, int limit) {
    Slice<Long> newest = start.isPresent() ? Slice.from(start.getAsLong()) : Slice.all();
    // One more than the page has is where the next one starts. New tweets do not move it.
    List<Column<Long, String>> found =
        line.slice(user.id(), newest.reversed().limit(Math.addExact(limit, 1)));
    List<Column<Long, String>> shown = found.subList(0, Math.min(limit, found.size()));
    return new Page(
        tweets(shown.stream().map(Column::value).toList()),
        found.size() > limit ? OptionalLong.of(found.get(limit).name()) : OptionalLong.empty());
  }

  private List<Tweet> tweets(List<String> ids) {
    List<Tweet> found = new ArrayList<>();
    if (!ids.isEmpty()) {
      for (Row<String, Column<String, String>> row : tweets.multiget(ids, Slice.all())) {
        Map<String, String> columns = new HashMap<>();
        row.entries().forEach(column -> columns.put(column.name(), column.value()));
        // A line may know a tweet that was deleted: nothing ties the families together.
        if (!columns.isEmpty()) {
          found.add(
              new Tweet(
                  row.key(),
                  columns.getOrDefault("user_id", ""),
                  columns.getOrDefault("body", ""),
                  Long.parseLong(columns.getOrDefault("_ts", "0"))));
        }
      }
    }
    return found;
  }

  private static List<String> names(List<Column<String, Instant>> columns) {
    return columns.stream().map(Column::name).toList();
  }
}
