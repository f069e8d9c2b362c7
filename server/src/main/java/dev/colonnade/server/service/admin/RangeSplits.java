package dev.colonnade.server.service.admin;

import dev.colonnade.server.base.async.Then;
import dev.colonnade.server.base.model.FamilyId;
import dev.colonnade.server.base.model.RowKey;
import dev.colonnade.server.cluster.ring.TokenRange;
import dev.colonnade.server.service.consistency.StorageFailures;
import dev.colonnade.server.storage.engine.KeySample;
import dev.colonnade.server.storage.engine.StorageEngine;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** Cuts one range of the ring into splits of about the wanted number of keys. */
final class RangeSplits {

  private static final RowKey RING_START = RowKey.firstOf(new byte[0]);

  private final StorageEngine engine;
  private final FamilyId family;
  private final TokenRange range;
  private final long keysWanted;
  private final CompletableFuture<List<KeySplit>> answer = new CompletableFuture<>();
  private volatile @Nullable CompletableFuture<List<KeySample>> current;

  RangeSplits(StorageEngine engine, FamilyId family, TokenRange range, long keysWanted) {
    this.engine = engine;
    this.family = family;
    this.range = range;
    this.keysWanted = keysWanted;
  }

  /** Completes with the splits; cancelling the future stops the work. */
  CompletableFuture<List<KeySplit>> run() {
    Then.whenDone(answer, (splits, failure) -> withdraw());
    RowKey first = behind(range.start());
    Optional<RowKey> end = Optional.of(behind(range.end()));
    CompletableFuture<List<KeySample>> samples =
        range.wraps()
            ? sample(first, Optional.empty())
                .thenCompose(
                    before -> sample(RING_START, end).thenApply(after -> joined(before, after)))
            : sample(first, end);
    finishWith(samples);
    return answer;
  }

  private void finishWith(CompletableFuture<List<KeySample>> samples) {
    Then.whenDone(
        samples,
        answer,
        (taken, failure) -> {
          if (failure == null) {
            answer.complete(cut(taken));
          } else {
            answer.completeExceptionally(StorageFailures.translate(failure));
          }
        });
  }

  private CompletableFuture<List<KeySample>> sample(RowKey from, Optional<RowKey> end) {
    CompletableFuture<List<KeySample>> sampling = engine.sampleKeys(family, from, end, keysWanted);
    current = sampling;
    withdraw();
    return sampling;
  }

  private void withdraw() {
    CompletableFuture<List<KeySample>> sampling = current;
    if (answer.isCancelled() && sampling != null) {
      sampling.cancel(false);
    }
  }

  private static List<KeySample> joined(List<KeySample> before, List<KeySample> after) {
    List<KeySample> all = new ArrayList<>(before);
    all.addAll(after);
    return all;
  }

  private List<KeySplit> cut(List<KeySample> samples) {
    List<KeySplit> splits = new ArrayList<>();
    byte[] start = range.start();
    double keys = 0;
    double bytes = 0;
    double keysLeft = samples.stream().mapToDouble(KeySample::keys).sum();
    for (KeySample sample : samples) {
      keys += sample.keys();
      bytes += sample.bytes();
      keysLeft -= sample.keys();
      byte[] token = sample.key().token();
      // A remainder much smaller than the others is added to the split before it.
      if (keys >= keysWanted
          && keysLeft >= keysWanted / 2.0
          && !Arrays.equals(token, start)
          && !Arrays.equals(token, range.end())) {
        splits.add(split(start, token, keys, bytes));
        start = token;
        keys = 0;
        bytes = 0;
      }
    }
    splits.add(split(start, range.end(), keys, bytes));
    return List.copyOf(splits);
  }

  private static KeySplit split(byte[] start, byte[] end, double keys, double bytes) {
    return new KeySplit(new TokenRange(start, end), Math.round(keys), Math.round(bytes));
  }

  /** A key that sorts before all rows with tokens greater than this one. */
  private static RowKey behind(byte[] token) {
    return RowKey.firstOf(Arrays.copyOf(token, token.length + 1));
  }
}
