package dev.colonnade.server.fuzz;

import static java.util.Objects.requireNonNull;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assertions.fail;

import dev.colonnade.server.base.env.RandomSource;
import dev.colonnade.server.node.platform.SeededRandom;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Runs every target over its corpus, which holds the fuzzer's past findings, and over some changes
 * of each input. {@code integration-tests/fuzz} looks for more.
 */
@Timeout(120)
final class FuzzCorpusTest {

  private static final int CHANGES_OF_EACH = 40;
  private static final Path CORPORA = Path.of("src/test/resources/fuzz");

  static Set<String> targets() {
    return FuzzTargets.all().keySet();
  }

  @Test
  void everyTargetHasACorpusAndEveryCorpusATarget() throws IOException {
    try (Stream<Path> corpora = Files.list(CORPORA)) {
      Set<String> names = new TreeSet<>();
      corpora.forEach(path -> names.add(path.getFileName().toString()));
      assertEquals(new TreeSet<>(targets()), names);
    }
  }

  @ParameterizedTest
  @MethodSource("targets")
  void nothingInTheCorpusIsMoreThanRefused(String name) throws IOException {
    FuzzTargets.Target target = requireNonNull(FuzzTargets.all().get(name));
    List<Path> inputs = new ArrayList<>();
    try (Stream<Path> corpus = Files.list(CORPORA.resolve(name))) {
      corpus.sorted().forEach(inputs::add);
    }
    assertTrue(inputs.size() > 0, "no input for " + name);
    run(target, new byte[0], name + ", nothing");
    for (Path input : inputs) {
      byte[] bytes = Files.readAllBytes(input);
      run(target, bytes, input.toString());
      RandomSource random = new SeededRandom(bytes.length);
      for (int i = 0; i < CHANGES_OF_EACH; i++) {
        byte[] changed = changed(bytes, random);
        run(target, changed, input + ", changed to " + HexFormat.of().formatHex(changed));
      }
    }
  }

  private static byte[] changed(byte[] bytes, RandomSource random) {
    byte[] changed = bytes.clone();
    for (int changes = random.nextInt(3); changes >= 0 && changed.length > 0; changes--) {
      changed[random.nextInt(changed.length)] ^= (byte) (1 << random.nextInt(8));
    }
    return random.nextInt(8) == 0
        ? Arrays.copyOf(changed, random.nextInt(changed.length + 1))
        : changed;
  }

  private static void run(FuzzTargets.Target target, byte[] input, String what) {
    try {
      target.run(input);
    } catch (Exception | Error e) {
      fail(what, e);
    }
  }
}
