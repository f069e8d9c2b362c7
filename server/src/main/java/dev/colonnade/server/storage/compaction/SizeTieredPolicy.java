package dev.colonnade.server.storage.compaction;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/**
 * Chooses files of about the same size to compact, so that a byte is rewritten a logarithmic number
 * of times. A pure function of a snapshot; thread-safe.
 *
 * @param minFiles how many files of one size are compacted, at least 2
 * @param maxFiles the most files of one compaction
 * @param bucketLow a file belongs to a bucket if it is larger than this share of the bucket's mean
 * @param bucketHigh and smaller than this multiple of it
 * @param tinyBytes files up to this size count as of one size
 * @param droppableShare a file of which at least this share could be purged is rewritten by itself
 */
public record SizeTieredPolicy(
    int minFiles,
    int maxFiles,
    double bucketLow,
    double bucketHigh,
    long tinyBytes,
    double droppableShare) {

  /** The defaults. */
  public static final SizeTieredPolicy DEFAULT =
      new SizeTieredPolicy(4, 32, 0.5, 1.5, 50L << 20, 0.2);

  /** Checks the ranges. */
  public SizeTieredPolicy {
    if (minFiles < 2 || maxFiles < minFiles) {
      throw new IllegalArgumentException(
          "a merge of " + minFiles + " to " + maxFiles + " files; at least 2 are needed");
    }
    if (!(bucketLow > 0 && bucketLow < 1 && bucketHigh > 1)) {
      throw new IllegalArgumentException(
          "bucket bounds are " + bucketLow + " and " + bucketHigh + "; 1 must lie between them");
    }
  }

  /**
   * A live file as the policy sees it.
   *
   * @param generation which file
   * @param bytes its size
   * @param droppableShare the share of it that a compaction might purge by age now, 0 to 1
   * @param overlapsOthers whether other live files hold rows in its range, so that its deletions
   *     may have to stay
   */
  public record Candidate(
      long generation, long bytes, double droppableShare, boolean overlapsOthers) {}

  /**
   * Returns the compactions worth doing, the most urgent first; no file is in two. Empty if there
   * is nothing to do.
   *
   * @param files live ones that no compaction is working on
   */
  public List<List<Candidate>> choose(List<Candidate> files) {
    List<List<Candidate>> merges = new ArrayList<>();
    List<Candidate> rest = new ArrayList<>();
    for (List<Candidate> bucket : buckets(files)) {
      if (bucket.size() >= minFiles) {
        // The smallest first: they cost least and more of them will come.
        merges.add(List.copyOf(bucket.subList(0, Math.min(maxFiles, bucket.size()))));
      } else {
        rest.addAll(bucket);
      }
    }
    merges.sort(Comparator.<List<Candidate>>comparingInt(List::size).reversed());
    for (Candidate file : rest) {
      if (file.droppableShare() >= droppableShare && !file.overlapsOthers()) {
        merges.add(List.of(file));
      }
    }
    return merges;
  }

  /** How many files wait for a compaction: those in buckets that are full enough. */
  public int pending(List<Candidate> files) {
    return choose(files).stream().mapToInt(List::size).sum();
  }

  /**
   * How many compactions would follow each other until none is worth doing, if no file were added:
   * files that were compacted are compacted again with others of their new size.
   */
  public int compactionsLeft(List<Candidate> files) {
    List<Candidate> rest = new ArrayList<>(files);
    int compactions = 0;
    for (List<List<Candidate>> due = choose(rest); !due.isEmpty(); due = choose(rest)) {
      for (List<Candidate> inputs : due) {
        rest.removeAll(inputs);
        rest.add(merged(inputs));
        compactions++;
      }
    }
    return compactions;
  }

  /** The output of a compaction, as it looks to the policy before it is made. */
  public static Candidate merged(List<Candidate> inputs) {
    long bytes = inputs.stream().mapToLong(Candidate::bytes).sum();
    return new Candidate(inputs.get(0).generation(), bytes, 0, true);
  }

  private List<List<Candidate>> buckets(List<Candidate> files) {
    List<Candidate> sorted = new ArrayList<>(files);
    sorted.sort(
        Comparator.comparingLong(Candidate::bytes).thenComparingLong(Candidate::generation));
    List<List<Candidate>> buckets = new ArrayList<>();
    List<Candidate> bucket = new ArrayList<>();
    double mean = 0;
    for (Candidate file : sorted) {
      boolean fits = bucket.isEmpty() || fits(file.bytes(), mean);
      if (!fits) {
        buckets.add(bucket);
        bucket = new ArrayList<>();
        mean = 0;
      }
      mean = (mean * bucket.size() + file.bytes()) / (bucket.size() + 1);
      bucket.add(file);
    }
    if (!bucket.isEmpty()) {
      buckets.add(bucket);
    }
    return buckets;
  }

  private boolean fits(long bytes, double mean) {
    return bytes <= tinyBytes || (bytes > mean * bucketLow && bytes < mean * bucketHigh);
  }
}
