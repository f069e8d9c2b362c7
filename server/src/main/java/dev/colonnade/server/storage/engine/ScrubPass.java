package dev.colonnade.server.storage.engine;

import dev.colonnade.server.base.codec.CorruptFileException;
import dev.colonnade.server.base.env.RandomSource;
import dev.colonnade.server.base.model.FamilyId;
import dev.colonnade.server.storage.sstable.SSTable;
import dev.colonnade.server.storage.sstable.SSTableResources;
import dev.colonnade.server.storage.sstable.SSTableSweep;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One pass over the files of families that are live when it is made, in random order, which
 * compares the checksums of their blocks. A file is held only while {@link #read} runs; one that is
 * merged before its turn was read by the merge.
 *
 * <p>One thread at a time; {@link #read} blocks.
 */
final class ScrubPass {

  private static final Logger LOG = LoggerFactory.getLogger(ScrubPass.class);

  /** How many damaged files are named. */
  private static final int NAMED = 20;

  /** A file in the list. */
  private record ListedFile(FamilyId family, long generation) {}

  private final ColumnFamilyStores families;
  private final SSTableResources resources;
  private final DamageListener damage;
  private final List<ListedFile> left = new ArrayList<>();
  private final int files;
  private final List<String> damaged = new ArrayList<>();
  private SSTableSweep sweep = new SSTableSweep();
  private long blocks;
  private long bytes;
  private long damagedFiles;

  /**
   * Lists the files.
   *
   * @param stores whose files are read
   * @param damage is told of what is damaged
   */
  ScrubPass(
      ColumnFamilyStores families,
      Collection<ColumnFamilyStore> stores,
      SSTableResources resources,
      DamageListener damage,
      RandomSource random) {
    this.families = families;
    this.resources = resources;
    this.damage = damage;
    for (ColumnFamilyStore store : stores) {
      for (SSTable table : store.view().tables()) {
        left.add(new ListedFile(store.id(), table.identity().generation()));
      }
    }
    for (int i = left.size() - 1; i > 0; i--) {
      int other = random.nextInt(i + 1);
      ListedFile moved = left.get(i);
      left.set(i, left.get(other));
      left.set(other, moved);
    }
    this.files = left.size();
  }

  boolean isDone() {
    return left.isEmpty();
  }

  ScrubReport report() {
    return new ScrubReport(files - left.size(), files, blocks, bytes, damagedFiles, damaged);
  }

  /**
   * Reads on in one file, while there is one.
   *
   * @param bytesMax ends after the block with which this many bytes were read
   * @return bytes read
   */
  long read(long bytesMax) {
    ListedFile file = left.get(left.size() - 1);
    ColumnFamilyStore store = families.find(file.family());
    Optional<SSTable> table = store == null ? Optional.empty() : table(store, file.generation());
    if (store == null || table.isEmpty() || !table.get().retain()) {
      next();
      return 0;
    }
    long before = sweep.blocks();
    try {
      long read = sweep.step(resources, table.get(), bytesMax);
      bytes += read;
      blocks += sweep.blocks() - before;
      if (sweep.isDone()) {
        next();
      }
      return read;
    } catch (CorruptFileException found) {
      damagedFiles++;
      if (damaged.size() < NAMED) {
        damaged.add("file " + file.generation() + " of " + store.definition().qualifiedName());
      }
      next();
      damage.found(store, found);
    } catch (IOException unreadable) {
      LOG.warn(
          "file {} of {} could not be read to look for damage; the next pass reads it again",
          file.generation(),
          store.definition().qualifiedName(),
          unreadable);
      next();
    } finally {
      table.get().release();
    }
    return 0;
  }

  private static Optional<SSTable> table(ColumnFamilyStore store, long generation) {
    return store.view().tables().stream()
        .filter(each -> each.identity().generation() == generation)
        .findFirst();
  }

  private void next() {
    left.remove(left.size() - 1);
    sweep = new SSTableSweep();
  }
}
