package dev.colonnade.cli.shell.help;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.colonnade.cli.shell.grammar.StatementReader;
import dev.colonnade.cli.shell.grammar.SyntaxException;
import dev.colonnade.cli.shell.grammar.Vocabulary;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

final class ManualTest {

  private static final int TERMINAL_WIDTH = 80;

  private final Manual manual = Manual.load();

  @Test
  void everyPageHasASummaryATextAndAnExample() {
    for (Topic topic : manual.topics()) {
      assertFalse(topic.summary().isEmpty(), topic.name());
      assertFalse(topic.group().isEmpty(), topic.name());
      assertFalse(topic.examples().isEmpty(), topic.name());
      assertTrue(topic.text().contains("Examples:\n  "), topic.name());
    }
  }

  @Test
  void everyVerbHasAPage() {
    for (String verb : Vocabulary.verbs()) {
      boolean partOfAnother = verb.equals("end") || verb.equals("quit");
      assertTrue(
          partOfAnother
              || manual.topics().stream()
                  .anyMatch(topic -> (topic.name() + " ").startsWith(verb + " ")),
          verb);
    }
  }

  @Test
  void everyExampleIsAStatementOfItsPage() throws SyntaxException {
    for (Topic topic : manual.topics()) {
      for (String example : topic.examples()) {
        assertEquals(1, StatementReader.parseAll(example).size(), example);
        assertTrue(example.startsWith(topic.name()) || topic.name().equals("values"), example);
      }
    }
  }

  @Test
  void attributesOfKeyspacesAndTypesOfValuesAreAllExplained() {
    String keyspace = manual.topic("create keyspace").orElseThrow().text();
    for (Vocabulary.Setting setting : Vocabulary.KEYSPACE_SETTINGS) {
      assertTrue(
          keyspace.contains(setting.name())
              || setting.aliases().stream().anyMatch(keyspace::contains),
          setting.name());
    }
    String values = manual.topic("values").orElseThrow().text();
    Vocabulary.TYPES.forEach(type -> assertTrue(values.contains(type + "("), type));
  }

  @Test
  void overviewNamesEveryPage() {
    String overview = manual.answer("").orElseThrow();
    for (Topic topic : manual.topics()) {
      assertTrue(overview.contains("  " + topic.name() + " "), topic.name());
    }
  }

  @Test
  void nothingIsWiderThanATerminal() {
    Set<String> texts = new HashSet<>(List.of(manual.answer("").orElseThrow()));
    manual.topics().forEach(topic -> texts.add(topic.page()));
    for (String text : texts) {
      text.lines().forEach(line -> assertTrue(line.length() <= TERMINAL_WIDTH, line));
    }
  }

  @Test
  void pagesAreFoundInAnyCaseAndWithAnyBlanks() {
    assertEquals(manual.answer("create column family"), manual.answer("Create  COLUMN family "));
  }

  @Test
  void beginningOfOneNameIsEnoughAndOfSeveralListsThem() {
    assertEquals(manual.answer("consistencylevel"), manual.answer("consis"));
    String several = manual.answer("create").orElseThrow();
    assertTrue(several.contains("create keyspace"), several);
    assertTrue(several.contains("create column family"), several);
    assertFalse(several.contains("drop"), several);
  }

  @Test
  void whatNoPageIsCalledHasNoAnswer() {
    assertTrue(manual.answer("increment").isEmpty());
  }

  @Test
  void batchIsOneExampleAlthoughItHasSeveralSemicolons() {
    List<String> examples = manual.topic("batch").orElseThrow().examples();
    assertEquals(1, examples.size(), examples.toString());
    assertTrue(examples.get(0).endsWith("end;"), examples.get(0));
  }
}
