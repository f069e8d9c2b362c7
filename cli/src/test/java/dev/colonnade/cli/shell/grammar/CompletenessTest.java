package dev.colonnade.cli.shell.grammar;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** When a terminal asks for another line. */
final class CompletenessTest {

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "  \n",
        "-- nothing",
        "/* nothing */",
        "get A[k];",
        "get A[k];  -- done",
        "use K; use L;",
        "help",
        "help get",
        "?",
        "? get",
        "EXIT",
        "quit",
        "use K",
        " use K ",
        "use K;help",
        "batch; del A[k]; end;",
        "batch; oops; end;",
        "nonsense;"
      })
  void canBeRun(String text) {
    assertEquals(Completeness.COMPLETE, StatementReader.completeness(text));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "get A[k]", "get A['k", "get A[\"k';", "use K; get", "/* use K;", "get A[k] -- ;",
        "batch;", "batch; del A[k];", "batch; del A[k]; end", "use\nK", "nonsense", "use 'K",
        "get A['k\\';"
      })
  void goesOn(String text) {
    assertEquals(Completeness.INCOMPLETE, StatementReader.completeness(text));
  }
}
