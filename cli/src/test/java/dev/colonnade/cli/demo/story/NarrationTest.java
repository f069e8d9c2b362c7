package dev.colonnade.cli.demo.story;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.List;
import org.junit.jupiter.api.Test;

final class NarrationTest {

  private final StringWriter text = new StringWriter();

  @Test
  void keptPromiseIsOneLine() {
    plain().verdict(new Check("one is one", "1", "1"));

    assertEquals(List.of("  ok  one is one"), text.toString().lines().toList());
  }

  @Test
  void brokenPromiseShowsWhatWasExpectedAndWhatWasFound() {
    plain().verdict(new Check("one is one", "1", "2"));

    assertEquals(
        List.of("  DIFFERS  one is one", "      expected: 1", "      found:    2"),
        text.toString().lines().toList());
  }

  @Test
  void longStatementsAreBrokenAtBlanks() {
    plain().statement("word ".repeat(40).strip());

    List<String> lines = text.toString().lines().toList();
    assertEquals(3, lines.size());
    assertTrue(lines.get(0).startsWith("  > word word"), text.toString());
    assertTrue(lines.get(1).startsWith("      word word"), text.toString());
    assertTrue(lines.stream().allMatch(line -> line.length() <= 80), text.toString());
  }

  @Test
  void textWithoutColourHasNoEscapeSequences() {
    tellEverything(plain());

    assertFalse(text.toString().contains("\u001b"), text.toString());
    assertTrue(text.toString().chars().allMatch(c -> c == '\n' || (c >= ' ' && c < 0x7f)));
  }

  @Test
  void coloursEndOnTheLineWhereTheyBegin() {
    tellEverything(new Narration(new PrintWriter(text), true));

    assertTrue(text.toString().contains("\u001b[1m"), text.toString());
    for (String line : text.toString().lines().toList()) {
      assertEquals(line.split("\u001b\\[0m", -1).length * 2, line.split("\u001b", -1).length + 1);
    }
  }

  private static void tellEverything(Narration narration) {
    narration.headline("A headline");
    narration.say("A sentence.");
    narration.statement("get here;");
    narration.lines(List.of("name = value"));
    narration.verdict(new Check("true", "1", "1"));
    narration.verdict(new Check("false", "1", "2"));
  }

  private Narration plain() {
    return new Narration(new PrintWriter(text), false);
  }
}
