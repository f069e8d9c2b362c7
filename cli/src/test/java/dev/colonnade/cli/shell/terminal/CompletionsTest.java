package dev.colonnade.cli.shell.terminal;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.colonnade.cli.shell.grammar.Vocabulary;
import dev.colonnade.cli.shell.help.Manual;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The cursor stands at the end of each text. */
final class CompletionsTest {

  private final RecentKeys recentKeys = new RecentKeys();
  private final Completions completions = new Completions(new Blogs(), recentKeys, Manual.load());

  private static final class Blogs implements Names {
    @Override
    public Optional<String> keyspace() {
      return Optional.of("BloggyAppy");
    }

    @Override
    public List<String> keyspaces() {
      return List.of("BloggyAppy", "Twissandra", "system");
    }

    @Override
    public List<String> families(String keyspace) {
      return switch (keyspace) {
        case "BloggyAppy" -> List.of("Authors", "Comments");
        case "Twissandra" -> List.of("User", "Tweet", "it's new");
        default -> List.of();
      };
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "`` | get",
        "get Authors['a']; | set",
        "/* a remark */ | get",
        "use | Twissandra",
        "get | Authors[",
        "GET | Authors[",
        "get | Twissandra.",
        "get Twissandra. | User[",
        "get Twissandra. | 'it\\'s new'[",
        "list | Authors",
        "list Twissandra. | Tweet",
        "truncate | Comments",
        "flush | Comments",
        "get Authors[ | utf8(",
        "get Authors['a'] | reversed",
        "get Authors['a'] | as",
        "get Authors['a'] as | long",
        "get Authors['a'] from | timeuuid(",
        "get Authors['a'] from 'x' | to",
        "count Authors['a'] | limit",
        "list Authors limit 5 | columns",
        "set Authors['a']['b'] | =",
        "set Authors['a']['b'] = | long(",
        "set Authors['a']['b'] = 'x' | with",
        "set Authors['a']['b'] = 'x' with | ttl",
        "set Authors['a']['b'] = 'x' with ttl = 5 and | timestamp",
        "del Authors['a'] | from",
        "del Authors['a'] with | timestamp",
        "multiget Authors['a', | utf8(",
        "assume | Authors",
        "assume Authors | keys",
        "assume Authors keys | as",
        "assume Authors keys as | utf8",
        "consistencylevel | as",
        "consistencylevel as | QUORUM",
        "create | column family",
        "create column | family",
        "create column family X | with",
        "create column family X with | comparator",
        "create column family X with comparator = | TimeUUIDType",
        "create column family X with compare_with = | TimeUUIDType",
        "create column family X with column_type = Super | and",
        "create column family X with column_type = Super and | subcomparator",
        "create keyspace X with | replication_factor",
        "update column family | Authors",
        "update keyspace | Twissandra",
        "update keyspace Twissandra with durable_writes = | false",
        "drop column family | Comments",
        "drop keyspace | Twissandra",
        "describe | cluster",
        "describe | Authors",
        "describe | Twissandra",
        "describe keyspace | Twissandra",
        "describe column family | Authors",
        "show | schema",
        "show cluster | name",
        "show schema | Twissandra",
        "stats | on",
        "output | json",
        "help | create column family",
        "help create | column family"
      })
  void suggestsWhatCanStandThere(String typed, String expected) {
    String withBlank = typed.isEmpty() || typed.endsWith("[") ? typed : typed + " ";
    assertTrue(at(withBlank).contains(expected), () -> at(withBlank).toString());
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "get Authors['a'] limit ",
        "create column family ",
        "drop keyspace X ",
        "exit ",
        "set Authors['a']['b'] = 'x' with ttl = ",
        "nonsense ",
        "use Twissandra "
      })
  void suggestsNothingWhereNothingIsKnown(String typed) {
    assertEquals(Set.of(), at(typed));
  }

  @Test
  void clauseIsNotSuggestedTwice() {
    assertFalse(at("get Authors['a'] reversed ").contains("reversed"));
    assertFalse(
        at("create column family X with comparator = UTF8Type and ").contains("comparator"));
  }

  @Test
  void everyVerbIsSuggested() {
    assertEquals(new TreeSet<>(Vocabulary.verbs()), at(""));
  }

  @Test
  void keysThatWereTypedAreSuggestedForTheirFamilyTheLastFirst() {
    recentKeys.note("get Authors['alice']; set Authors['bob']['x'] = 'y'; get Comments['slug'];");

    assertEquals(List.of("bob", "alice"), recentKeys.of("Authors"));
    assertTrue(at("get Authors[").contains("'alice']"), () -> at("get Authors[").toString());
    assertFalse(at("get Authors[").contains("'slug']"));
    assertFalse(at("get Authors['bob'][").contains("'alice']"), "a name is no key");
  }

  @Test
  void wordAtTheCursorIsWhatIsCompleted() {
    assertEquals("Auth", typed("get Auth").word());
    assertEquals("", typed("get ").word());
    assertEquals("'ali", typed("get Authors['ali").word());
    assertEquals("", typed("get Authors['alice'").word());
    assertEquals("long", typed("set Authors['a']['b'] = long").word());
  }

  @Test
  void nothingIsSuggestedInsideAComment() {
    assertTrue(typed("get -- Auth").inComment());
    assertTrue(typed("get /* Auth").inComment());
    assertFalse(typed("get /* all */ Auth").inComment());
  }

  private Set<String> at(String typed) {
    return completions.behind(typed(typed).before()).stream()
        .map(Suggestion::text)
        .map(text -> text.replaceFirst(" = $", ""))
        .collect(Collectors.toCollection(TreeSet::new));
  }

  private static TypedLine typed(String text) {
    return new TypedLine(text, text.length());
  }
}
