package dev.colonnade.cli.demo.twissandra;

import dev.colonnade.cli.demo.story.Guide;
import dev.colonnade.cli.demo.story.Walkthrough;
import dev.colonnade.client.KeyspaceDefinition;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.stream.Collectors;

/** Three users sign up, follow one another, write, and read page by page. */
public final class TwissandraWalkthrough implements Walkthrough {

  private static final String KEYSPACE = "Twissandra";
  private static final int TWEETS_ON_A_PAGE = 2;

  /** When the article appeared. */
  private static final Instant START = Instant.parse("2010-05-12T09:00:00Z");

  /** For the list of walkthroughs. */
  public TwissandraWalkthrough() {}

  @Override
  public String name() {
    return "twissandra";
  }

  @Override
  public String title() {
    return "Twissandra: lines of messages, written for each reader";
  }

  @Override
  public KeyspaceDefinition keyspace() {
    return Twissandra.definition(KEYSPACE);
  }

  @Override
  public void run(Guide guide) {
    new Story(guide).tell();
  }

  /** The application with the people who use it; ids are random, so that people see names. */
  private static final class Story {

    private final Guide guide;
    private final Twissandra twissandra;
    private final Map<String, String> usernames = new LinkedHashMap<>();
    private final List<String> sent = new ArrayList<>();

    Story(Guide guide) {
      this.guide = guide;
      this.twissandra = new Twissandra(guide.client().keyspace(KEYSPACE), new LineClock());
    }

    void tell() {
      guide.say("Signing up writes two rows: the user, and from the name to the user's id.");
      User evans = signUp("jericevans");
      User florenzano = signUp("ericflo");
      User reader = signUp("reader");
      guide.check(
          "the inverted index leads from the name to the user",
          Optional.of(evans),
          guide.ask(
              "twissandra.userNamed(jericevans)",
              () -> twissandra.userNamed("jericevans"),
              answer -> answer.map(user -> Map.of(user.id(), user.username()))));
      guide.check(
          "a name that no user has leads nowhere",
          Optional.empty(),
          guide.ask(
              "twissandra.userNamed(nobody)",
              () -> twissandra.userNamed("nobody"),
              answer -> answer.map(user -> Map.of(user.id(), user.username()))));

      guide.say("Following is written down on both sides, so that each can be asked.");
      follow(evans, florenzano);
      follow(florenzano, evans);
      follow(reader, evans);
      follow(reader, florenzano);
      guide.check("reader follows two", "ericflo jericevans", sorted(friends(reader)));
      guide.check("two follow jericevans", "ericflo reader", sorted(followers(evans)));

      tweets(evans, florenzano);
      lines(evans, reader);
    }

    private void tweets(User evans, User florenzano) {
      guide.say("A tweet is one read, of the followers, and one batch for all their timelines.");
      int before = guide.calls().total();
      tweet(evans, "@ericflo thanks for Twissandra, it helps!", 1);
      guide.check(
          "two calls, however many followers there are",
          List.of("GetSlice", "BatchMutate"),
          guide.calls().since(before));
      tweet(florenzano, "@jericevans you are welcome", 2);
      tweet(evans, "next: how to page through a timeline", 3);
      guide.say("The next three are sent in the same microsecond. Their names still differ.");
      tweet(florenzano, "one", 4);
      tweet(evans, "two", 4);
      tweet(florenzano, "three", 4);
    }

    private void lines(User evans, User reader) {
      guide.check(
          "a userline has one's own tweets, the newest first",
          List.of(sent.get(4), sent.get(2), sent.get(0)),
          bodies(
              guide.ask(
                  "twissandra.userline(jericevans, now, 10)",
                  () -> twissandra.userline(evans, OptionalLong.empty(), 10),
                  this::drawn)));
      guide.say(
          "A timeline is read in pages of two; an edge lies between those of one microsecond.");
      List<String> read = new ArrayList<>();
      OptionalLong start = OptionalLong.empty();
      do {
        OptionalLong from = start;
        Page page =
            guide.ask(
                "twissandra.timeline(reader, %s, %d)"
                    .formatted(
                        from.isPresent() ? String.valueOf(from.getAsLong()) : "now",
                        TWEETS_ON_A_PAGE),
                () -> twissandra.timeline(reader, from, TWEETS_ON_A_PAGE),
                this::drawn);
        read.addAll(bodies(page));
        start = page.next();
      } while (start.isPresent() && read.size() <= sent.size());
      List<String> newestFirst = new ArrayList<>(sent);
      Collections.reverse(newestFirst);
      guide.check("the pages have every tweet once, the newest first", newestFirst, read);
    }

    private User signUp(String username) {
      User[] made = new User[1];
      guide.tell(
          "twissandra.signUp(" + username + ", **********)",
          () -> made[0] = twissandra.signUp(username, "**********"));
      usernames.put(made[0].id(), username);
      return made[0];
    }

    private void follow(User follower, User followed) {
      guide.tell(
          "twissandra.follow(%s, %s, %s)"
              .formatted(follower.username(), followed.username(), START),
          () -> twissandra.follow(follower, followed, START));
    }

    private void tweet(User author, String body, int seconds) {
      sent.add(body);
      Instant moment = START.plusSeconds(seconds);
      guide.tell(
          "twissandra.tweet(%s, \"%s\", %s)".formatted(author.username(), body, moment),
          () -> twissandra.tweet(author, body, moment));
    }

    private List<String> friends(User user) {
      return guide.ask(
          "twissandra.friends(" + user.username() + ")",
          () -> twissandra.friends(user).stream().map(usernames::get).toList());
    }

    private List<String> followers(User user) {
      return guide.ask(
          "twissandra.followers(" + user.username() + ")",
          () -> twissandra.followers(user).stream().map(usernames::get).toList());
    }

    private static String sorted(List<String> names) {
      return names.stream().sorted().collect(Collectors.joining(" "));
    }

    private static List<String> bodies(Page page) {
      return page.tweets().stream().map(Tweet::body).toList();
    }

    private Map<Long, String> drawn(Page page) {
      Map<Long, String> drawing = new LinkedHashMap<>();
      page.tweets()
          .forEach(
              tweet ->
                  drawing.put(
                      tweet.sentMicros(), usernames.get(tweet.userId()) + ": " + tweet.body()));
      return drawing;
    }
  }
}
