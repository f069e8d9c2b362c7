package dev.colonnade.server.storage.engine;

import dev.colonnade.server.base.async.Errors;
import dev.colonnade.server.base.env.Scheduler;
import dev.colonnade.server.base.env.Stage;
import dev.colonnade.server.base.model.RowKey;
import dev.colonnade.server.storage.memtable.Memtable;
import dev.colonnade.server.storage.mutation.OverloadedException;
import dev.colonnade.server.storage.sstable.BlockKeyCursor;
import dev.colonnade.server.storage.sstable.ReadContext;
import dev.colonnade.server.storage.sstable.RowKeyCursor;
import dev.colonnade.server.storage.sstable.SSTable;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * Samples the keys between two bounds, from memory and from one file after the other, in turns on
 * the read stage. If the blocks of a file hold few rows compared to the wanted ranges, only its
 * index is read; otherwise the keys themselves are.
 */
final class KeySampler {

  /** Keys or index entries looked at in one turn. */
  private static final int STEPS_PER_TURN = 10_000;

  /** How many samples make up a range of the wanted size: boundaries are off by less than one. */
  private static final int SAMPLES_PER_RANGE = 16;

  /** Of one file; if there would be more, each stands for more rows. */
  private static final int SAMPLES_MAX = 8_192;

  /** Files with no more rows than this are read key by key in any case. */
  private static final long FEW_ROWS = 10_000;

  /** A memtable or file whose keys are sampled. */
  private interface KeySource {
    /** Looks at one more key or block; false at the end. */
    boolean step(Samples into) throws IOException;
  }

  private final ColumnFamilyStore store;
  private final Scheduler scheduler;
  private final RowKey from;
  private final Optional<RowKey> end;
  private final double rowsPerSample;
  private final Deque<KeySource> sources = new ArrayDeque<>();
  private final List<KeySample> taken = new ArrayList<>();
  private final CompletableFuture<List<KeySample>> answer = new CompletableFuture<>();
  private @Nullable FamilyVersion view;
  private Samples samples;

  /**
   * Prepares the sampling.
   *
   * @param from included
   * @param end excluded; empty for the end of the ring
   * @param keysWanted how many keys a range should have
   */
  KeySampler(
      ColumnFamilyStore store,
      Scheduler scheduler,
      RowKey from,
      Optional<RowKey> end,
      long keysWanted) {
    this.store = store;
    this.scheduler = scheduler;
    this.from = from;
    this.end = end;
    this.rowsPerSample = Math.max(1.0, (double) keysWanted / SAMPLES_PER_RANGE);
    this.samples = new Samples(rowsPerSample);
  }

  /** Completes with the samples, ascending; cancelling it ends the work after a turn. */
  CompletableFuture<List<KeySample>> run() {
    submit();
    return answer;
  }

  private void submit() {
    if (!scheduler.submit(Stage.READ, this::turn)) {
      fail(new OverloadedException("the read stage"));
    }
  }

  private void turn() {
    try {
      if (view == null) {
        open();
      }
      for (int steps = 0; steps < STEPS_PER_TURN; steps++) {
        KeySource source = sources.peek();
        if (source == null || answer.isDone()) {
          finish();
          return;
        }
        if (!source.step(samples)) {
          sources.remove();
          samples.moveTo(taken);
          samples = new Samples(rowsPerSample);
        }
      }
    } catch (IOException | RuntimeException | Error e) {
      // Catches errors too: otherwise the caller would wait for ever.
      fail(e);
      return;
    }
    submit();
  }

  private void open() {
    FamilyVersion held = store.retainView();
    view = held;
    sources.add(new MemoryKeys(held.active()));
    for (FamilyVersion.Flushing flushing : held.flushing()) {
      sources.add(new MemoryKeys(flushing.memtable()));
    }
    for (SSTable table : held.tables()) {
      double rowsPerBlock = (double) table.stats().rows() / table.blocks();
      boolean keyByKey = table.stats().rows() <= FEW_ROWS || rowsPerBlock > rowsPerSample;
      sources.add(keyByKey ? new FileKeys(table) : new FileBlocks(table));
    }
  }

  private void finish() {
    releaseView();
    taken.sort(Comparator.comparing(KeySample::key));
    answer.complete(List.copyOf(taken));
  }

  private void fail(Throwable failure) {
    Errors.escalate(failure);
    try {
      releaseView();
    } finally {
      answer.completeExceptionally(failure);
    }
  }

  private void releaseView() {
    FamilyVersion held = view;
    view = null;
    if (held != null) {
      ColumnFamilyStore.release(held);
    }
    sources.clear();
  }

  private boolean isBehind(RowKey key) {
    return end.isPresent() && key.compareTo(end.get()) >= 0;
  }

  private final class MemoryKeys implements KeySource {
    private final Memtable memtable;
    private RowKey next = from;
    private boolean included = true;

    MemoryKeys(Memtable memtable) {
      this.memtable = memtable;
    }

    @Override
    public boolean step(Samples into) {
      RowKey key = memtable.keyFrom(next, included);
      if (key == null || isBehind(key)) {
        return false;
      }
      next = key;
      included = false;
      into.add(key, 1, 0);
      return true;
    }
  }

  private final class FileKeys implements KeySource {
    private final RowKeyCursor keys;
    private final double bytesPerRow;

    FileKeys(SSTable table) {
      this.keys = table.keys(from, ReadContext.passing());
      this.bytesPerRow = (double) table.stats().dataBytes() / Math.max(1, table.stats().rows());
    }

    @Override
    public boolean step(Samples into) throws IOException {
      RowKey key = keys.next();
      if (key == null || isBehind(key)) {
        return false;
      }
      into.add(key, 1, bytesPerRow);
      return true;
    }
  }

  /** Samples by blocks: a block's rows lie before the key that the next block begins with. */
  private final class FileBlocks implements KeySource {
    private final SSTable table;
    private final BlockKeyCursor blocks;
    private final double rowsPerBlock;
    private double bytes;
    private boolean begun;

    FileBlocks(SSTable table) {
      this.table = table;
      this.blocks = table.blockKeys(from, ReadContext.passing());
      this.rowsPerBlock = (double) table.stats().rows() / table.blocks();
    }

    @Override
    public boolean step(Samples into) throws IOException {
      if (!begun) {
        begun = true;
        if (isBehind(table.firstKey()) || table.lastKey().compareTo(from) < 0 || !blocks.next()) {
          return false;
        }
        bytes = blocks.bytes();
        return true;
      }
      boolean more = blocks.next();
      RowKey next = more ? blocks.key() : table.lastKey();
      if (isBehind(next) || next.compareTo(from) < 0) {
        return false;
      }
      into.add(next, rowsPerBlock, bytes);
      bytes = more ? blocks.bytes() : 0;
      return more;
    }
  }

  /** The samples of one source, at most as many as are useful. */
  private static final class Samples {
    private final List<KeySample> samples = new ArrayList<>();
    private double rowsPerSample;
    private @Nullable RowKey last;
    private double keys;
    private double bytes;

    Samples(double rowsPerSample) {
      this.rowsPerSample = rowsPerSample;
    }

    void add(RowKey key, double moreKeys, double moreBytes) {
      last = key;
      keys += moreKeys;
      bytes += moreBytes;
      if (keys >= rowsPerSample) {
        end();
        if (samples.size() == SAMPLES_MAX) {
          thin();
        }
      }
    }

    private void end() {
      if (last != null) {
        samples.add(new KeySample(last, keys, bytes));
        last = null;
        keys = 0;
        bytes = 0;
      }
    }

    private void thin() {
      List<KeySample> half = new ArrayList<>(samples.size() / 2);
      for (int i = 1; i < samples.size(); i += 2) {
        KeySample before = samples.get(i - 1);
        KeySample behind = samples.get(i);
        half.add(
            new KeySample(
                behind.key(), before.keys() + behind.keys(), before.bytes() + behind.bytes()));
      }
      samples.clear();
      samples.addAll(half);
      rowsPerSample *= 2;
    }

    void moveTo(List<KeySample> all) {
      end();
      all.addAll(samples);
    }
  }
}
