package dev.colonnade.cli.demo.basics;

import dev.colonnade.cli.demo.story.Guide;
import dev.colonnade.cli.demo.story.Walkthrough;
import dev.colonnade.client.KeyspaceDefinition;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** A user's two tags, which need not have the same columns. */
public final class TagsWalkthrough implements Walkthrough {

  private static final String KEYSPACE = "Bookmarks";
  private static final String USER = "mccv";

  /** For the list of walkthroughs. */
  public TagsWalkthrough() {}

  @Override
  public String name() {
    return "tags";
  }

  @Override
  public String title() {
    return "Tags: super columns are sparse, too";
  }

  @Override
  public KeyspaceDefinition keyspace() {
    return KeyspaceDefinition.named(KEYSPACE).with(Tags.definition());
  }

  @Override
  public void run(Guide guide) {
    Tags tags = new Tags(guide.client().keyspace(KEYSPACE));
    bookmark(guide, tags, "thrift", "jira", "http://issues.apache.org/jira/browse/THRIFT");
    bookmark(guide, tags, "cassandra", "jira", "http://issues.apache.org/jira/browse/CASSANDRA");
    bookmark(guide, tags, "cassandra", "incubator", "http://incubator.apache.org/cassandra/");

    Map<String, Map<String, String>> all =
        guide.ask("get Tags['mccv'];", () -> tags.bookmarks(USER));
    Map<String, String> cassandra = new LinkedHashMap<>();
    cassandra.put("incubator", "http://incubator.apache.org/cassandra/");
    cassandra.put("jira", "http://issues.apache.org/jira/browse/CASSANDRA");
    guide.check(
        "a row is a map of super columns, each with columns of its own",
        "cassandra=incubator | jira, thrift=jira",
        names(all));
    guide.check(
        "one tag is read without the others",
        cassandra,
        guide.ask("get Tags['mccv']['cassandra'];", () -> tags.bookmarks(USER, "cassandra")));
    guide.check(
        "a tag that was never used has no bookmarks",
        Map.of(),
        guide.ask("get Tags['mccv']['hadoop'];", () -> tags.bookmarks(USER, "hadoop")));
  }

  private static Map<String, List<String>> names(Map<String, Map<String, String>> bookmarks) {
    Map<String, List<String>> names = new LinkedHashMap<>();
    bookmarks.forEach((tag, entries) -> names.put(tag, List.copyOf(entries.keySet())));
    return names;
  }

  private static void bookmark(Guide guide, Tags tags, String tag, String name, String address) {
    guide.tell(
        "set Tags['mccv']['%s']['%s'] = '%s';".formatted(tag, name, address),
        () -> tags.bookmark(USER, tag, name, address));
  }
}
