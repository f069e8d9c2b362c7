package dev.colonnade.server.storage.compaction;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.colonnade.server.storage.compaction.SizeTieredPolicy.Candidate;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Bounds that hold for any files; {@link CompactionChoiceTest} has single cases. */
final class SizeTieredPolicyTest {
  private static final long MIB = 1 << 20;
  private final SizeTieredPolicy policy = SizeTieredPolicy.DEFAULT;

  @Test
  void aMergeTakesAtMostSoManyFilesAndTheSmallestFirst() {
    List<Candidate> many = new ArrayList<>();
    for (int i = 0; i < 40; i++) {
      many.add(new Candidate(i, (140 - i) * MIB, 0, true));
    }
    List<List<Candidate>> merges = policy.choose(many);
    assertEquals(32, merges.get(0).size());
    assertEquals(101 * MIB, merges.get(0).get(0).bytes());
  }

  @Test
  void mergesOfTheOutputsOfOthersAreLeftToo() {
    List<Candidate> files = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      files.add(new Candidate(i, 100 * MIB, 0, true));
    }
    assertEquals(1, policy.compactionsLeft(files));
    for (int i = 4; i < 7; i++) {
      files.add(new Candidate(i, 400 * MIB, 0, true));
    }
    assertEquals(1, policy.choose(files).size());
    assertEquals(2, policy.compactionsLeft(files));
    assertEquals(0, policy.compactionsLeft(files.subList(0, 3)));
    files.add(new Candidate(9, 30_000 * MIB, 0.5, false));
    assertEquals(3, policy.compactionsLeft(files), "one that is rewritten alone");
  }

  /** Flushes of memtables as they are at 1 GiB of heap, rows of 1 KB, merges that keep up. */
  @Test
  void aLoadOfFiveGigabytesIsWrittenThreeTimesAtMostAndHasFewFiles() {
    List<Candidate> files = new ArrayList<>();
    long written = 0;
    int most = 0;
    for (int flush = 0; flush < 5_000 / 100; flush++) {
      files.add(new Candidate(flush, 100 * MIB, 0, true));
      written += 100 * MIB;
      most = Math.max(most, files.size());
      for (List<Candidate> inputs : policy.choose(files)) {
        files.removeAll(inputs);
        Candidate output = SizeTieredPolicy.merged(inputs);
        files.add(output);
        written += output.bytes();
      }
    }
    assertEquals(0, policy.compactionsLeft(files));
    assertTrue(written <= 3 * 5_000 * MIB, "written " + written / MIB + " MiB");
    assertTrue(most <= 10, most + " files");
  }

  @Test
  void noFileIsInTwoMerges() {
    List<Candidate> all = new ArrayList<>();
    for (int i = 0; i < 200; i++) {
      all.add(new Candidate(i, (1L << (i % 13)) * 7 * MIB, 0.3, false));
    }
    List<Long> chosen =
        policy.choose(all).stream().flatMap(List::stream).map(Candidate::generation).toList();
    assertEquals(chosen.size(), chosen.stream().distinct().count());
    assertTrue(policy.pending(all) > 0);
  }
}
