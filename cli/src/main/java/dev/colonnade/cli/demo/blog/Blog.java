package dev.colonnade.cli.demo.blog;

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
import dev.colonnade.client.SuperColumn;
import dev.colonnade.client.SuperColumnFamily;
import dev.colonnade.client.TimeUuids;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.UUID;

/**
 * One blog of many authors, in four families that are made for its pages: lists are kept sorted
 * when posts are written, so that a page is a slice and two look-ups, however old the blog is.
 * Thread-safe.
 */
public final class Blog {

  /** The tag that every post has besides its own, so that all posts are a list like any other. */
  public static final String EVERY_POST = "__notag__";

  private static final String AUTHORS = "Authors";
  private static final String ENTRIES = "BlogEntries";
  private static final String TAGGED = "TaggedPosts";
  private static final String COMMENTS = "Comments";

  /** The bits of a UUID that say of which kind it is, in its lower half. */
  private static final long VARIANT = 0x8000_0000_0000_0000L;

  private final Keyspace keyspace;
  private final ColumnFamily<String, String, String> authors;
  private final ColumnFamily<String, String, String> entries;
  private final ColumnFamily<String, UUID, String> tagged;
  private final SuperColumnFamily<String, UUID, String, String> comments;

  /** The blog in a keyspace like {@link #definition}. */
  public Blog(Keyspace keyspace) {
    this.keyspace = keyspace;
    authors = keyspace.columnFamily(AUTHORS, Serializers.UTF8, Serializers.UTF8, Serializers.UTF8);
    entries = keyspace.columnFamily(ENTRIES, Serializers.UTF8, Serializers.UTF8, Serializers.UTF8);
    tagged =
        keyspace.columnFamily(TAGGED, Serializers.UTF8, Serializers.TIME_UUID, Serializers.UTF8);
    comments =
        keyspace.superColumnFamily(
            COMMENTS, Serializers.UTF8, Serializers.TIME_UUID, Serializers.UTF8, Serializers.UTF8);
  }

  /** The families that this application needs. */
  public static KeyspaceDefinition definition(String keyspace) {
    return KeyspaceDefinition.named(keyspace)
        .with(ColumnFamilyDefinition.standard(AUTHORS, Comparators.BYTES))
        .with(ColumnFamilyDefinition.standard(ENTRIES, Comparators.BYTES))
        .with(ColumnFamilyDefinition.standard(TAGGED, Comparators.TIME_UUID))
        .with(
            ColumnFamilyDefinition.superFamily(COMMENTS, Comparators.TIME_UUID, Comparators.BYTES));
  }

  /** Adds an author, or changes the author's profile. */
  public void save(Author author) {
    authors.insertAll(author.name(), author.profile());
  }

  /** An author by name; empty if there is none. */
  public Optional<Author> author(String name) {
    Map<String, String> profile = map(authors.slice(name, Slice.all()));
    return profile.isEmpty() ? Optional.empty() : Optional.of(new Author(name, profile));
  }

  /**
   * Writes a post, and enters it into the lists of all posts and of each of its tags: one call. A
   * post that is published again with the same time takes its old place in the lists; it is not
   * taken out of the lists of tags that it had.
   */
  public void publish(Post post) {
    Batch batch = keyspace.batch();
    columns(post).forEach((name, value) -> batch.insert(entries, post.slug(), name, value));
    byte[] slug = post.slug().getBytes(StandardCharsets.UTF_8);
    UUID place = place(post.published(), UUID.nameUUIDFromBytes(slug).getLeastSignificantBits());
    batch.insert(tagged, EVERY_POST, place, post.slug());
    post.tags().forEach(tag -> batch.insert(tagged, tag, place, post.slug()));
    batch.apply();
  }

  /** A post by its slug; empty if there is none. */
  public Optional<Post> post(String slug) {
    Map<String, String> columns = map(entries.slice(slug, Slice.all()));
    return columns.isEmpty() ? Optional.empty() : Optional.of(post(columns));
  }

  /** The newest posts of all, with their authors: three calls. */
  public Page frontPage(int limit) {
    return page(EVERY_POST, limit, Optional.empty());
  }

  /** The newest posts with a tag, with their authors: three calls. */
  public Page tagPage(String tag, int limit) {
    return page(tag, limit, Optional.empty());
  }

  /**
   * Some posts of a list, the newest first: a slice of the list, a look-up of its posts, and one of
   * their authors.
   *
   * @param tag {@link #EVERY_POST} for all posts
   * @param limit at least 1
   * @param from {@link Page#older} of the page before; empty for the first page
   */
  public Page page(String tag, int limit, Optional<UUID> from) {
    // One more than the page has: it says whether there is another page, and where that begins.
    Slice<UUID> newest = from.map(Slice::from).orElse(Slice.all());
    List<Column<UUID, String>> list =
        tagged.slice(tag, newest.reversed().limit(Math.addExact(limit, 1)));
    List<Column<UUID, String>> shown = list.subList(0, Math.min(limit, list.size()));
    List<Post> posts = posts(shown.stream().map(Column::value).toList());
    Map<String, Author> byName = authors(posts.stream().map(Post::author).distinct().toList());
    List<Page.Entry> found = new ArrayList<>();
    for (Post post : posts) {
      Author unknown = new Author(post.author(), Map.of());
      found.add(new Page.Entry(post, byName.getOrDefault(post.author(), unknown)));
    }
    return new Page(
        found, list.size() > limit ? Optional.of(list.get(limit).name()) : Optional.empty());
  }

  /** How many posts have a tag. */
  public long count(String tag) {
    return tagged.count(tag, Slice.all());
  }

  /** Leaves a comment under a post. */
  public void comment(String slug, Comment comment) {
    UUID place = place(comment.written(), new SplittableRandom().nextLong());
    comments.insert(
        slug,
        new SuperColumn<>(
            place,
            List.of(
                Column.of("commenter", comment.commenter()),
                Column.of("email", comment.email()),
                Column.of("comment", comment.text()),
                Column.of("commentTime", seconds(comment.written())))));
  }

  /** All comments on a post, the oldest first. */
  public List<Comment> comments(String slug) {
    return comments.slice(slug, Slice.all()).stream().map(Blog::comment).toList();
  }

  /** The newest comments on a post, up to a limit, the newest first. */
  public List<Comment> newestComments(String slug, int limit) {
    return comments.slice(slug, Slice.last(limit)).stream().map(Blog::comment).toList();
  }

  private List<Post> posts(List<String> slugs) {
    List<Post> posts = new ArrayList<>();
    if (!slugs.isEmpty()) {
      for (Row<String, Column<String, String>> row : entries.multiget(slugs, Slice.all())) {
        // A list may know a post that was deleted: nothing ties the families together.
        if (!row.entries().isEmpty()) {
          posts.add(post(map(row.entries())));
        }
      }
    }
    return posts;
  }

  private Map<String, Author> authors(Collection<String> names) {
    Map<String, Author> found = new HashMap<>();
    if (!names.isEmpty()) {
      authors
          .multiget(names, Slice.all())
          .forEach(row -> found.put(row.key(), new Author(row.key(), map(row.entries()))));
    }
    return found;
  }

  /**
   * A position in a list: a name that is a time. The rest of the UUID distinguishes events of the
   * same time; two columns with one name would be one column.
   */
  private static UUID place(Instant moment, long rest) {
    return new UUID(
        TimeUuids.firstOf(moment).getMostSignificantBits(), VARIANT | (rest & (-1L >>> 2)));
  }

  private static Map<String, String> columns(Post post) {
    return Map.of(
        "title", post.title(),
        "body", post.body(),
        "author", post.author(),
        "tags", String.join(",", post.tags()),
        "pubDate", seconds(post.published()),
        "slug", post.slug());
  }

  private static Post post(Map<String, String> columns) {
    String tags = columns.getOrDefault("tags", "");
    return new Post(
        columns.getOrDefault("slug", ""),
        columns.getOrDefault("title", ""),
        columns.getOrDefault("body", ""),
        columns.getOrDefault("author", ""),
        moment(columns.getOrDefault("pubDate", "0")),
        tags.isEmpty() ? List.of() : List.of(tags.split(",", -1)));
  }

  private static Comment comment(SuperColumn<UUID, String, String> found) {
    Map<String, String> columns = map(found.columns());
    return new Comment(
        columns.getOrDefault("commenter", ""),
        columns.getOrDefault("email", ""),
        columns.getOrDefault("comment", ""),
        moment(columns.getOrDefault("commentTime", "0")));
  }

  private static Map<String, String> map(List<Column<String, String>> columns) {
    Map<String, String> map = new LinkedHashMap<>();
    columns.forEach(column -> map.put(column.name(), column.value()));
    return map;
  }

  private static String seconds(Instant moment) {
    return String.valueOf(moment.getEpochSecond());
  }

  private static Instant moment(String seconds) {
    return Instant.ofEpochSecond(Long.parseLong(seconds));
  }
}
