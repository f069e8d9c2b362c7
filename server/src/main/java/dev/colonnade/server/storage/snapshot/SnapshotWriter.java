package dev.colonnade.server.storage.snapshot;

import dev.colonnade.server.base.codec.Checksums;
import dev.colonnade.server.base.env.FileSystem;
import dev.colonnade.server.base.env.FileSystem.ReadableFile;
import dev.colonnade.server.base.model.FamilyId;
import dev.colonnade.server.storage.snapshot.SnapshotFile.SnapshotComponent;
import dev.colonnade.server.storage.sstable.SSTableIdentity;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Takes one snapshot: {@link #link} while the files are held, then {@link #step} until it is done,
 * then {@link #finish}. Without that, {@link #abandon} leaves nothing, and so does the next start.
 *
 * <p>Checksums of files that an older snapshot has, too, are taken from its manifest: a data file
 * never changes, so only what is new is read.
 *
 * <p>One thread at a time; blocks.
 */
public final class SnapshotWriter {

  private static final int CHUNK_BYTES = 256 << 10;

  /**
   * A family whose files are linked.
   *
   * @param family all of it but the files
   * @param files of the data directory
   */
  public record LinkedFamily(SnapshotFamily family, List<SSTableIdentity> files) {
    /** Copies the list. */
    public LinkedFamily {
      files = List.copyOf(files);
    }
  }

  /** One file whose checksum is to be computed. */
  private record Unread(FamilyId family, long generation, String name, String path, long bytes) {}

  private record ComponentKey(FamilyId family, long generation, String name) {}

  private final SnapshotDirectory directory;
  private final FileSystem files;
  private final String path;
  private final SnapshotManifest described;
  private final Map<ComponentKey, SnapshotComponent> known = new HashMap<>();
  private final List<LinkedFamily> linked = new ArrayList<>();
  private final Map<ComponentKey, SnapshotComponent> read = new HashMap<>();
  private final Deque<Unread> unread = new ArrayDeque<>();
  private final Checksums.RunningChecksum checksum = new Checksums.RunningChecksum();
  private final byte[] chunk = new byte[CHUNK_BYTES];
  private Optional<SnapshotMoment> moment = Optional.empty();
  private @Nullable ReadableFile open;
  private long openAt;
  private long doneBytes;
  private long totalBytes;

  private SnapshotWriter(SnapshotDirectory directory, SnapshotManifest described) {
    this.directory = directory;
    this.files = directory.files();
    this.path = SnapshotDirectory.path(described.name());
    this.described = described;
  }

  /**
   * Begins a snapshot.
   *
   * @param described all of it but the families
   * @throws SnapshotRefusedException if the name is bad or taken
   */
  public static SnapshotWriter begin(SnapshotDirectory directory, SnapshotManifest described)
      throws IOException {
    SnapshotDirectory.requireName(described.name());
    directory.requireFree(described.name());
    SnapshotWriter writer = new SnapshotWriter(directory, described);
    // What an attempt that failed could not delete.
    directory.discard(described.name());
    for (SnapshotManifest older : directory.manifests()) {
      writer.learn(older);
    }
    return writer;
  }

  private void learn(SnapshotManifest older) {
    for (SnapshotFamily family : older.families()) {
      for (SnapshotFile file : family.files()) {
        for (SnapshotComponent component : file.components()) {
          known.put(new ComponentKey(family.id(), file.generation(), component.name()), component);
        }
      }
    }
  }

  /**
   * Links the files, durably; they need not be held any more when this returns.
   *
   * @param at the moment of which they are
   */
  public void link(SnapshotMoment at, List<LinkedFamily> families) throws IOException {
    moment = Optional.of(at);
    Set<String> made = new TreeSet<>(Set.of("", SnapshotDirectory.ROOT, path));
    files.createDirectories(path);
    for (LinkedFamily family : families) {
      String target = path + "/" + family.family().directory();
      files.createDirectories(target);
      made.addAll(SnapshotDirectory.parents(target));
      linked.add(family);
      for (SSTableIdentity file : family.files()) {
        for (String name : file.lastingFileNames()) {
          files.link(file.directory() + "/" + name, target + "/" + name);
          add(family.family().id(), file.generation(), name, target + "/" + name);
        }
      }
    }
    for (String each : made) {
      files.syncDirectory(each);
    }
  }

  private void add(FamilyId family, long generation, String name, String linkPath)
      throws IOException {
    long bytes;
    try (ReadableFile file = files.open(linkPath)) {
      bytes = file.size();
    }
    ComponentKey key = new ComponentKey(family, generation, name);
    SnapshotComponent before = known.get(key);
    // An index that was rebuilt since has other bytes, if not another length; rows never do.
    boolean sameRows = name.endsWith(SSTableIdentity.ROWS_SUFFIX);
    if (before != null && before.bytes() == bytes && sameRows) {
      read.put(key, before);
    } else {
      unread.add(new Unread(family, generation, name, linkPath, bytes));
      totalBytes += bytes;
    }
  }

  /**
   * Reads on.
   *
   * @param bytes about how many
   * @return whether there is more to read
   */
  public boolean step(long bytes) throws IOException {
    long until = doneBytes + bytes;
    while (!unread.isEmpty() && doneBytes < until) {
      Unread next = unread.element();
      ReadableFile file = open;
      if (file == null) {
        file = files.open(next.path());
        open = file;
        openAt = 0;
        checksum.reset();
      }
      int length = (int) Math.min(chunk.length, next.bytes() - openAt);
      file.read(openAt, ByteBuffer.wrap(chunk, 0, length));
      checksum.update(chunk, 0, length);
      openAt += length;
      doneBytes += length;
      if (openAt == next.bytes()) {
        close();
        unread.remove();
        read.put(
            new ComponentKey(next.family(), next.generation(), next.name()),
            new SnapshotComponent(next.name(), next.bytes(), checksum.value()));
      }
    }
    return !unread.isEmpty();
  }

  /** Bytes read so far. */
  public long doneBytes() {
    return doneBytes;
  }

  /** Bytes to be read. */
  public long totalBytes() {
    return totalBytes;
  }

  /** Completes the snapshot: from now on, and after any crash, it is a whole one. */
  public SnapshotManifest finish() throws IOException {
    List<SnapshotFamily> families = new ArrayList<>();
    for (LinkedFamily each : linked) {
      SnapshotFamily family = each.family();
      List<SnapshotFile> members = new ArrayList<>();
      for (SSTableIdentity file : each.files()) {
        List<SnapshotComponent> components = new ArrayList<>();
        for (String name : file.lastingFileNames()) {
          components.add(require(new ComponentKey(family.id(), file.generation(), name)));
        }
        members.add(new SnapshotFile(file.generation(), components));
      }
      families.add(
          new SnapshotFamily(
              family.id(),
              family.keyspace(),
              family.name(),
              family.directory(),
              family.truncation(),
              family.missing(),
              members));
    }
    SnapshotManifest manifest =
        new SnapshotManifest(
            described.name(),
            described.createdMicros(),
            described.cluster(),
            described.nodeId(),
            described.partitioner(),
            described.tokens(),
            described.schema(),
            families,
            described.accounts(),
            moment);
    SnapshotManifestFile.write(files, path, manifest);
    return manifest;
  }

  private SnapshotComponent require(ComponentKey key) {
    SnapshotComponent component = read.get(key);
    if (component == null) {
      throw new IllegalStateException(key.name() + " was not read");
    }
    return component;
  }

  private void close() throws IOException {
    ReadableFile file = open;
    open = null;
    if (file != null) {
      file.close();
    }
  }

  /** Deletes what there is of it. */
  public void abandon() throws IOException {
    try {
      close();
    } finally {
      directory.discard(described.name());
    }
  }
}
