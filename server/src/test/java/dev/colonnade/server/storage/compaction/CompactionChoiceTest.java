package dev.colonnade.server.storage.compaction;

import dev.colonnade.server.cases.TextCases;
import dev.colonnade.server.cases.TextCases.Case;
import dev.colonnade.server.storage.compaction.SizeTieredPolicy.Candidate;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** Which files are merged: the cases of {@code testdata/compaction.txt}. */
final class CompactionChoiceTest {

  private static final long MIB = 1 << 20;

  @Test
  void filesAreMergedAsTheCasesSay() throws IOException {
    TextCases.check("compaction.txt", CompactionChoiceTest::choose);
  }

  /** Lines are {@code generation: size-in-MiB [droppable=percent] [alone]}. */
  private static List<String> choose(Case one) {
    SizeTieredPolicy defaults = SizeTieredPolicy.DEFAULT;
    SizeTieredPolicy policy =
        new SizeTieredPolicy(
            Integer.parseInt(one.argument("min", "" + defaults.minFiles())),
            Integer.parseInt(one.argument("max", "" + defaults.maxFiles())),
            defaults.bucketLow(),
            defaults.bucketHigh(),
            defaults.tinyBytes(),
            defaults.droppableShare());
    List<Candidate> files = one.input().stream().map(CompactionChoiceTest::file).toList();
    List<String> answer = new ArrayList<>();
    for (List<Candidate> merge : policy.choose(files)) {
      answer.add(
          String.format(
              Locale.ROOT,
              "merge %s: %d MiB",
              merge.stream().map(f -> "" + f.generation()).collect(Collectors.joining(" ")),
              merge.stream().mapToLong(Candidate::bytes).sum() / MIB));
    }
    answer.add("files that wait: " + policy.pending(files));
    return answer;
  }

  private static Candidate file(String line) {
    String[] words = line.split("[: ]+", -1);
    double droppable = 0;
    boolean overlaps = true;
    for (int i = 2; i < words.length; i++) {
      if (words[i].equals("alone")) {
        overlaps = false;
      } else {
        droppable = Integer.parseInt(words[i].replaceAll("\\D", "")) / 100.0;
      }
    }
    return new Candidate(
        Long.parseLong(words[0]), Long.parseLong(words[1]) * MIB, droppable, overlaps);
  }
}
