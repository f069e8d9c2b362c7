package dev.colonnade.cli.shell.grammar;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Runs the target of the fuzzer over its corpus, and over some changes of each script in it. */
final class StatementCorpusTest {

  private static final int CHANGES_OF_EACH = 200;

  @Test
  void nothingInTheCorpusIsMoreThanRefused() throws IOException {
    List<Path> inputs = new ArrayList<>();
    try (Stream<Path> corpus = Files.list(Path.of("src/test/resources/fuzz/statement"))) {
      corpus.sorted().forEach(inputs::add);
    }
    assertTrue(inputs.size() > 0, "no input");
    for (Path input : inputs) {
      byte[] script = Files.readAllBytes(input);
      run(script, input.toString());
      Random random = new Random(script.length);
      for (int i = 0; i < CHANGES_OF_EACH; i++) {
        byte[] changed = script.clone();
        for (int changes = random.nextInt(3); changes >= 0 && changed.length > 0; changes--) {
          changed[random.nextInt(changed.length)] ^= (byte) (1 << random.nextInt(8));
        }
        run(changed, input + ", change " + i);
      }
    }
  }

  private static void run(byte[] script, String what) {
    try {
      StatementFuzzer.fuzzerTestOneInput(script);
    } catch (RuntimeException | Error e) {
      throw new AssertionError(what, e);
    }
  }
}
