package dev.colonnade.cli.shell.grammar;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assertions.fail;

import dev.colonnade.cli.shell.statement.Position;
import dev.colonnade.cli.shell.statement.Statement;
import java.lang.reflect.RecordComponent;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/** What holds for all statements and all texts. */
final class StatementPropertiesTest {

  private static final int STATEMENTS = 3000;
  private static final int TEXTS = 5000;

  private static final List<String> PIECES =
      List.of(
          "get",
          "set",
          "batch",
          "end",
          "list",
          "create",
          "column",
          "family",
          "with",
          "=",
          "[",
          "]",
          "'",
          "\"",
          "\\",
          ";",
          "\n",
          "--",
          "/*",
          "*/",
          "(",
          ")",
          "{",
          "}",
          ":",
          ",",
          ".",
          "0x",
          "0x1",
          "-",
          "5",
          "1.5e",
          "A",
          "limit",
          "é",
          "\uD83D\uDE00",
          "\uD800",
          "\u0000",
          "?",
          "from",
          "timeuuid",
          "connect",
          "source",
          "/",
          "comment",
          "and",
          "\r",
          "\t");

  @Test
  void whatIsPrintedReadsAsTheSame() throws ReflectiveOperationException {
    long seed = new Random().nextLong();
    RandomStatements statements = new RandomStatements(new Random(seed));
    for (int i = 0; i < STATEMENTS; i++) {
      Statement statement = statements.next();
      String text = Statements.print(statement);
      try {
        List<Statement> read = StatementReader.parseAll(text);
        assertEquals(List.of(statement), withoutPlaces(read), () -> "seed " + seed + ": " + text);
      } catch (SyntaxException e) {
        fail("seed " + seed + ": " + text + "\n" + e.getMessage(), e);
      }
      assertEquals(Completeness.COMPLETE, StatementReader.completeness(text), text);
    }
  }

  @Test
  void everyKindOfStatementIsAmongTheRandomOnes() {
    Set<String> missing = new TreeSet<>();
    addKinds(Statement.class, missing);
    assertTrue(missing.contains("Get") && missing.contains("Put"), missing::toString);
    RandomStatements statements = new RandomStatements(new Random(1));
    for (int i = 0; i < STATEMENTS; i++) {
      missing.remove(statements.next().getClass().getSimpleName());
    }
    assertEquals(Set.of(), missing, "RandomStatements never makes these");
  }

  private static void addKinds(Class<?> type, Set<String> kinds) {
    if (type.isRecord()) {
      kinds.add(type.getSimpleName());
    } else {
      for (Class<?> permitted : type.getPermittedSubclasses()) {
        addKinds(permitted, kinds);
      }
    }
  }

  @Test
  void anyTextIsReadToItsEndOrRefused() {
    long seed = new Random().nextLong();
    Random random = new Random(seed);
    for (int i = 0; i < TEXTS; i++) {
      StringBuilder text = new StringBuilder();
      for (int n = random.nextInt(30); n > 0; n--) {
        text.append(PIECES.get(random.nextInt(PIECES.size())));
        text.append(random.nextBoolean() ? " " : "");
      }
      readAll(text.toString(), "seed " + seed + ": " + text);
    }
  }

  @Test
  void anyStatementCutOrChangedIsReadToItsEndOrRefused() {
    long seed = new Random().nextLong();
    Random random = new Random(seed);
    RandomStatements statements = new RandomStatements(random);
    for (int i = 0; i < TEXTS; i++) {
      StringBuilder text = new StringBuilder(Statements.print(statements.next()));
      int at = random.nextInt(text.length());
      switch (random.nextInt(3)) {
        case 0 -> text.setLength(at);
        case 1 -> text.deleteCharAt(at);
        default -> text.insert(at, PIECES.get(random.nextInt(PIECES.size())));
      }
      readAll(text.toString(), "seed " + seed + ": " + text);
    }
  }

  private static void readAll(String text, String what) {
    StatementReader reader = new StatementReader(text);
    Completeness unused = StatementReader.completeness(text);
    for (int i = 0; ; i++) {
      assertTrue(i <= text.length() + 1, what);
      try {
        Optional<Statement> next = reader.next();
        if (next.isEmpty()) {
          return;
        }
        assertTrue(next.get().position().line() >= 1, what);
      } catch (SyntaxException e) {
        assertEquals(2, e.near().split("\n", -1).length, what);
        assertTrue(e.near().endsWith("^"), what);
      } catch (RuntimeException e) {
        fail(what, e);
      }
    }
  }

  private static List<Object> withoutPlaces(List<?> values) throws ReflectiveOperationException {
    List<Object> result = new ArrayList<>();
    for (Object value : values) {
      result.add(withoutPlaces(value));
    }
    return result;
  }

  private static Object withoutPlaces(Object value) throws ReflectiveOperationException {
    if (value instanceof Position) {
      return RandomStatements.HERE;
    } else if (value instanceof List<?> list) {
      return withoutPlaces(list);
    } else if (value instanceof Optional<?> optional) {
      return optional.isPresent() ? Optional.of(withoutPlaces(optional.get())) : value;
    } else if (!value.getClass().isRecord()) {
      return value;
    }
    RecordComponent[] components = value.getClass().getRecordComponents();
    Class<?>[] types = new Class<?>[components.length];
    Object[] parts = new Object[components.length];
    for (int i = 0; i < components.length; i++) {
      types[i] = components[i].getType();
      parts[i] = withoutPlaces(components[i].getAccessor().invoke(value));
    }
    return value.getClass().getDeclaredConstructor(types).newInstance(parts);
  }
}
