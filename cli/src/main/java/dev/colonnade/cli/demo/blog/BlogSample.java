package dev.colonnade.cli.demo.blog;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * What the article writes into its blog. Where it leaves dots the text is ours, and so are the
 * posts that fill the front page. The comments have the article's times, though these lie before
 * some of the posts.
 */
public final class BlogSample {

  /** The author whom the article describes. */
  public static final Author ARIN =
      new Author(
          "Arin Sarkissian",
          Map.of(
              "numPosts", "11",
              "twitter", "phatduckk",
              "email", "arin@example.com",
              "bio", "bla bla bla"));

  /** The author whom it only mentions. */
  public static final Author OTHER =
      new Author(
          "Author 2",
          Map.of(
              "numPosts", "1",
              "twitter", "author2",
              "email", "author2@example.com",
              "bio", "likes to be scared"));

  /** The first post of the article. */
  public static final Post GUITAR =
      new Post(
          "i-got-a-new-guitar",
          "This is a blog entry about my new, awesome guitar",
          "It arrived on Tuesday and has not left my hands since.",
          ARIN.name(),
          Instant.ofEpochSecond(1_250_558_004),
          List.of("life", "guitar", "music"));

  /** The second one. */
  public static final Post ANOTHER_GUITAR =
      new Post(
          "another-cool-guitar",
          "Another cool guitar",
          "One was not enough.",
          ARIN.name(),
          Instant.ofEpochSecond(1_250_644_404),
          List.of("guitar"));

  /** The third one, by another author. */
  public static final Post SCREAM =
      new Post(
          "scream-is-the-best-movie-ever",
          "Scream is the best movie ever",
          "And it is not even close.",
          OTHER.name(),
          Instant.ofEpochSecond(1_250_730_804),
          List.of("movie", "horror"));

  /** On {@link #SCREAM}; not in the order of their times. */
  public static final List<Comment> ON_SCREAM =
      List.of(
          new Comment(
              "Some Dude",
              "sd@example.com",
              "Be kind, Joe: there is room for two best movies.",
              Instant.ofEpochSecond(1_250_557_004)),
          new Comment(
              "Joe Blow",
              "joeb@example.com",
              "No: the best movie ever is The Godfather.",
              Instant.ofEpochSecond(1_250_438_004)));

  /** On {@link #GUITAR}. */
  public static final Comment ON_GUITAR =
      new Comment(
          "Johnny Guitar",
          "guitardude@example.com",
          "What a beautiful instrument!",
          Instant.ofEpochSecond(1_250_438_004));

  private static final long SECONDS_PER_DAY = 86_400;
  private static final int OLDER_POSTS = 9;

  private BlogSample() {}

  /** All posts, the newest first: the article's three and nine older ones. */
  public static List<Post> newestFirst() {
    List<Post> posts = new ArrayList<>(List.of(SCREAM, ANOTHER_GUITAR, GUITAR));
    for (int day = OLDER_POSTS; day >= 1; day--) {
      posts.add(
          new Post(
              "practice-day-" + day,
              "Practice, day " + day,
              "Scales, and then more scales.",
              ARIN.name(),
              GUITAR.published().minusSeconds(SECONDS_PER_DAY * (OLDER_POSTS + 1 - day)),
              // A post may also have no tag at all.
              day % 3 == 0 ? List.of() : List.of("music")));
    }
    return List.copyOf(posts);
  }
}
