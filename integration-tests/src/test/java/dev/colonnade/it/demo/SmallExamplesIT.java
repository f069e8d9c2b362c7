package dev.colonnade.it.demo;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import dev.colonnade.cli.demo.basics.Address;
import dev.colonnade.cli.demo.basics.AddressBook;
import dev.colonnade.cli.demo.basics.Tags;
import dev.colonnade.cli.demo.basics.UserProfiles;
import dev.colonnade.cli.demo.basics.UsersAndStats;
import dev.colonnade.client.KeyspaceDefinition;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/** The examples of one or two families. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
final class SmallExamplesIT {

  private static final Address JOHN = new Address("Howard street", "94404", "FC", "CA");

  private final ExampleNode node;

  SmallExamplesIT(@TempDir Path folder) throws Exception {
    node = ExampleNode.in(folder);
  }

  @AfterAll
  void stop() {
    node.close();
  }

  @Test
  void profilesNeedNotHaveTheSameColumns() {
    UserProfiles profiles =
        new UserProfiles(
            node.create(KeyspaceDefinition.named("Profiles").with(UserProfiles.definition())));
    profiles.save("phatduckk", Map.of("email", "phatduckk@example.com"));
    profiles.save("ieure", Map.of("email", "ieure@example.com", "age", "66"));
    profiles.save("ieure", Map.of("gender", "undecided"));
    Map<String, Map<String, String>> found = profiles.of(List.of("ieure", "phatduckk"));
    assertEquals(Map.of("email", "phatduckk@example.com"), found.get("phatduckk"));
    assertEquals(
        Map.of("email", "ieure@example.com", "age", "66", "gender", "undecided"),
        found.get("ieure"));
    assertNull(found.get("nobody"));
    assertEquals(Optional.empty(), profiles.property("phatduckk", "age"));
    assertEquals(3, profiles.size("ieure"));
  }

  @Test
  void friendsAreFoundOneBySliceAndByCountAndStruckOut() {
    AddressBook books =
        new AddressBook(
            node.create(KeyspaceDefinition.named("Books").with(AddressBook.definition())));
    for (String friend : List.of("friend1", "John", "Kim", "Tod", "Bob")) {
      books.put("phatduckk", friend, JOHN);
    }
    assertEquals(
        List.of("Bob", "John", "Kim", "Tod", "friend1"),
        List.copyOf(books.friends("phatduckk").keySet()));
    assertEquals(List.of("Kim", "Tod"), List.copyOf(books.friends("phatduckk", "K", 2).keySet()));
    assertEquals(Optional.of(JOHN), books.find("phatduckk", "John"));
    assertEquals(Optional.of("FC"), books.city("phatduckk", "John"));
    books.put("phatduckk", "John", new Address("Other street", "94404", "FC", "CA"));
    assertEquals("Other street", books.find("phatduckk", "John").orElseThrow().street());
    books.remove("phatduckk", "John");
    assertEquals(Optional.empty(), books.find("phatduckk", "John"));
    assertEquals(Optional.empty(), books.city("phatduckk", "John"));
    assertEquals(4, books.count("phatduckk"));
    assertEquals(0, books.count("ieure"));
  }

  @Test
  void oneKeyInTwoFamiliesIsTwoRows() {
    UsersAndStats application =
        new UsersAndStats(node.create(UsersAndStats.definition("UsersAndStats")));
    application.set("mccv", "emailAddress", "foo@bar.com");
    application.visits("mccv", 243);
    application.remove("mccv");
    assertEquals(Map.of(), application.user("mccv"));
    assertEquals(Optional.of(243L), application.visits("mccv"));
    assertEquals(Optional.empty(), application.visits("user2"));
  }

  @Test
  void tagsHaveTheirOwnBookmarks() {
    Tags tags = new Tags(node.create(KeyspaceDefinition.named("Tags").with(Tags.definition())));
    tags.bookmark("mccv", "thrift", "jira", "one");
    tags.bookmark("mccv", "cassandra", "jira", "two");
    tags.bookmark("mccv", "cassandra", "incubator", "three");
    assertEquals(
        "{cassandra={incubator=three, jira=two}, thrift={jira=one}}",
        tags.bookmarks("mccv").toString());
    assertEquals(Map.of("jira", "one"), tags.bookmarks("mccv", "thrift"));
    assertEquals(Map.of(), tags.bookmarks("mccv", "hadoop"));
  }
}
