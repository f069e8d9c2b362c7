package dev.colonnade.cli.shell.output;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.colonnade.cli.shell.grammar.StatementReader;
import dev.colonnade.cli.shell.statement.Statement;
import dev.colonnade.cli.shell.value.ValueType;
import dev.colonnade.cli.shell.value.ValueTypes;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Random;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** What is printed of data can be typed. */
final class EscapesTest {

  private static final int ROUNDS = 20_000;

  /** Parts of which data is made: what needs care, and what does not. */
  private static final List<String> PARTS =
      List.of(
          "a",
          "Tulsa",
          " ",
          "\n",
          "\t",
          "\r",
          "\\",
          "\\n",
          "'",
          "''",
          "\"",
          "0x",
          "0xff",
          "é",
          "\u200d",
          "\u0000",
          "\u001b[2J",
          "\u202e",
          "\ufeff",
          "\ud83d\ude00",
          ";",
          "--",
          "/*");

  @Test
  void whatIsShownOfUntypedBytesReadsAsTheSameBytes() throws Exception {
    ValueType untyped = new ValueTypes(() -> new UUID(0, 0), () -> new UUID(0, 0)).untyped();
    long seed = new Random().nextLong();
    Random random = new Random(seed);
    int texts = 0;
    for (int i = 0; i < ROUNDS; i++) {
      byte[] bytes = someBytes(random);
      String shown = untyped.show(bytes);
      boolean hex = shown.startsWith("0x");
      String typed = hex ? shown : "'" + Escapes.data(shown).replace("'", "''") + "'";

      List<Statement> read = StatementReader.parseAll("set F['k']['n'] = " + typed + ";");

      Statement.Put put = (Statement.Put) read.get(0);
      assertArrayEquals(bytes, untyped.bytes(put.value()), "seed " + seed + ": " + typed);
      texts += hex ? 0 : 1;
    }
    assertTrue(texts > ROUNDS / 10 && texts < ROUNDS, "of " + ROUNDS + " there are " + texts);
  }

  @Test
  void aBackslashOfTheDataIsToldFromThatOfAnEscape() {
    assertEquals("a\\\\n", Escapes.data("a\\n"));
    assertEquals("a\\n", Escapes.data("a\n"));
  }

  private static byte[] someBytes(Random random) {
    if (random.nextInt(4) == 0) {
      byte[] bytes = new byte[random.nextInt(6)];
      random.nextBytes(bytes);
      return bytes;
    }
    StringBuilder text = new StringBuilder();
    for (int parts = random.nextInt(4); parts >= 0; parts--) {
      text.append(PARTS.get(random.nextInt(PARTS.size())));
    }
    return text.toString().getBytes(StandardCharsets.UTF_8);
  }
}
