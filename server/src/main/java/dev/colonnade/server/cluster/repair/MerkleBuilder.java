package dev.colonnade.server.cluster.repair;

import dev.colonnade.server.base.async.Then;
import dev.colonnade.server.base.codec.ByteWriter;
import dev.colonnade.server.base.codec.Hash128;
import dev.colonnade.server.base.env.Scheduler;
import dev.colonnade.server.base.env.Stage;
import dev.colonnade.server.base.model.FamilyId;
import dev.colonnade.server.base.model.PathRange;
import dev.colonnade.server.base.model.RangeCommand;
import dev.colonnade.server.base.model.RangeFragment;
import dev.colonnade.server.base.model.RowFragment;
import dev.colonnade.server.base.model.RowKey;
import dev.colonnade.server.base.model.Slice;
import dev.colonnade.server.base.model.SliceCommand;
import dev.colonnade.server.base.model.SlicePosition;
import dev.colonnade.server.storage.engine.FragmentCodec;
import dev.colonnade.server.storage.engine.ReadMode;
import dev.colonnade.server.storage.engine.ReadOutput;
import dev.colonnade.server.storage.engine.ReadResponse;
import dev.colonnade.server.storage.engine.StorageEngine;
import dev.colonnade.server.storage.mutation.OverloadedException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Hashes the rows of a range into a Merkle tree, in bounded steps. A row's hash depends on its
 * content alone: a row that is too wide for a step is read again by itself, in parts from its
 * beginning.
 *
 * <p>One step runs at a time, on changing threads. {@link #answer} and {@link #rows} may be used by
 * any thread.
 */
public final class MerkleBuilder {

  /** What one step reads at most: some milliseconds of work. */
  private static final long STEP_BYTES = 256 << 10;

  /** Before the next attempt when the stage is full: nothing here is urgent. */
  private static final Duration RETRY_DELAY = Duration.ofMillis(50);

  private static final Slice WHOLE =
      new Slice(List.of(PathRange.ALL), false, false, Long.MAX_VALUE);

  private static final RowKey FIRST = RowKey.firstOf(new byte[0]);

  private final StorageEngine engine;
  private final Scheduler scheduler;
  private final FamilyId family;
  private final MerkleSplits cuts;
  private final long nowSeconds;
  private final CompletableFuture<MerkleTree> answer = new CompletableFuture<>();

  private final List<Hash128> leaves = new ArrayList<>();
  private final ByteWriter hashing = new ByteWriter(256);
  private Hash128 leaf = new Hash128(0, 0);
  private RowKey start;
  private boolean wrapped;
  private @Nullable RowKey wide;
  private Optional<SlicePosition> inside = Optional.empty();
  private Hash128 wideHash = new Hash128(0, 0);
  private final AtomicLong rows = new AtomicLong();

  private MerkleBuilder(
      StorageEngine engine,
      Scheduler scheduler,
      FamilyId family,
      MerkleSplits cuts,
      long nowSeconds) {
    this.engine = engine;
    this.scheduler = scheduler;
    this.family = family;
    this.cuts = cuts;
    this.nowSeconds = nowSeconds;
    this.start = MerkleSplits.behind(cuts.range().start());
  }

  /**
   * Begins to hash.
   *
   * @param nowSeconds against which expiry and gc grace are judged; the same on all replicas
   */
  public static MerkleBuilder start(
      StorageEngine engine,
      Scheduler scheduler,
      FamilyId family,
      MerkleSplits cuts,
      long nowSeconds) {
    MerkleBuilder hashing = new MerkleBuilder(engine, scheduler, family, cuts, nowSeconds);
    Then.onBehalfOf(hashing.answer, hashing::submit);
    return hashing;
  }

  /**
   * Completes with the tree. Fails as reads of the engine do; cancelling it ends the work after the
   * current step.
   */
  public CompletableFuture<MerkleTree> answer() {
    return answer;
  }

  /** How many rows have been hashed so far. */
  public long rows() {
    return rows.get();
  }

  private void submit() {
    if (!scheduler.submit(Stage.COMPACTION, this::step)) {
      later();
    }
  }

  private void later() {
    scheduler.after(RETRY_DELAY, Stage.COMPACTION, this::step);
  }

  private void step() {
    if (!answer.isDone()) {
      Then.onBehalfOf(answer, this::read);
    }
  }

  private void read() {
    RowKey row = wide;
    if (row == null) {
      Then.whenDone(
          engine.read(family, next(), ReadOutput.RANGE_FRAGMENT, ReadMode.PAST_CACHES),
          answer,
          taking(this::take));
    } else {
      SliceCommand rest = new SliceCommand(row, WHOLE, inside, STEP_BYTES, nowSeconds);
      Then.whenDone(
          engine.read(family, rest, ReadOutput.ROW_FRAGMENT, ReadMode.PAST_CACHES),
          answer,
          taking(this::takePart));
    }
  }

  private <T> BiConsumer<@Nullable ReadResponse<T>, @Nullable Throwable> taking(Consumer<T> take) {
    return (read, failure) -> {
      if (failure instanceof OverloadedException) {
        later();
      } else if (read == null) {
        answer.completeExceptionally(
            failure == null ? new IllegalStateException("no answer, and no failure") : failure);
      } else {
        take.accept(read.result());
      }
    };
  }

  private RangeCommand next() {
    return new RangeCommand(
        start,
        isLastPart() ? Optional.of(MerkleSplits.behind(cuts.range().end())) : Optional.empty(),
        Optional.empty(),
        false,
        WHOLE,
        Long.MAX_VALUE,
        false,
        false,
        STEP_BYTES,
        nowSeconds);
  }

  /** A range that wraps around has two parts. */
  private boolean isLastPart() {
    return wrapped || !cuts.range().wraps();
  }

  private void take(RangeFragment fragment) {
    for (RangeFragment.Row row : fragment.rows()) {
      if (row.fragment().end().isPresent()) {
        wide = row.key();
        inside = Optional.empty();
        wideHash = new Hash128(0, 0);
        submit();
        return;
      }
      add(row.key(), FragmentCodec.digest(row.fragment()));
    }
    if (fragment.end().isPresent()) {
      start = behind(fragment.end().get());
      submit();
    } else if (isLastPart()) {
      finish();
    } else {
      wrapped = true;
      start = FIRST;
      submit();
    }
  }

  private void takePart(RowFragment part) {
    RowKey row = wide;
    if (row == null) {
      throw new IllegalStateException("a part of no row");
    }
    wideHash = chained(wideHash, new byte[0], FragmentCodec.digest(part));
    if (part.end().isPresent()) {
      inside = Optional.of(new SlicePosition(part.end().get(), false, 0));
    } else {
      add(row, wideHash);
      wide = null;
      start = behind(row);
    }
    submit();
  }

  private void add(RowKey key, Hash128 row) {
    while (cuts.isBehind(key.token(), leaves.size())) {
      endLeaf();
    }
    leaf = chained(leaf, key.key(), row);
    rows.incrementAndGet();
  }

  private Hash128 chained(Hash128 before, byte[] key, Hash128 next) {
    hashing.reset();
    MerkleTree.write(before, hashing);
    hashing.writeBytes(key);
    MerkleTree.write(next, hashing);
    return Hash128.of(hashing.array(), 0, hashing.position());
  }

  private void endLeaf() {
    leaves.add(leaf);
    leaf = new Hash128(0, 0);
  }

  private void finish() {
    while (leaves.size() < cuts.leaves()) {
      endLeaf();
    }
    answer.complete(new MerkleTree(cuts, leaves));
  }

  /** The first key after a row's: keys sort as bytes, so one zero byte more is next. */
  private static RowKey behind(RowKey row) {
    return new RowKey(row.token(), Arrays.copyOf(row.key(), row.key().length + 1));
  }
}
