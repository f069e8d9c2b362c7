package dev.colonnade.cli.shell.grammar;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.colonnade.cli.shell.statement.Attribute;
import dev.colonnade.cli.shell.statement.Literal;
import dev.colonnade.cli.shell.statement.Position;
import dev.colonnade.cli.shell.statement.Statement;
import java.io.IOException;
import java.io.Reader;
import java.io.StringReader;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Many statements in a row. */
final class ScriptTest {

  @Test
  void statementsEndWithSemicolonsAndComeWithTheirPlaces() throws SyntaxException {
    List<Statement> statements = StatementReader.parseAll("use K; use\n L;;\r\n\t;use M");

    assertEquals(
        List.of(
            new Statement.Use(new Position(1, 1), "K"),
            new Statement.Use(new Position(1, 8), "L"),
            new Statement.Use(new Position(3, 3), "M")),
        statements);
  }

  @Test
  void semicolonInQuotesOrCommentsEndsNothing() throws SyntaxException {
    assertEquals(
        List.of("get A['a;b']['it\\'s; \"'];", "use K;"),
        printed("get A['a;b'][\"it's; \\\"\"] -- one; two\n; /* use L; ' */ use K;"));
  }

  @Test
  void linesOfTheOldShellNeedNoSemicolons() throws SyntaxException {
    assertEquals(
        List.of("use K;", "set A[k][c] = 5;", "get A[k] limit 3;", "describe keyspace;", "help;"),
        printed("use K\nset A[k][c] = 5\n\nget A[k]\n  limit 3 -- clause\ndescribe\n?\n"));
  }

  @Test
  void twoStatementsOnOneLineNeedOne() {
    assertThrows(SyntaxException.class, () -> StatementReader.parseAll("truncate A truncate B"));
  }

  @Test
  void markBeforeTextOfSomeEditorsIsNothing() throws SyntaxException {
    assertEquals(List.of("use K;"), printed("\uFEFFuse K;"));
  }

  @Test
  void afterAnErrorReadingGoesOnBehindTheSemicolon() throws SyntaxException {
    StatementReader reader = new StatementReader("use K; bad 'a;b' ; use L; get A[0xz]; use M");

    assertEquals(List.of("use K;", "!1:8", "use L;", "!1:35", "use M;"), all(reader));
  }

  @Test
  void batchIsOneStatement() throws SyntaxException {
    Statement statement =
        StatementReader.parseAll("batch;\n set A[k][c] = 5;\n del K.A[k]\n end;").get(0);

    Statement.Batch batch = assertInstanceOf(Statement.Batch.class, statement);
    assertInstanceOf(Statement.Put.class, batch.changes().get(0));
    assertInstanceOf(Statement.Delete.class, batch.changes().get(1));
    assertEquals("batch;\n  set A[k][c] = 5;\n  del K.A[k];\nend;", Statements.print(batch));
    assertEquals(List.of("batch;\nend;"), printed("BATCH\nEND"));
  }

  @Test
  void noPartOfAWrongBatchIsReadAsAStatement() throws SyntaxException {
    assertEquals(
        List.of("!2:1", "use K;"),
        all(new StatementReader("batch;\nget A[k];\ndel A[a]; set A[b][c] = 1; end; use K;")));
    assertEquals(
        List.of("!2:5", "use K;"),
        all(new StatementReader("batch;\ndel +;\ndel A['\nend\n']; end; use K;")));
    assertEquals(
        List.of("!2:5", "use K;"), all(new StatementReader("batch\ndel +\ndel A[b]\nend; use K;")));
    assertEquals(List.of("!1:1"), all(new StatementReader("batch; del A[k];")));
    assertEquals(List.of("!1:12", "use K;"), all(new StatementReader("batch; end oh; use K;")));
  }

  @Test
  void tooLongStatementIsLeftBehindWithoutBeingKept() throws SyntaxException {
    String text = "use K; set A[k][c] = '" + "x".repeat(200) + "'; use L;";

    assertEquals(
        List.of("use K;", "!1:7", "use L;"), all(new StatementReader(new StringReader(text), 100)));
  }

  @Test
  void tooLongBatchIsLeftBehind() throws SyntaxException {
    String text = "use K; batch; " + "del A['0123456789'];".repeat(20) + "end; use L;";

    assertEquals(
        List.of("use K;", "!1:8", "use L;"), all(new StatementReader(new StringReader(text), 100)));
  }

  @Test
  void statementIsThereBeforeTheNextIsRead() throws SyntaxException {
    StatementReader reader = new StatementReader(new BreakingReader("use K;"));

    assertEquals("use K;", Statements.print(reader.next().orElseThrow()));
    assertThrows(UncheckedIOException.class, reader::next);
  }

  @Test
  void literalsKeepWhatWasWritten() throws SyntaxException {
    Statement.Multiget get =
        (Statement.Multiget)
            StatementReader.parseAll("multiget A[a, 'b\\u00e9', -07, 0xCa, UTF8(\"x\"), 1e5]")
                .get(0);

    assertEquals(
        List.of(
            new Literal.Text(new Position(1, 12), "a", false),
            new Literal.Text(new Position(1, 15), "bé", true),
            new Literal.Numeral(new Position(1, 26), "-07"),
            new Literal.Hex(new Position(1, 31), "Ca"),
            new Literal.Typed(
                new Position(1, 37),
                "utf8",
                Optional.of(new Literal.Text(new Position(1, 42), "x", true))),
            new Literal.Numeral(new Position(1, 48), "1e5")),
        get.keys());
  }

  @Test
  void attributesOfBothGenerationsAreRead() throws SyntaxException {
    Statement.DefineKeyspace first =
        (Statement.DefineKeyspace)
            StatementReader.parseAll(
                    "create keyspace K with placement_strategy ="
                        + " 'org.apache.cassandra.locator.SimpleStrategy' and Strategy_Options ="
                        + " [{DC1:2, 'DC 2':\"1\"}] and replication_factor=3")
                .get(0);
    Statement.DefineFamily second =
        (Statement.DefineFamily)
            StatementReader.parseAll(
                    "create column family A with column_type='Super' and compare_with=UTF8Type"
                        + " and rows_cached = 10% and gc_grace_seconds = 5 and comment = 'it is'")
                .get(0);

    assertEquals(
        Map.of(
            "strategy_class", "org.apache.cassandra.locator.SimpleStrategy",
            "strategy_options", "{DC1: 2, 'DC 2': 1}",
            "replication_factor", "3"),
        values(first.attributes()));
    assertEquals(Map.of("DC1", "2", "DC 2", "1"), first.attributes().get(1).options());
    assertEquals(
        Map.of(
            "column_type", "Super",
            "comparator", "UTF8Type",
            "rows_cached", "10%",
            "gc_grace", "5",
            "comment", "it is"),
        values(second.attributes()));
  }

  private static Map<String, String> values(List<Attribute> attributes) {
    Map<String, String> values = new HashMap<>();
    attributes.forEach(attribute -> values.put(attribute.name(), attribute.value()));
    return values;
  }

  private static List<String> printed(String text) throws SyntaxException {
    return StatementReader.parseAll(text).stream().map(Statements::print).toList();
  }

  /** Statements as text, and the places of errors. */
  private static List<String> all(StatementReader reader) {
    List<String> all = new ArrayList<>();
    while (true) {
      try {
        Optional<Statement> next = reader.next();
        if (next.isEmpty()) {
          return all;
        }
        all.add(Statements.print(next.get()));
      } catch (SyntaxException e) {
        all.add("!" + e.position().line() + ":" + e.position().column());
        assertTrue(all.size() < 100, all::toString);
      }
    }
  }

  /** Breaks where a text ends. */
  private static final class BreakingReader extends Reader {

    private final StringReader text;

    BreakingReader(String text) {
      this.text = new StringReader(text);
    }

    @Override
    public int read(char[] buffer, int offset, int length) throws IOException {
      int read = text.read(buffer, offset, length);
      if (read < 0) {
        throw new IOException("broken");
      }
      return read;
    }

    @Override
    public void close() {
      text.close();
    }
  }
}
