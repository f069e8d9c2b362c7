package dev.colonnade.cli.demo.basics;

import dev.colonnade.cli.demo.story.Guide;
import dev.colonnade.cli.demo.story.Walkthrough;
import dev.colonnade.client.KeyspaceDefinition;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/** One key in two families: the data is found together, but is independent. */
public final class UsersStatsWalkthrough implements Walkthrough {

  private static final String KEYSPACE = "UsersAndStats";
  private static final String MCCV = "mccv";

  /** For the list of walkthroughs. */
  public UsersStatsWalkthrough() {}

  @Override
  public String name() {
    return "users-stats";
  }

  @Override
  public String title() {
    return "Users and Stats: the same key in two families";
  }

  @Override
  public KeyspaceDefinition keyspace() {
    return UsersAndStats.definition(KEYSPACE);
  }

  @Override
  public void run(Guide guide) {
    UsersAndStats application = new UsersAndStats(guide.client().keyspace(KEYSPACE));
    set(guide, application, MCCV, "emailAddress", "foo@bar.com");
    set(guide, application, MCCV, "webSite", "http://bar.com");
    set(guide, application, "user2", "emailAddress", "user2@bar.com");
    set(guide, application, "user2", "twitter", "user2");
    guide.tell("set Stats['mccv']['visits'] = long(243);", () -> application.visits(MCCV, 243));

    Map<String, String> mccv = new LinkedHashMap<>();
    mccv.put("emailAddress", "foo@bar.com");
    mccv.put("webSite", "http://bar.com");
    guide.check(
        "mccv has an address and a site",
        mccv,
        guide.ask("get Users['mccv'];", () -> application.user(MCCV)));
    guide.check(
        "user2 has twitter instead of a site",
        "emailAddress=user2@bar.com, twitter=user2",
        guide.ask("get Users['user2'];", () -> application.user("user2")));
    guide.check(
        "243 visits are counted under the same key",
        Optional.of(243L),
        guide.ask("get Stats['mccv']['visits'] as long;", () -> application.visits(MCCV)));

    guide.say("The families do not know of one another: what goes in one stays in the other.");
    guide.tell("del Users['mccv'];", () -> application.remove(MCCV));
    guide.check(
        "the user is gone",
        Map.of(),
        guide.ask("get Users['mccv'];", () -> application.user(MCCV)));
    guide.check(
        "the visits are not",
        Optional.of(243L),
        guide.ask("get Stats['mccv']['visits'] as long;", () -> application.visits(MCCV)));
  }

  private static void set(
      Guide guide, UsersAndStats application, String user, String property, String value) {
    guide.tell(
        "set Users['%s']['%s'] = '%s';".formatted(user, property, value),
        () -> application.set(user, property, value));
  }
}
