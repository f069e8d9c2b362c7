package dev.colonnade.cli.demo.blog;

import dev.colonnade.cli.demo.story.Drawing;
import dev.colonnade.cli.demo.story.Guide;
import dev.colonnade.cli.demo.story.Walkthrough;
import dev.colonnade.client.ColumnFamilyDefinition;
import dev.colonnade.client.KeyspaceDefinition;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

/** The article's list of what a blog must be able to do, requirement by requirement. */
public final class BloggyAppyWalkthrough implements Walkthrough {

  private static final String KEYSPACE = "BloggyAppy";
  private static final int POSTS_ON_A_PAGE = 10;
  private static final List<String> CALLS_FOR_A_PAGE =
      List.of("GetSlice", "MultigetSlice", "MultigetSlice");

  /** For the list of walkthroughs. */
  public BloggyAppyWalkthrough() {}

  @Override
  public String name() {
    return "bloggyappy";
  }

  @Override
  public String title() {
    return "BloggyAppy: a blog in four column families";
  }

  @Override
  public KeyspaceDefinition keyspace() {
    return Blog.definition(KEYSPACE);
  }

  @Override
  public void run(Guide guide) {
    Blog blog = new Blog(guide.client().keyspace(KEYSPACE));
    oneBlog(guide);
    severalAuthors(guide, blog);
    posts(guide, blog);
    comments(guide, blog);
    frontPage(guide, blog);
    pagesOfTags(guide, blog);
  }

  private static void oneBlog(Guide guide) {
    guide.say("In the article's storage-conf.xml the blog is");
    guide.show(
        List.of(
            "<Keyspace Name=\"BloggyAppy\">",
            "  <ColumnFamily CompareWith=\"BytesType\" Name=\"Authors\"/>",
            "  <ColumnFamily CompareWith=\"BytesType\" Name=\"BlogEntries\"/>",
            "  <ColumnFamily CompareWith=\"TimeUUIDType\" Name=\"TaggedPosts\"/>",
            "  <ColumnFamily CompareWith=\"TimeUUIDType\" Name=\"Comments\"",
            "      CompareSubcolumnsWith=\"BytesType\" ColumnType=\"Super\"/>",
            "</Keyspace>"));
    KeyspaceDefinition found =
        guide.ask(
            "describe keyspace BloggyAppy;",
            () -> guide.client().schema().keyspace(KEYSPACE),
            keyspace ->
                keyspace.columnFamilies().stream().map(BloggyAppyWalkthrough::described).toList());
    guide.check(
        "1. one blog: a keyspace of these four families",
        "Authors BytesType | BlogEntries BytesType | Comments TimeUUIDType of BytesType"
            + " | TaggedPosts TimeUUIDType",
        found.columnFamilies().stream()
            .map(BloggyAppyWalkthrough::described)
            .sorted()
            .collect(Collectors.joining(" | ")));
  }

  private static void severalAuthors(Guide guide, Blog blog) {
    for (Author author : List.of(BlogSample.ARIN, BlogSample.OTHER)) {
      guide.tell("blog.save(" + Drawing.inOneLine(drawn(author)) + ")", () -> blog.save(author));
    }
    List<Optional<Author>> found = new ArrayList<>();
    for (Author author : List.of(BlogSample.ARIN, BlogSample.OTHER)) {
      found.add(
          guide.ask(
              "get Authors['" + author.name() + "'];",
              () -> blog.author(author.name()),
              answer -> answer.map(BloggyAppyWalkthrough::drawn)));
    }
    guide.check(
        "2. several authors: a row for each, with the full name as its key",
        List.of(Optional.of(BlogSample.ARIN), Optional.of(BlogSample.OTHER)),
        found);
  }

  private static void posts(Guide guide, Blog blog) {
    guide.say("A post is written in one batch: its row, and a column in the row of each tag.");
    List<Post> unsorted = new ArrayList<>(BlogSample.newestFirst());
    Collections.rotate(unsorted, unsorted.size() / 2);
    for (Post post : unsorted) {
      guide.tell(
          "blog.publish(%s, %s)".formatted(post.slug(), post.tags()), () -> blog.publish(post));
    }
    Optional<Post> guitar =
        guide.ask(
            "get BlogEntries['i-got-a-new-guitar'];",
            () -> blog.post(BlogSample.GUITAR.slug()),
            answer -> answer.map(BloggyAppyWalkthrough::drawn));
    guide.check(
        "3. a post has a title, a body, a slug and a date", Optional.of(BlogSample.GUITAR), guitar);
    Map<String, Long> counts = new LinkedHashMap<>();
    for (String tag : List.of(Blog.EVERY_POST, "life", "guitar", "music", "movie", "horror")) {
      counts.put(tag, guide.ask("count TaggedPosts['" + tag + "'];", () -> blog.count(tag)));
    }
    guide.check(
        "4. any number of tags: three, two, one or none; a post of three is in four rows",
        "__notag__=12, life=1, guitar=2, music=7, movie=1, horror=1",
        counts);
  }

  private static void comments(Guide guide, Blog blog) {
    String scream = BlogSample.SCREAM.slug();
    guide.say("Comments are super columns, named by their time, written in any order:");
    for (Comment comment : BlogSample.ON_SCREAM) {
      guide.tell(
          "blog.comment(%s, %s)".formatted(scream, Drawing.inOneLine(drawn(comment))),
          () -> blog.comment(scream, comment));
    }
    guide.tell(
        "blog.comment(%s, %s)"
            .formatted(BlogSample.GUITAR.slug(), Drawing.inOneLine(drawn(BlogSample.ON_GUITAR))),
        () -> blog.comment(BlogSample.GUITAR.slug(), BlogSample.ON_GUITAR));
    List<Comment> found =
        guide.ask(
            "get Comments['" + scream + "'];",
            () -> blog.comments(scream),
            BloggyAppyWalkthrough::drawn);
    guide.check(
        "5. anybody comments without signing up, and says each time who it is",
        "Joe Blow joeb@example.com, no author | Some Dude sd@example.com, no author",
        found.stream()
            .map(
                comment ->
                    "%s %s, %s"
                        .formatted(
                            comment.commenter(),
                            comment.email(),
                            blog.author(comment.commenter()).isPresent()
                                ? "an author"
                                : "no author"))
            .toList());
    guide.check(
        "6. a comment has a text, a time and a name; the oldest comes first",
        List.of(BlogSample.ON_SCREAM.get(1), BlogSample.ON_SCREAM.get(0)),
        found);
    guide.check(
        "   or the newest, in a slice from the other end",
        List.of(BlogSample.ON_SCREAM.get(0)),
        guide.ask(
            "get Comments['" + scream + "'] reversed limit 1;",
            () -> blog.newestComments(scream, 1),
            BloggyAppyWalkthrough::drawn));
  }

  private static void frontPage(Guide guide, Blog blog) {
    guide.say("The front page takes the article's eight steps: the last ten of __notag__, their");
    guide.say("posts, the authors of these; then the tags are split at the commas.");
    int before = guide.calls().total();
    Page page = blog.frontPage(POSTS_ON_A_PAGE);
    List<String> calls = guide.calls().since(before);
    guide.tell("blog.frontPage(10)", () -> guide.show(shown(page)));
    List<Post> all = BlogSample.newestFirst();
    guide.check(
        "7. all posts, the newest first: ten on the front page",
        all.subList(0, POSTS_ON_A_PAGE),
        page.entries().stream().map(Page.Entry::post).toList());
    guide.check(
        "   each with what is known of its author",
        "author2 phatduckk",
        page.entries().stream()
            .map(entry -> entry.author().profile().getOrDefault("twitter", ""))
            .distinct()
            .collect(Collectors.joining(" ")));
    guide.check("   for three calls: " + String.join(", ", calls), CALLS_FOR_A_PAGE, calls);
    Page next = blog.page(Blog.EVERY_POST, POSTS_ON_A_PAGE, page.older());
    guide.tell("blog.page(__notag__, 10, page.older())", () -> guide.show(shown(next)));
    guide.check(
        "   the next page goes on where it ended, and is the last one",
        all.subList(POSTS_ON_A_PAGE, all.size()),
        next.older().isPresent()
            ? List.of()
            : next.entries().stream().map(Page.Entry::post).toList());
  }

  private static void pagesOfTags(Guide guide, Blog blog) {
    Map<String, List<Post>> expected = new LinkedHashMap<>();
    expected.put("guitar", List.of(BlogSample.ANOTHER_GUITAR, BlogSample.GUITAR));
    expected.put("movie", List.of(BlogSample.SCREAM));
    expected.forEach(
        (tag, posts) -> {
          int before = guide.calls().total();
          Page page = blog.tagPage(tag, POSTS_ON_A_PAGE);
          List<String> calls = guide.calls().since(before);
          guide.tell("blog.tagPage(" + tag + ", 10)", () -> guide.show(shown(page)));
          guide.check(
              "8. posts with the tag " + tag + ", the newest first",
              posts,
              page.entries().stream().map(Page.Entry::post).toList());
          guide.check("   for three calls again", CALLS_FOR_A_PAGE, calls);
        });
  }

  private static String described(ColumnFamilyDefinition family) {
    return family.name()
        + " "
        + family.compareWith()
        + family.compareSubcolumnsWith().map(inner -> " of " + inner).orElse("");
  }

  /** A page as its reader sees it. */
  private static List<String> shown(Page page) {
    List<String> lines = new ArrayList<>();
    for (Page.Entry entry : page.entries()) {
      Post post = entry.post();
      lines.add(post.title());
      lines.add(
          "  by %s (@%s), %s%s"
              .formatted(
                  post.author(),
                  entry.author().profile().getOrDefault("twitter", "?"),
                  post.published(),
                  post.tags().stream().map(tag -> " [" + tag + "]").collect(Collectors.joining())));
    }
    return lines;
  }

  private static Map<String, Object> drawn(Author author) {
    Map<String, Object> drawing = new LinkedHashMap<>();
    for (String name : List.of("numPosts", "twitter", "email", "bio")) {
      drawing.put(name, author.profile().getOrDefault(name, ""));
    }
    return Map.of(author.name(), drawing);
  }

  private static Map<String, Object> drawn(Post post) {
    Map<String, Object> drawing = new LinkedHashMap<>();
    drawing.put("title", post.title());
    drawing.put("body", post.body());
    drawing.put("author", post.author());
    drawing.put("tags", String.join(",", post.tags()));
    drawing.put("pubDate", post.published().getEpochSecond());
    drawing.put("slug", post.slug());
    return drawing;
  }

  /** By the moments that the names of the super columns hold. */
  private static Map<String, Object> drawn(List<Comment> comments) {
    Map<String, Object> drawing = new LinkedHashMap<>();
    comments.forEach(comment -> drawing.put(comment.written().toString(), drawn(comment)));
    return drawing;
  }

  private static Map<String, Object> drawn(Comment comment) {
    Map<String, Object> drawing = new LinkedHashMap<>();
    drawing.put("commenter", comment.commenter());
    drawing.put("email", comment.email());
    drawing.put("comment", comment.text());
    drawing.put("commentTime", comment.written().getEpochSecond());
    return drawing;
  }
}
