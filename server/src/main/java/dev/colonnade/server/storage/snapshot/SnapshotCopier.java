package dev.colonnade.server.storage.snapshot;

import dev.colonnade.server.base.codec.AtomicFile;
import dev.colonnade.server.base.codec.Checksums;
import dev.colonnade.server.base.codec.CorruptFileException;
import dev.colonnade.server.base.env.FileSystem;
import dev.colonnade.server.base.env.FileSystem.ReadableFile;
import dev.colonnade.server.base.env.FileSystem.WritableFile;
import dev.colonnade.server.base.env.NoSpaceException;
import dev.colonnade.server.base.model.FamilyId;
import dev.colonnade.server.storage.snapshot.SnapshotFile.SnapshotComponent;
import java.io.EOFException;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/**
 * Copies a snapshot to a directory that keeps copies of one node's snapshots. A file that an older
 * copy there has already is shared with it, by a hard link, and neither read nor copied; so each
 * copy is a whole snapshot, and deleting one frees what no other has.
 *
 * <p>The manifest is written last: without it a copy is not finished, and copying again goes on
 * where it ended. Every byte that is copied is compared with the checksums of the manifest.
 *
 * <p>For one thread; blocks. Two that copy to the same directory exclude each other beforehand.
 */
public final class SnapshotCopier {

  private static final int CHUNK_BYTES = 256 << 10;
  private static final String UNFINISHED = ".copying";

  /** Told how far it is; may wait, to slow it down. */
  @FunctionalInterface
  public interface Progress {
    /**
     * Called after each part.
     *
     * @param doneBytes of the snapshot's that are there now
     * @param readBytes that were read since the last call
     */
    void done(long doneBytes, long readBytes);
  }

  /**
   * What was done.
   *
   * @param manifest of the snapshot
   * @param copiedBytes that were read from the snapshot and written
   * @param sharedBytes of files that older copies have, too
   * @param keptBytes of files that were there already, from a copy that was interrupted
   * @param unlinkedBytes the part of {@code copiedBytes} that could have been shared, if the file
   *     system had hard links
   */
  public record Copied(
      SnapshotManifest manifest,
      long copiedBytes,
      long sharedBytes,
      long keptBytes,
      long unlinkedBytes) {}

  private record Identity(FamilyId family, long generation, SnapshotComponent component) {}

  private final FileSystem snapshot;
  private final FileSystem copies;
  private final boolean reread;
  private final Progress progress;
  private final Map<Identity, String> known = new HashMap<>();
  private final byte[] chunk = new byte[CHUNK_BYTES];
  private long doneBytes;
  private long copiedBytes;
  private long sharedBytes;
  private long keptBytes;
  private long unlinkedBytes;

  private SnapshotCopier(
      FileSystem snapshot, FileSystem copies, boolean reread, Progress progress) {
    this.snapshot = snapshot;
    this.copies = copies;
    this.reread = reread;
    this.progress = progress;
  }

  /**
   * Copies a snapshot.
   *
   * @param snapshot rooted at its own directory
   * @param copies rooted at the directory that keeps copies of this node's snapshots
   * @param reread whether files that are there already are read, too, and copied again if they are
   *     damaged
   * @throws FileNotFoundException if there is no manifest
   * @throws dev.colonnade.server.base.codec.UnreadableFileException if the snapshot is damaged
   * @throws SnapshotRefusedException if there is a copy of another snapshot of this name
   */
  public static Copied copy(
      FileSystem snapshot, FileSystem copies, boolean reread, Progress progress)
      throws IOException {
    return new SnapshotCopier(snapshot, copies, reread, progress).run();
  }

  private Copied run() throws IOException {
    SnapshotManifest manifest = SnapshotManifestFile.read(snapshot, "");
    SnapshotDirectory directory = new SnapshotDirectory(copies);
    String path = SnapshotDirectory.path(manifest.name());
    if (directory.isComplete(manifest.name())) {
      requireSame(manifest, SnapshotManifestFile.read(copies, path));
      if (!reread) {
        return new Copied(manifest, 0, 0, manifest.bytes(), 0);
      }
    } else {
      directory.requireFree(manifest.name());
    }
    // The newest last, so that its files are shared: one that was copied again is sound.
    directory.manifests().forEach(this::learn);
    Set<String> made = new TreeSet<>(Set.of("", SnapshotDirectory.ROOT, path));
    copies.createDirectories(path);
    for (SnapshotFamily family : manifest.families()) {
      String target = path + "/" + family.directory();
      copies.createDirectories(target);
      made.addAll(SnapshotDirectory.parents(target));
      Set<String> names = new HashSet<>();
      for (SnapshotFile file : family.files()) {
        for (SnapshotComponent component : file.components()) {
          names.add(component.name());
          take(new Identity(family.id(), file.generation(), component), family, target);
        }
      }
      deleteOthers(target, names);
    }
    for (String each : made) {
      copies.syncDirectory(each);
    }
    SnapshotManifestFile.write(copies, path, manifest);
    return new Copied(manifest, copiedBytes, sharedBytes, keptBytes, unlinkedBytes);
  }

  private static void requireSame(SnapshotManifest wanted, SnapshotManifest there) {
    if (wanted.createdMicros() != there.createdMicros()
        || !wanted.nodeId().equals(there.nodeId())
        || !wanted.families().equals(there.families())) {
      throw new SnapshotRefusedException(
          "there is a copy of another snapshot named '"
              + wanted.name()
              + "' already; delete it first, or take the snapshot under another name");
    }
  }

  private void learn(SnapshotManifest copy) {
    String path = SnapshotDirectory.path(copy.name());
    for (SnapshotFamily family : copy.families()) {
      for (SnapshotFile file : family.files()) {
        for (SnapshotComponent component : file.components()) {
          known.put(
              new Identity(family.id(), file.generation(), component),
              path + "/" + family.directory() + "/" + component.name());
        }
      }
    }
  }

  private void take(Identity identity, SnapshotFamily family, String directory) throws IOException {
    SnapshotComponent component = identity.component();
    String target = directory + "/" + component.name();
    boolean there = copies.exists(target);
    if (there && isSound(target, component)) {
      keptBytes += component.bytes();
      done(component.bytes(), 0);
      return;
    }
    String older = known.getOrDefault(identity, target);
    boolean shareable = !older.equals(target) && isShareable(older, component);
    if (there) {
      copies.delete(target);
    }
    if (shareable && link(older, target)) {
      sharedBytes += component.bytes();
      done(component.bytes(), 0);
    } else {
      copy(family.directory() + "/" + component.name(), target, component);
      copiedBytes += component.bytes();
      unlinkedBytes += shareable ? component.bytes() : 0;
    }
  }

  /** A file that was finished is whole, and never changes; its length says that it is still one. */
  private boolean isShareable(String path, SnapshotComponent component) throws IOException {
    if (reread) {
      return isSound(path, component);
    }
    try (ReadableFile file = copies.open(path)) {
      return file.size() == component.bytes();
    } catch (FileNotFoundException gone) {
      return false;
    }
  }

  /** Whether a file of the copies has the bytes that the manifest says. */
  private boolean isSound(String path, SnapshotComponent expected) throws IOException {
    try (ReadableFile file = copies.open(path)) {
      if (file.size() != expected.bytes()) {
        return false;
      }
      Checksums.RunningChecksum checksum = new Checksums.RunningChecksum();
      for (long at = 0; at < expected.bytes(); ) {
        int length = read(file, at, expected.bytes());
        checksum.update(chunk, 0, length);
        at += length;
        done(0, length);
      }
      return checksum.value() == expected.checksum();
    } catch (FileNotFoundException | EOFException notWhole) {
      return false;
    }
  }

  /** Whether the file could be linked; where there are no links it is copied instead. */
  private boolean link(String existing, String name) throws IOException {
    try {
      copies.link(existing, name);
      return true;
    } catch (NoSpaceException full) {
      throw full;
    } catch (IOException noLinks) {
      // If the disk is broken, the copy will say so.
      return false;
    }
  }

  private void copy(String from, String target, SnapshotComponent expected) throws IOException {
    String unfinished = target + UNFINISHED;
    Checksums.RunningChecksum checksum = new Checksums.RunningChecksum();
    try (ReadableFile in = snapshot.open(from);
        WritableFile out = AtomicFile.createAnew(copies, unfinished)) {
      for (long at = 0; at < expected.bytes(); ) {
        int length = read(in, at, expected.bytes());
        checksum.update(chunk, 0, length);
        out.write(ByteBuffer.wrap(chunk, 0, length));
        at += length;
        done(length, length);
      }
      if (in.size() != expected.bytes() || checksum.value() != expected.checksum()) {
        throw damaged(from, expected, "other bytes");
      }
      out.sync();
    } catch (FileNotFoundException | EOFException notWhole) {
      CorruptFileException damage = damaged(from, expected, String.valueOf(notWhole.getMessage()));
      damage.initCause(notWhole);
      throw damage;
    }
    copies.rename(unfinished, target);
  }

  private CorruptFileException damaged(String from, SnapshotComponent expected, String found) {
    return new CorruptFileException(
        snapshot.describe(from),
        0,
        expected.bytes() + " bytes with the checksum " + Checksums.text(expected.checksum()),
        found);
  }

  private int read(ReadableFile file, long at, long end) throws IOException {
    int length = (int) Math.min(chunk.length, end - at);
    file.read(at, ByteBuffer.wrap(chunk, 0, length));
    return length;
  }

  private void done(long bytes, long readBytes) {
    doneBytes += bytes;
    progress.done(doneBytes, readBytes);
  }

  /** What an interrupted copy of another snapshot of this name, or of a part of a file, left. */
  private void deleteOthers(String directory, Set<String> names) throws IOException {
    for (String name : copies.list(directory)) {
      if (!names.contains(name)) {
        copies.delete(directory + "/" + name);
      }
    }
  }
}
