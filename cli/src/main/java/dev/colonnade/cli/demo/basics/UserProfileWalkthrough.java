package dev.colonnade.cli.demo.basics;

import dev.colonnade.cli.demo.story.Guide;
import dev.colonnade.cli.demo.story.Walkthrough;
import dev.colonnade.client.KeyspaceDefinition;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/** Two users with different properties, and two rows of very different lengths. */
public final class UserProfileWalkthrough implements Walkthrough {

  private static final String KEYSPACE = "UserProfile";
  private static final int MANY = 1989;

  private static final Map<String, String> PHATDUCKK =
      new TreeMap<>(
          Map.of(
              "username", "phatduckk",
              "email", "phatduckk@example.com",
              "phone", "(900) 976-6666"));

  private static final Map<String, String> IEURE =
      new TreeMap<>(
          Map.of(
              "username", "ieure",
              "email", "ieure@example.com",
              "phone", "(888) 555-1212",
              "age", "66",
              "gender", "undecided"));

  /** For the list of walkthroughs. */
  public UserProfileWalkthrough() {}

  @Override
  public String name() {
    return "user-profile";
  }

  @Override
  public String title() {
    return "UserProfile: rows as objects, without a list of columns";
  }

  @Override
  public KeyspaceDefinition keyspace() {
    return KeyspaceDefinition.named(KEYSPACE).with(UserProfiles.definition());
  }

  @Override
  public void run(Guide guide) {
    UserProfiles profiles = new UserProfiles(guide.client().keyspace(KEYSPACE));
    save(guide, profiles, "phatduckk", PHATDUCKK);
    save(guide, profiles, "ieure", IEURE);

    List<String> users = List.of("phatduckk", "ieure", "nobody");
    Map<String, Map<String, String>> found =
        guide.ask("profiles.of(" + String.join(", ", users) + ")", () -> profiles.of(users));
    guide.check("phatduckk has three columns", PHATDUCKK, found.get("phatduckk"));
    guide.check("ieure has two more, age and gender", IEURE, found.get("ieure"));
    guide.check(
        "a row that was never written is empty, not an error", Map.of(), found.get("nobody"));
    guide.check(
        "a column that one row has and the other has not",
        List.of(Optional.of("66"), Optional.empty()),
        List.of(
            guide.ask("get UserProfile['ieure']['age'];", () -> profiles.property("ieure", "age")),
            guide.ask(
                "get UserProfile['phatduckk']['age'];",
                () -> profiles.property("phatduckk", "age"))));

    guide.say("One row may have " + MANY + " columns and its neighbour two:");
    Map<String, String> many = new TreeMap<>();
    for (int i = 1; i <= MANY; i++) {
      many.put("column-" + i, String.valueOf(i));
    }
    guide.tell(
        "profiles.save(wide, column-1 to column-" + MANY + ")", () -> profiles.save("wide", many));
    guide.tell(
        "profiles.save(narrow, foo, bar)",
        () -> profiles.save("narrow", Map.of("foo", "1", "bar", "2")));
    long wide = guide.ask("count UserProfile['wide'];", () -> profiles.size("wide"));
    long narrow = guide.ask("count UserProfile['narrow'];", () -> profiles.size("narrow"));
    guide.check(
        "each row has the columns that were written to it",
        List.of((long) MANY, 2L),
        List.of(wide, narrow));
  }

  private static void save(
      Guide guide, UserProfiles profiles, String user, Map<String, String> properties) {
    properties.forEach(
        (name, value) ->
            guide.tell(
                "set UserProfile['%s']['%s'] = '%s';".formatted(user, name, value),
                () -> profiles.save(user, Map.of(name, value))));
  }
}
