package dev.colonnade.cli.shell.grammar;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.colonnade.cli.shell.help.Manual;
import dev.colonnade.cli.shell.help.Topic;
import org.junit.jupiter.api.Test;

/** What the manual shows can be typed. */
final class ManualExamplesTest {

  @Test
  void everyExampleOfTheManualIsOneStatement() throws SyntaxException {
    for (Topic topic : Manual.load().topics()) {
      for (String example : topic.examples()) {
        assertEquals(1, StatementReader.parseAll(example).size(), example);
      }
    }
  }
}
