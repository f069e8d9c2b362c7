package dev.colonnade.it.demo;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.colonnade.cli.demo.blog.Author;
import dev.colonnade.cli.demo.blog.Blog;
import dev.colonnade.cli.demo.blog.BlogSample;
import dev.colonnade.cli.demo.blog.Comment;
import dev.colonnade.cli.demo.blog.Page;
import dev.colonnade.cli.demo.blog.Post;
import dev.colonnade.client.ColumnFamily;
import dev.colonnade.client.ColumnFamilyDefinition;
import dev.colonnade.client.Cursor;
import dev.colonnade.client.KeyRange;
import dev.colonnade.client.Keyspace;
import dev.colonnade.client.KeyspaceDefinition;
import dev.colonnade.client.Serializers;
import dev.colonnade.client.Slice;
import dev.colonnade.server.node.Node;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Random;
import java.util.UUID;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/** The article's requirements for the blog, one by one, on the article's schema. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
final class BloggyAppyIT {

  private static final String KEYSPACE = "BloggyAppy";
  private static final Instant MOMENT = Instant.ofEpochSecond(1_250_558_004);
  private static final long SEED = 20_090_901;

  private final ExampleNode node;
  private final Keyspace keyspace;
  private final Blog blog;

  BloggyAppyIT(@TempDir Path folder) throws Exception {
    Path xml = folder.resolve("bloggyappy.xml");
    try (InputStream example =
        Node.class.getResourceAsStream("/dev/colonnade/server/examples/bloggyappy.xml")) {
      Files.copy(Objects.requireNonNull(example), xml);
    }
    node = ExampleNode.in(folder.resolve("data"), xml);
    keyspace = node.client().keyspace(KEYSPACE);
    blog = new Blog(keyspace);
  }

  @BeforeEach
  void empty() {
    for (String family : List.of("Authors", "BlogEntries", "TaggedPosts", "Comments")) {
      keyspace
          .columnFamily(family, Serializers.BYTES, Serializers.BYTES, Serializers.BYTES)
          .truncate();
    }
  }

  @AfterAll
  void stop() {
    node.close();
  }

  @Test
  void theApplicationNeedsTheFourFamiliesOfTheStorageConf() {
    assertEquals(
        described(Blog.definition(KEYSPACE)), described(node.client().schema().keyspace(KEYSPACE)));
  }

  @Test
  void requirement1ThereIsOneBlogAndAllItsPostsAreOneList() {
    BlogSample.newestFirst().forEach(blog::publish);
    assertEquals(12, blog.count(Blog.EVERY_POST));
    assertEquals(12, keys("BlogEntries").size());
  }

  @Test
  void requirement2ThereAreSeveralAuthors() {
    blog.save(BlogSample.ARIN);
    blog.save(BlogSample.OTHER);
    assertEquals(Optional.of(BlogSample.ARIN), blog.author("Arin Sarkissian"));
    assertEquals(Optional.of(BlogSample.OTHER), blog.author("Author 2"));
    assertEquals(Optional.empty(), blog.author("Author 3"));
    blog.save(new Author("Author 2", Map.of("bio", "changed")));
    assertEquals("changed", blog.author("Author 2").orElseThrow().profile().get("bio"));
    assertEquals("author2", blog.author("Author 2").orElseThrow().profile().get("twitter"));
  }

  @Test
  void requirement3APostHasATitleABodyASlugAndADate() {
    Post post = new Post("slug", "A title", "A body,\nof two lines", "Me", MOMENT, List.of("a"));
    blog.publish(post);
    assertEquals(Optional.of(post), blog.post("slug"));
    assertEquals(Optional.empty(), blog.post("other"));
  }

  @Test
  void requirement4APostHasAnyNumberOfTags() {
    for (int tags : new int[] {0, 1, 3, 50}) {
      List<String> names = IntStream.range(0, tags).mapToObj(i -> "tag " + i).toList();
      Post post = new Post("with-" + tags, "", "", "Me", MOMENT, names);
      blog.publish(post);
      assertEquals(Optional.of(post), blog.post(post.slug()));
    }
    assertEquals(3, blog.count("tag 0"));
    assertEquals(2, blog.count("tag 2"));
    assertEquals(1, blog.count("tag 49"));
    assertEquals(4, blog.count(Blog.EVERY_POST));
    assertThrows(
        IllegalArgumentException.class,
        () -> new Post("slug", "", "", "Me", MOMENT, List.of("one,two")));
  }

  @Test
  void requirement5ReadersCommentWithoutSigningUp() {
    blog.comment("slug", new Comment("Joe Blow", "joeb@example.com", "One.", MOMENT));
    blog.comment(
        "slug", new Comment("Joe Blow", "other@example.com", "Two.", MOMENT.plusSeconds(1)));
    assertEquals(
        List.of("joeb@example.com", "other@example.com"),
        blog.comments("slug").stream().map(Comment::email).toList());
    assertEquals(List.of(), keys("Authors"));
  }

  @Test
  void requirement6ACommentHasATextATimeAndAName() {
    List<Comment> oldestFirst = new ArrayList<>();
    for (int i = 0; i < 20; i++) {
      oldestFirst.add(new Comment("Reader " + i, "", "Text " + i, MOMENT.plusSeconds(i)));
    }
    shuffled(oldestFirst).forEach(comment -> blog.comment("slug", comment));
    assertEquals(oldestFirst, blog.comments("slug"));
    assertEquals(List.of(oldestFirst.get(19), oldestFirst.get(18)), blog.newestComments("slug", 2));
  }

  @Test
  void commentsOfTheSameSecondAreAllKept() {
    Comment comment = new Comment("Joe Blow", "joeb@example.com", "Twice.", MOMENT);
    blog.comment("slug", comment);
    blog.comment("slug", comment);
    assertEquals(List.of(comment, comment), blog.comments("slug"));
  }

  @Test
  void requirement7AllPostsAreShownTheNewestFirst() {
    List<Post> newestFirst = BlogSample.newestFirst();
    shuffled(newestFirst).forEach(blog::publish);
    assertEquals(newestFirst.subList(0, 10), posts(blog.frontPage(10)));
    for (int limit = 1; limit <= newestFirst.size() + 1; limit++) {
      assertEquals(newestFirst, all(Blog.EVERY_POST, limit), "in pages of " + limit);
    }
  }

  @Test
  void requirement8PostsOfATagAreShownTheNewestFirst() {
    shuffled(BlogSample.newestFirst()).forEach(blog::publish);
    assertEquals(
        List.of(BlogSample.ANOTHER_GUITAR, BlogSample.GUITAR), posts(blog.tagPage("guitar", 10)));
    assertEquals(List.of(BlogSample.SCREAM), posts(blog.tagPage("movie", 10)));
    assertEquals(List.of(), posts(blog.tagPage("cooking", 10)));
    assertEquals(7, all("music", 3).size());
  }

  @Test
  void theFrontPageCostsThreeCalls() {
    blog.save(BlogSample.ARIN);
    blog.save(BlogSample.OTHER);
    BlogSample.newestFirst().forEach(blog::publish);
    int before = node.calls().total();
    Page page = blog.frontPage(10);
    assertEquals(List.of("GetSlice", "MultigetSlice", "MultigetSlice"), node.calls().since(before));
    assertEquals(
        List.of(BlogSample.OTHER, BlogSample.ARIN),
        page.entries().stream().map(Page.Entry::author).distinct().toList());
  }

  @Test
  void postsOfTheSameSecondAreAllListed() {
    for (int i = 0; i < 30; i++) {
      blog.publish(new Post("post-" + i, "", "", "Me", MOMENT, List.of()));
    }
    assertEquals(30, all(Blog.EVERY_POST, 7).stream().map(Post::slug).distinct().count());
  }

  @Test
  void publishingAgainIsNotASecondPost() {
    blog.publish(BlogSample.GUITAR);
    blog.publish(BlogSample.GUITAR);
    assertEquals(List.of(BlogSample.GUITAR), posts(blog.frontPage(10)));
  }

  @Test
  void theSameNameTwiceInARowIsOneColumnAsInTheArticlesText() {
    ColumnFamily<String, UUID, String> tagged =
        keyspace.columnFamily(
            "TaggedPosts", Serializers.UTF8, Serializers.TIME_UUID, Serializers.UTF8);
    UUID name = node.client().timeUuids().now();
    tagged.insert("__notag__", name, "another-cool-guitar");
    tagged.insert("__notag__", name, "scream-is-the-best-movie-ever");
    assertEquals(
        List.of("scream-is-the-best-movie-ever"),
        tagged.slice("__notag__", Slice.all()).stream().map(column -> column.value()).toList());
  }

  private List<Post> all(String tag, int limit) {
    List<Post> found = new ArrayList<>();
    Optional<UUID> from = Optional.empty();
    do {
      Page page = blog.page(tag, limit, from);
      found.addAll(posts(page));
      from = page.older();
    } while (from.isPresent() && found.size() < 1000);
    return found;
  }

  private static List<Post> posts(Page page) {
    return page.entries().stream().map(Page.Entry::post).toList();
  }

  private List<String> keys(String family) {
    try (Cursor<String> keys =
        keyspace
            .columnFamily(family, Serializers.UTF8, Serializers.UTF8, Serializers.UTF8)
            .keys(KeyRange.all())) {
      return keys.stream().toList();
    }
  }

  private static <T> List<T> shuffled(List<T> list) {
    List<T> copy = new ArrayList<>(list);
    Collections.shuffle(copy, new Random(SEED));
    return copy;
  }

  private static List<String> described(KeyspaceDefinition keyspace) {
    return keyspace.columnFamilies().stream().map(BloggyAppyIT::described).sorted().toList();
  }

  private static String described(ColumnFamilyDefinition family) {
    return family.name() + " " + family.compareWith() + " " + family.compareSubcolumnsWith();
  }
}
