package dev.colonnade.it.demo;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.colonnade.cli.demo.twissandra.LineClock;
import dev.colonnade.cli.demo.twissandra.Page;
import dev.colonnade.cli.demo.twissandra.Tweet;
import dev.colonnade.cli.demo.twissandra.Twissandra;
import dev.colonnade.cli.demo.twissandra.User;
import dev.colonnade.client.Column;
import dev.colonnade.client.ColumnFamily;
import dev.colonnade.client.Keyspace;
import dev.colonnade.client.Serializers;
import dev.colonnade.client.Slice;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Random;
import java.util.SplittableRandom;
import java.util.function.IntUnaryOperator;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/** Signing up, following, writing and reading as in "Cassandra by example". */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
final class TwissandraIT {

  private static final Instant MOMENT = Instant.parse("2010-05-12T09:00:00Z");
  private static final int TWEETS = 40;

  private final ExampleNode node;
  private final Keyspace keyspace;
  private final Twissandra twissandra;

  TwissandraIT(@TempDir Path folder) throws Exception {
    node = ExampleNode.in(folder);
    keyspace = node.create(Twissandra.definition("Twissandra"));
    twissandra = new Twissandra(keyspace, new LineClock());
  }

  @AfterAll
  void stop() {
    node.close();
  }

  @Test
  void whoSignedUpIsFoundByNameAndById() {
    User user = twissandra.signUp("jericevans", "**********");
    assertEquals(Optional.of(user), twissandra.userNamed("jericevans"));
    assertEquals(Optional.of(user), twissandra.user(user.id()));
    assertEquals(Optional.empty(), twissandra.userNamed("JEricEvans"));
  }

  @Test
  void followingIsSeenFromBothSides() {
    User follower = twissandra.signUp("follower", "");
    User followed = twissandra.signUp("followed", "");
    twissandra.follow(follower, followed, MOMENT);
    assertEquals(List.of(followed.id()), twissandra.friends(follower));
    assertEquals(List.of(follower.id()), twissandra.followers(followed));
    assertEquals(List.of(), twissandra.friends(followed));
    twissandra.unfollow(follower, followed);
    assertEquals(List.of(), twissandra.friends(follower));
    assertEquals(List.of(), twissandra.followers(followed));
  }

  @Test
  void aTweetReachesFiveThousandFollowersInOneBatch() {
    User author = twissandra.signUp("popular", "");
    List<String> followers =
        IntStream.rangeClosed(0, Twissandra.MOST_FOLLOWERS)
            .mapToObj(i -> "follower-%05d".formatted(i))
            .toList();
    keyspace
        .columnFamily("Followers", Serializers.UTF8, Serializers.UTF8, Serializers.INSTANT)
        .insertAll(author.id(), followers.stream().map(id -> Column.of(id, MOMENT)).toList());

    int before = node.calls().total();
    Tweet tweet = twissandra.tweet(author, "to all of you", MOMENT);
    assertEquals(List.of("GetSlice", "BatchMutate"), node.calls().since(before));

    List<String> reached =
        keyspace
            .columnFamily("Timeline", Serializers.UTF8, Serializers.LONG, Serializers.UTF8)
            .multiget(followers, Slice.named(List.of(tweet.sentMicros())))
            .stream()
            .filter(row -> row.entries().size() == 1)
            .map(row -> row.key())
            .toList();
    assertEquals(followers.subList(0, Twissandra.MOST_FOLLOWERS), reached);
  }

  @Test
  void linesHaveTheNewestFirst() {
    User author = twissandra.signUp("author", "");
    User reader = twissandra.signUp("reader", "");
    twissandra.follow(reader, author, MOMENT);
    Tweet first = twissandra.tweet(author, "first", MOMENT);
    Tweet own = twissandra.tweet(reader, "own", MOMENT.plusSeconds(1));
    Tweet second = twissandra.tweet(author, "second", MOMENT.plusSeconds(2));
    OptionalLong now = OptionalLong.empty();
    assertEquals(List.of(second, first), twissandra.userline(author, now, 10).tweets());
    assertEquals(List.of(own), twissandra.userline(reader, now, 10).tweets());
    assertEquals(List.of(second, own, first), twissandra.timeline(reader, now, 10).tweets());
    OptionalLong between = OptionalLong.of(second.sentMicros() - 1);
    assertEquals(List.of(own, first), twissandra.timeline(reader, between, 10).tweets());
  }

  @Test
  void pagesOfAnySizeHaveEachTweetOnceAlsoWhereTimesAreEqual() {
    long seed = System.nanoTime();
    SplittableRandom random = new SplittableRandom(seed);
    User reader = twissandra.signUp("reader of pages", "");
    List<User> authors = new ArrayList<>();
    for (int i = 0; i < 3; i++) {
      authors.add(twissandra.signUp("author " + i, ""));
      twissandra.follow(reader, authors.get(i), MOMENT);
    }
    List<String> newestFirst = new ArrayList<>();
    for (int i = 0; i < TWEETS; i++) {
      Instant moment = MOMENT.plusSeconds(100).plusNanos(1000L * (i / 8));
      Tweet tweet = twissandra.tweet(authors.get(random.nextInt(3)), "tweet " + i, moment);
      newestFirst.add(0, tweet.id());
    }
    for (int size = 1; size <= TWEETS + 1; size++) {
      int limit = size;
      assertEquals(newestFirst, pages(reader, page -> limit), "in pages of " + size);
    }
    assertEquals(
        newestFirst, pages(reader, page -> 1 + random.nextInt(7)), "in pages of seed " + seed);
  }

  @Test
  void tweetsThatArriveMeanwhileDoNotMovePages() {
    User author = twissandra.signUp("busy", "");
    List<Tweet> oldestFirst = new ArrayList<>();
    for (int i = 0; i < 6; i++) {
      oldestFirst.add(twissandra.tweet(author, "tweet " + i, MOMENT));
    }
    Page first = twissandra.timeline(author, OptionalLong.empty(), 3);
    Tweet later = twissandra.tweet(author, "meanwhile", MOMENT.plusSeconds(1));
    Page second = twissandra.timeline(author, first.next(), 3);
    List<Tweet> read = new ArrayList<>(first.tweets());
    read.addAll(second.tweets());
    Collections.reverse(read);
    assertEquals(oldestFirst, read);
    assertEquals(OptionalLong.empty(), second.next());
    assertEquals(later, twissandra.timeline(author, OptionalLong.empty(), 1).tweets().get(0));
  }

  @Test
  void twoProgramsThatWriteAtTheSameTimeLoseNothing() {
    User one = twissandra.signUp("one", "");
    User other = twissandra.signUp("other", "");
    User reader = twissandra.signUp("reader of both", "");
    twissandra.follow(reader, one, MOMENT);
    twissandra.follow(reader, other, MOMENT);
    Twissandra first = new Twissandra(keyspace, new LineClock(0, 2));
    Twissandra second = new Twissandra(keyspace, new LineClock(1, 2));
    for (int i = 0; i < 10; i++) {
      first.tweet(one, "first " + i, MOMENT);
      second.tweet(other, "second " + i, MOMENT);
    }
    assertEquals(20, twissandra.timeline(reader, OptionalLong.empty(), 100).tweets().size());
  }

  @Test
  void theArticlesPackedDoublesSortAsLongsDo() {
    ColumnFamily<String, byte[], String> line =
        keyspace.columnFamily("Userline", Serializers.UTF8, Serializers.BYTES, Serializers.UTF8);
    List<Long> times = new ArrayList<>();
    for (int i = 0; i < 100; i++) {
      times.add(1_273_654_800_000_000L + i * 1_234_567L);
    }
    List<Long> shuffled = new ArrayList<>(times);
    Collections.shuffle(shuffled, new Random(1));
    for (long time : shuffled) {
      String value = String.valueOf(time);
      line.insert("longs", ByteBuffer.allocate(Long.BYTES).putLong(time).array(), value);
      line.insert(
          "doubles", ByteBuffer.allocate(Double.BYTES).putDouble((double) time).array(), value);
    }
    List<String> expected = times.stream().map(String::valueOf).toList();
    assertEquals(expected, values(line.slice("longs", Slice.all())));
    assertEquals(expected, values(line.slice("doubles", Slice.all())));
    Collections.reverse(times);
    assertEquals(
        times.stream().map(String::valueOf).toList(),
        values(line.slice("doubles", Slice.last(times.size()))));
  }

  private List<String> pages(User reader, IntUnaryOperator limits) {
    List<String> found = new ArrayList<>();
    OptionalLong start = OptionalLong.empty();
    int number = 0;
    do {
      int limit = limits.applyAsInt(number++);
      Page page = twissandra.timeline(reader, start, limit);
      assertTrue(page.tweets().size() <= limit);
      page.tweets().forEach(tweet -> found.add(tweet.id()));
      start = page.next();
    } while (start.isPresent() && number <= TWEETS);
    return found;
  }

  private static List<String> values(List<Column<byte[], String>> columns) {
    return columns.stream().map(Column::value).toList();
  }
}
