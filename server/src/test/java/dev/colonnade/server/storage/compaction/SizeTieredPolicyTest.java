package dev.colonnade.server.storage.compaction;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.colonnade.server.storage.compaction.SizeTieredPolicy.Candidate;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

final class SizeTieredPolicyTest {
  private static final long MIB = 1 << 20;
  private final SizeTieredPolicy policy = SizeTieredPolicy.DEFAULT;

  @Test
  void threeFilesOfOneSizeWaitAndFourAreMerged() {
    assertEquals(List.of(), policy.choose(files(100, 100, 100)));
    assertEquals(List.of(files(100, 100, 100, 100)), policy.choose(files(100, 100, 100, 100)));
  }

  @Test
  void filesOfDifferentSizesAreNotMergedWithEachOther() {
    assertEquals(List.of(), policy.choose(files(100, 100, 100, 400, 1600, 6400)));
  }

  @Test
  void tinyFilesAreOfOneSize() {
    List<Candidate> tiny = files(1, 3, 10, 49);
    assertEquals(List.of(tiny), policy.choose(tiny));
  }

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
  void theFullestBucketIsTheMostUrgent() {
    List<List<Candidate>> merges =
        policy.choose(files(100, 100, 100, 100, 1000, 1000, 1000, 1000, 1000));
    assertEquals(2, merges.size());
    assertEquals(1000 * MIB, merges.get(0).get(0).bytes());
  }

  @Test
  void aFileOfMostlyOldDeletionsIsRewrittenAloneUnlessOthersOverlapIt() {
    Candidate alone = new Candidate(1, 100 * MIB, 0.5, false);
    Candidate overlapped = new Candidate(2, 900 * MIB, 0.5, true);
    Candidate live = new Candidate(3, 5000 * MIB, 0.1, false);
    assertEquals(List.of(List.of(alone)), policy.choose(List.of(alone, overlapped, live)));
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

  private static List<Candidate> files(long... mebibytes) {
    List<Candidate> files = new ArrayList<>();
    for (long size : mebibytes) {
      files.add(new Candidate(files.size(), size * MIB, 0, true));
    }
    return files;
  }
}
