package dev.colonnade.cli.shell;

import static org.junit.jupiter.api.Assertions.assertFalse;

import dev.colonnade.cli.shell.help.Manual;
import dev.colonnade.cli.shell.help.Topic;
import dev.colonnade.cli.shell.output.OutputForm;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

final class InterpreterTest {

  /** A port that is reserved, where no node listens. */
  private static final int NO_NODE = 1;

  @TempDir private Path temporary;

  @Test
  @Timeout(60)
  void everyExampleOfTheManualIsDispatched() {
    for (Topic topic : Manual.load().topics()) {
      for (String example : topic.examples()) {
        if (example.startsWith("connect")) {
          // A node may listen there, and the examples after it would be run on that node.
          continue;
        }
        try (ShellRun shell = new ShellRun(NO_NODE, OutputForm.CLASSIC, Duration.ofSeconds(5))) {
          String answer = shell.answerOrFailure(inDirectory(example));
          assertFalse(answer.contains("an error in the program"), () -> example + " " + answer);
        }
      }
    }
  }

  /** The file of capture is written: not into the directory that the build runs in. */
  private String inDirectory(String example) {
    return example.replace("capture '", "capture '" + temporary + "/");
  }
}
