package dev.colonnade.cli.shell.grammar;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.colonnade.cli.shell.statement.Position;
import dev.colonnade.cli.shell.statement.Statement;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Errors name the place and what would be right there. */
final class SyntaxExceptionTest {

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      textBlock =
          """
          gte A['k']                     | 1  | found 'gte'; expected another word; did you mean get?
          frobnicate A                   | 1  | found 'frobnicate'; expected another word
          select * from A                | 1  | the statement here is get; see: help get
          incr A['k']['c'] by 1          | 1  | there are no counters here
          get A where c = 5              | 7  | there are no secondary indexes; keep a family whose keys are the values that you look up
          get A                          | 6  | the statement ends here; expected '.' or '['
          get A['k'                      | 10 | the statement ends here; expected ']'
          get A['k', 'l']                | 10 | only one key can stand here; multiget and touch take several
          get A[k][a][b][c]              | 15 | too many brackets: after a key come at most a super column and one of its columns
          get A[k] form a                | 10 | found 'form'; expected '[', from, after, to, before, since, reversed, limit, as or ';'; did you mean from?
          get A[k] limit x               | 16 | found 'x'; expected a number
          get A[k] limit -1              | 16 | limit is a whole number from 0 to 2147483647
          get A[k] limit 99999999999999999999 | 16 | limit is a whole number from 0 to 2147483647
          get A[k] from a after b        | 17 | after cannot stand here: it was given already
          get A[john.smith]              | 7  | a word has letters, digits, _ and - only; put this in quotes
          get A[long5(3)]                | 7  | found 'long5'; expected bytes, ascii, utf8, long, integer, lexicaluuid, timeuuid, int, double, boolean or instant; did you mean long?
          get A[0xabc]                   | 7  | bytes have two hexadecimal digits each; one is missing here
          get A[0xag]                    | 10 | 'g' is not a hexadecimal digit
          get A['k]                      | 7  | this quote has no end; close it with '
          get A['a\\q']                  | 9  | this escape is not known; there are \\n \\t \\r \\b \\f \\\\ \\' \\" \\uXXXX
          get A['\\u12']                 | 8  | four hexadecimal digits must follow \\u
          get A /* x                     | 7  | this comment has no end; close it with */
          set A[k] = 5                   | 10 | found '='; expected '[' or ['column']
          set A[k][c] = 5 with ttl = 5s  | 28 | found '5s'; expected a number
          set A[k][c] = 5 with foo = 5   | 22 | found 'foo'; expected ttl or timestamp
          list A[k]                      | 9  | expected ':' after the first key; for one row: get; for several: multiget
          assume A keys utf8             | 15 | found 'utf8'; expected as
          assume A validater as utf8     | 10 | found 'validater'; expected '.', comparator, sub_comparator, validator or keys; did you mean validator?
          consistencylevel as QUORM      | 21 | found 'QUORM'; expected ZERO, ANY, ONE, TWO, THREE, QUORUM, LOCAL_QUORUM, EACH_QUORUM or ALL; did you mean QUORUM?
          create column A                | 15 | found 'A'; expected family
          create table A                 | 8  | found 'table'; expected keyspace or column family
          create keyspace K with replication_facter = 1 | 24 | found 'replication_facter'; expected strategy_class, replication_factor, strategy_options, durable_writes or force; did you mean replication_factor?
          create keyspace K with durable_writes = true and durable_writes = false | 50 | durable_writes is set twice
          create column family A with column_metadata = [] | 29 | leave column_metadata out: columns have no indexes here; for their types there is column_value_types = {NAME: TYPE, ...}
          use K user 'pw'                | 7  | a user and a password do not stand here; leave them out, and say login NAME
          connect localhost              | 9  | expected host/port, as in: connect localhost/9160
          connect localhost/99999        | 9  | expected host/port, as in: connect localhost/9160
          drop index on A.c              | 6  | there are no secondary indexes
          show config file               | 6  | a node's configuration is not shown to clients; the schema is: show schema
          show schemas                   | 6  | found 'schemas'; expected keyspaces, cluster, api or schema; did you mean schema?
          stats maybe                    | 7  | found 'maybe'; expected on or off
          exit now                       | 6  | found 'now'; expected ';'
          end                            | 1  | there is no batch to end; a batch begins with batch;
          help 'get'                     | 6  | found 'get'; expected a word to explain
          """)
  void tellsWhatWouldBeRight(String text, int column, String problem) {
    SyntaxException e =
        assertThrows(SyntaxException.class, () -> StatementReader.parseAll(text), text);

    assertEquals(problem, e.problem());
    assertEquals(new Position(1, column), e.position());
    assertEquals("line 1, column " + column + ": " + problem, e.getMessage());
    assertEquals(text + "\n" + " ".repeat(column - 1) + "^", e.near());
  }

  @Test
  void placeIsCountedFromTheBeginOfTheScript() {
    StatementReader reader = new StatementReader("use K;\n\n  use L;\tgte A;");

    SyntaxException e = assertThrows(SyntaxException.class, () -> drain(reader));

    assertEquals(new Position(3, 10), e.position());
    assertEquals("  use L; gte A\n         ^", e.near());
  }

  @Test
  void longLineIsShownAroundThePlace() {
    String text = "multiget A[" + "'abc', ".repeat(100) + "=" + ", 'abc'".repeat(100) + "]";

    SyntaxException e = assertThrows(SyntaxException.class, () -> StatementReader.parseAll(text));

    String[] near = e.near().split("\n");
    assertTrue(near[0].length() <= 100, near[0]);
    assertEquals('=', near[0].charAt(near[1].indexOf('^')));
  }

  private static void drain(StatementReader reader) throws SyntaxException {
    Optional<Statement> next = reader.next();
    while (next.isPresent()) {
      next = reader.next();
    }
  }
}
