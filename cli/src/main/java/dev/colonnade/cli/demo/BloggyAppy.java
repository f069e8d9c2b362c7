package dev.colonnade.cli.demo;

import dev.colonnade.admin.v1.ColumnFamilyDef;
import dev.colonnade.v1.Column;
import dev.colonnade.v1.SuperColumn;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * The blog: its lists are kept sorted when posts are written, so that each of its pages is a slice
 * and a look-up or two. The keyspace may be there already, from a {@code storage-conf.xml}.
 */
final class BloggyAppy implements Scenario {

  private static final int POSTS_ON_A_PAGE = 10;

  @Override
  public String title() {
    return "BloggyAppy: a blog in four column families";
  }

  @Override
  public List<Check> run(Calls calls) {
    Promises promises = new Promises(calls.narration());
    defineSchema(calls, promises);
    fill(calls, promises);
    frontPage(calls, promises);
    pageOfATag(calls, promises);
    comments(calls, promises);
    return promises.made();
  }

  private static void defineSchema(Calls calls, Promises promises) {
    if (calls.hasKeyspace(Blog.KEYSPACE)) {
      calls.narration().say("The keyspace is there already, from the article's storage-conf.xml:");
    } else {
      calls.createKeyspace(Blog.KEYSPACE, Blog.FAMILIES);
    }
    List<ColumnFamilyDef> found = calls.describeKeyspace(Blog.KEYSPACE);
    promises.check(
        "the families are those of the article",
        Blog.FAMILIES.stream().map(Family::described).sorted().collect(Collectors.joining("; ")),
        found.stream().map(Family::described).sorted().collect(Collectors.joining("; ")));
  }

  private static void fill(Calls calls, Promises promises) {
    calls.narration().say("Two authors, three posts with their tags, three comments:");
    calls.write(Blog.authors());
    for (int i = 0; i < Blog.postCount(); i++) {
      calls.write(Blog.post(i));
    }
    calls.write(Blog.comments());

    promises.check(
        "an author is found by name, with all columns",
        "bio=plays the guitar, email=arin@example.com, numPosts=11, twitter=phatduckk",
        Layout.pairs(calls.slice(Blog.AUTHORS, Blog.ARIN)));
    promises.check(
        "a post with three tags is one column in each of four rows",
        "__notag__=3 life=1 guitar=2 music=1 movie=1 horror=1",
        calls.counts(
            Blog.TAGGED, List.of(Blog.EVERY_POST, "life", "guitar", "music", "movie", "horror")));
  }

  private static void frontPage(Calls calls, Promises promises) {
    calls.narration().say("The front page: the last ten posts of all, the newest first:");
    int before = calls.count();
    List<String> page = page(calls, Blog.EVERY_POST);
    calls.narration().lines(shown(page));
    promises.check(
        "the front page has every post, the newest first, with author and tags",
        "Scream is the best movie ever, by Author 2 (@author2) [movie] [horror]"
            + " | Another cool guitar, by Arin Sarkissian (@phatduckk) [guitar]"
            + " | This is a blog entry about my new, awesome guitar,"
            + " by Arin Sarkissian (@phatduckk) [life] [guitar] [music]",
        String.join(" | ", page));
    promises.check(
        "it took three calls", "GetSlice, MultigetSlice, MultigetSlice", calls.madeSince(before));
  }

  private static void pageOfATag(Calls calls, Promises promises) {
    calls.narration().say("The page of the tag guitar, made in the same way:");
    int before = calls.count();
    List<String> page = page(calls, "guitar");
    calls.narration().lines(shown(page));
    promises.check(
        "it has both guitars and no movie, the newest first",
        "Another cool guitar, by Arin Sarkissian (@phatduckk) [guitar]"
            + " | This is a blog entry about my new, awesome guitar,"
            + " by Arin Sarkissian (@phatduckk) [life] [guitar] [music]",
        String.join(" | ", page));
    promises.check(
        "it took three calls", "GetSlice, MultigetSlice, MultigetSlice", calls.madeSince(before));
  }

  /** The article's eight steps: the list, its posts, their authors, and the tags split. */
  private static List<String> page(Calls calls, String tag) {
    List<String> slugs =
        calls.last(Blog.TAGGED, tag, POSTS_ON_A_PAGE).stream()
            .map(column -> Layout.text(column.getValue()))
            .toList();
    Map<String, List<Column>> posts = calls.multiget(Blog.ENTRIES, slugs);
    LinkedHashSet<String> names = new LinkedHashSet<>();
    posts.values().forEach(post -> names.add(Layout.value(post, "author")));
    Map<String, List<Column>> authors = calls.multiget(Blog.AUTHORS, List.copyOf(names));

    List<String> lines = new ArrayList<>();
    for (List<Column> post : posts.values()) {
      String author = Layout.value(post, "author");
      String twitter = Layout.value(authors.getOrDefault(author, List.of()), "twitter");
      String tags =
          List.of(Layout.value(post, "tags").split(",", -1)).stream()
              .map(each -> "[" + each + "]")
              .collect(Collectors.joining(" "));
      lines.add(Layout.value(post, "title") + ", by " + author + " (@" + twitter + ") " + tags);
    }
    return lines;
  }

  /** A post on two lines, the page set off from the answers above it. */
  private static List<String> shown(List<String> page) {
    List<String> lines = new ArrayList<>(List.of(""));
    for (String post : page) {
      int byline = post.lastIndexOf(", by ");
      lines.add(post.substring(0, byline));
      lines.add("  " + post.substring(byline + 2));
    }
    lines.add("");
    return lines;
  }

  private static void comments(Calls calls, Promises promises) {
    String slug = "scream-is-the-best-movie-ever";
    calls.narration().say("All comments on a post; their names are times, so they come in order:");
    promises.check(
        "the oldest comment comes first",
        "2009-08-16 15:53:24 Joe Blow | 2009-08-18 00:56:44 Some Dude",
        commenters(calls.superColumns(Blog.COMMENTS, slug)));
    promises.check(
        "or, reversed, the newest",
        "2009-08-18 00:56:44 Some Dude | 2009-08-16 15:53:24 Joe Blow",
        commenters(calls.lastSuperColumns(Blog.COMMENTS, slug, POSTS_ON_A_PAGE)));
  }

  private static String commenters(List<SuperColumn> comments) {
    return comments.stream()
        .map(
            comment ->
                NameForm.TIME.show(comment.getName())
                    + " "
                    + Layout.value(comment.getColumnsList(), "commenter"))
        .collect(Collectors.joining(" | "));
  }
}
