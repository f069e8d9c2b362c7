package dev.colonnade.cli.demo;

import com.google.protobuf.ByteString;
import java.util.ArrayList;
import java.util.List;

/**
 * BloggyAppy, the blog of the article: its four families and its data. Where the article leaves
 * dots, the data is ours. The comments have the article's times, though these lie before some of
 * the posts.
 */
final class Blog {

  static final String KEYSPACE = "BloggyAppy";

  /** The tag that every post has, so that one family lists all posts as well. */
  static final String EVERY_POST = "__notag__";

  /** Row: the author's full name. Columns: the properties of the profile. */
  static final Family AUTHORS = Family.standard(KEYSPACE, "Authors", "BytesType");

  /** Row: the post's slug. Columns: its properties, the tags in one, with commas between. */
  static final Family ENTRIES = Family.standard(KEYSPACE, "BlogEntries", "BytesType");

  /** Row: a tag. Columns: a time and the slug of the post that was written then. */
  static final Family TAGGED = Family.standard(KEYSPACE, "TaggedPosts", "TimeUUIDType");

  /** Row: the post's slug. Super columns: a time and the comment that was left then. */
  static final Family COMMENTS =
      Family.ofSuperColumns(KEYSPACE, "Comments", "TimeUUIDType", "BytesType");

  static final List<Family> FAMILIES = List.of(AUTHORS, ENTRIES, TAGGED, COMMENTS);

  static final String ARIN = "Arin Sarkissian";
  static final String OTHER_AUTHOR = "Author 2";

  private static final List<Post> POSTS =
      List.of(
          new Post(
              "i-got-a-new-guitar",
              "This is a blog entry about my new, awesome guitar",
              "It arrived on Tuesday and has not left my hands since.",
              ARIN,
              "life,guitar,music",
              1_250_558_004),
          new Post(
              "another-cool-guitar",
              "Another cool guitar",
              "one was not enough",
              ARIN,
              "guitar",
              1_250_644_404),
          new Post(
              "scream-is-the-best-movie-ever",
              "Scream is the best movie ever",
              "and it is not even close",
              OTHER_AUTHOR,
              "movie,horror",
              1_250_730_804));

  /** Not in the order of their times, so that the order of the answers is the family's doing. */
  private static final List<Comment> ALL_COMMENTS =
      List.of(
          new Comment(
              "scream-is-the-best-movie-ever",
              "Some Dude",
              "sd@example.com",
              "Be kind, Joe: there is room for two best movies.",
              1_250_557_004),
          new Comment(
              "scream-is-the-best-movie-ever",
              "Joe Blow",
              "joeb@example.com",
              "No: the best movie ever is The Godfather.",
              1_250_438_004),
          new Comment(
              "i-got-a-new-guitar",
              "Johnny Guitar",
              "guitardude@example.com",
              "What a beautiful instrument!",
              1_250_438_004));

  private record Post(
      String slug, String title, String body, String author, String tags, long pubDate) {}

  private record Comment(
      String slug, String commenter, String email, String text, long commentTime) {}

  private Blog() {}

  static List<Write> authors() {
    return List.of(
        Write.columns(
            AUTHORS,
            ARIN,
            "numPosts",
            "11",
            "twitter",
            "phatduckk",
            "email",
            "arin@example.com",
            "bio",
            "plays the guitar"),
        Write.columns(
            AUTHORS,
            OTHER_AUTHOR,
            "numPosts",
            "1",
            "twitter",
            "author2",
            "email",
            "author2@example.com",
            "bio",
            "likes to be scared"));
  }

  /** How many posts there are. */
  static int postCount() {
    return POSTS.size();
  }

  /** A post with the lists that it belongs to: one batch, and a column in the row of each tag. */
  static List<Write> post(int index) {
    Post post = POSTS.get(index);
    List<Write> writes = new ArrayList<>();
    writes.add(
        Write.columns(
            ENTRIES,
            post.slug(),
            "title",
            post.title(),
            "body",
            post.body(),
            "author",
            post.author(),
            "tags",
            post.tags(),
            "pubDate",
            String.valueOf(post.pubDate()),
            "slug",
            post.slug()));
    ByteString name = TimeUuids.at(post.pubDate(), index);
    writes.add(Write.column(TAGGED, EVERY_POST, name, post.slug()));
    for (String tag : post.tags().split(",", -1)) {
      writes.add(Write.column(TAGGED, tag, name, post.slug()));
    }
    return writes;
  }

  static List<Write> comments() {
    List<Write> writes = new ArrayList<>();
    for (Comment comment : ALL_COMMENTS) {
      writes.add(
          Write.superColumn(
              COMMENTS,
              comment.slug(),
              TimeUuids.at(comment.commentTime(), writes.size()),
              "commenter",
              comment.commenter(),
              "email",
              comment.email(),
              "comment",
              comment.text(),
              "commentTime",
              String.valueOf(comment.commentTime())));
    }
    return writes;
  }
}
