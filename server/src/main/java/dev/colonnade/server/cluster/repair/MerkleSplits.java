package dev.colonnade.server.cluster.repair;

import dev.colonnade.server.base.model.FamilyId;
import dev.colonnade.server.base.model.RowKey;
import dev.colonnade.server.cluster.ring.TokenRange;
import dev.colonnade.server.storage.engine.KeySample;
import dev.colonnade.server.storage.engine.StorageEngine;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * A range of tokens split into leaves: each reaches from the end before, excluded, to its own,
 * included; clockwise.
 *
 * @param range the whole
 * @param ends of the leaves; the last is the end of the range
 */
public record MerkleSplits(TokenRange range, List<byte[]> ends) {

  /**
   * More would make the trees themselves too large: 32,768 leaves are half a megabyte of hashes.
   */
  static final int LEAVES_MAX = 1 << 15;

  /**
   * How many bytes the ends of a tree's leaves have together: they are sent in one message, and a
   * request for the ranges that differ names each end twice.
   */
  static final long ENDS_BYTES_MAX = 16L << 20;

  /** Checks that the ends follow one another. */
  public MerkleSplits {
    ends = List.copyOf(ends);
    if (ends.isEmpty() || ends.size() > LEAVES_MAX) {
      throw new IllegalArgumentException(
          ends.size() + " leaves; between 1 and " + LEAVES_MAX + " are possible");
    }
    byte[] previous = null;
    for (byte[] end : ends) {
      if (!range.contains(end) || (previous != null && compare(range, previous, end) >= 0)) {
        throw new IllegalArgumentException("the cuts of " + range + " are not in order within it");
      }
      previous = end;
    }
    if (!Arrays.equals(ends.get(ends.size() - 1), range.end())) {
      throw new IllegalArgumentException("the last cut is not the end of " + range);
    }
  }

  /** The whole range as one leaf. */
  public static MerkleSplits one(TokenRange range) {
    return new MerkleSplits(range, List.of(range.end()));
  }

  /**
   * Splits a range into leaves of about equal numbers of rows, according to this node's data.
   *
   * @param rowsPerLeaf about how many rows a leaf should have, at least 1; more if there would be
   *     too many leaves
   */
  public static CompletableFuture<MerkleSplits> byRows(
      StorageEngine engine, FamilyId family, TokenRange range, long rowsPerLeaf) {
    RowKey first = RowKey.firstOf(new byte[0]);
    RowKey start = behind(range.start());
    Optional<RowKey> end = Optional.of(behind(range.end()));
    if (!range.wraps()) {
      return engine
          .sampleKeys(family, start, end, rowsPerLeaf)
          .thenApply(samples -> of(range, samples, rowsPerLeaf));
    }
    return engine
        .sampleKeys(family, start, Optional.empty(), rowsPerLeaf)
        .thenCompose(
            samples ->
                engine
                    .sampleKeys(family, first, end, rowsPerLeaf)
                    .thenApply(
                        rest -> {
                          List<KeySample> all = new ArrayList<>(samples);
                          all.addAll(rest);
                          return of(range, all, rowsPerLeaf);
                        }));
  }

  private static MerkleSplits of(TokenRange range, List<KeySample> samples, long rowsPerLeaf) {
    double rows = 0;
    long tokenBytes = 0;
    for (KeySample sample : samples) {
      rows += sample.keys();
      tokenBytes += sample.key().token().length;
    }
    double wanted = Math.max((double) rowsPerLeaf, rows / (LEAVES_MAX / 2));
    if (tokenBytes > ENDS_BYTES_MAX / 2) {
      wanted = Math.max(wanted, rows / samples.size() * tokenBytes / (ENDS_BYTES_MAX / 2));
    }
    long endsBytes = 0;
    List<byte[]> ends = new ArrayList<>();
    double inLeaf = 0;
    byte[] previous = null;
    for (KeySample sample : samples) {
      byte[] token = sample.key().token();
      inLeaf += sample.keys();
      boolean isCut =
          inLeaf >= wanted
              && range.contains(token)
              && compare(range, token, range.end()) < 0
              && (previous == null || compare(range, previous, token) < 0);
      if (isCut && ends.size() < LEAVES_MAX - 1 && endsBytes + token.length <= ENDS_BYTES_MAX) {
        endsBytes += token.length;
        ends.add(token);
        previous = token;
        inLeaf = 0;
      }
    }
    ends.add(range.end());
    return new MerkleSplits(range, ends);
  }

  /** How many leaves there are. */
  public int leaves() {
    return ends.size();
  }

  /** One leaf, or several consecutive ones, as a range of tokens. */
  TokenRange leaves(int first, int last) {
    return new TokenRange(first == 0 ? range.start() : ends.get(first - 1), ends.get(last));
  }

  /** Whether a token of the range lies behind a leaf, clockwise. */
  boolean isBehind(byte[] token, int leaf) {
    return compare(range, token, ends.get(leaf)) > 0;
  }

  /** A bound before every row with a greater token, and after all with this one. */
  static RowKey behind(byte[] token) {
    return RowKey.firstOf(Arrays.copyOf(token, token.length + 1));
  }

  /** The order of two tokens of a range, clockwise from its start. */
  private static int compare(TokenRange range, byte[] a, byte[] b) {
    boolean aIsFirst = Arrays.compareUnsigned(a, range.start()) > 0;
    boolean bIsFirst = Arrays.compareUnsigned(b, range.start()) > 0;
    return aIsFirst == bIsFirst ? Arrays.compareUnsigned(a, b) : aIsFirst ? -1 : 1;
  }

  /** Compares the bytes of the ends. */
  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof MerkleSplits that
        && range.equals(that.range)
        && Arrays.deepEquals(ends.toArray(), that.ends.toArray());
  }

  @Override
  public int hashCode() {
    return range.hashCode() * 31 + Arrays.deepHashCode(ends.toArray());
  }
}
