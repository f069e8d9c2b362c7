package dev.colonnade.server.storage.snapshot;

import dev.colonnade.server.base.codec.Checksums;
import dev.colonnade.server.base.codec.UnreadableFileException;
import dev.colonnade.server.base.env.FileSystem;
import dev.colonnade.server.base.env.FileSystem.ReadableFile;
import dev.colonnade.server.base.schema.ComparatorResolver;
import dev.colonnade.server.base.schema.SchemaException;
import dev.colonnade.server.storage.snapshot.SnapshotFile.SnapshotComponent;
import dev.colonnade.server.storage.sstable.SSTable;
import java.io.EOFException;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongConsumer;

/**
 * Verifies a snapshot where it lies, without a node: every file of the manifest is there, with its
 * length and checksum, and every data file that passes is read to its end (checksums of blocks,
 * order of rows and cells, index, filter). Writes nothing. Blocks; one thread at a time.
 */
public final class SnapshotVerifier {

  private static final int CHUNK_BYTES = 256 << 10;

  private final FileSystem snapshot;
  private final LongConsumer progress;
  private final List<String> damage = new ArrayList<>();
  private final byte[] chunk = new byte[CHUNK_BYTES];
  private long doneBytes;

  private SnapshotVerifier(FileSystem snapshot, LongConsumer progress) {
    this.snapshot = snapshot;
    this.progress = progress;
  }

  /**
   * What was found.
   *
   * @param damage one sentence for each file that is missing or damaged; empty if all is well
   * @param unchecked why the content of data files was not read, beyond their checksums; empty if
   *     it was
   */
  public record Report(SnapshotManifest manifest, List<String> damage, String unchecked) {
    /** Copies the list. */
    public Report {
      damage = List.copyOf(damage);
    }
  }

  /**
   * Verifies a snapshot.
   *
   * @param snapshot rooted at its own directory
   * @param types finds the comparators of its families
   * @param progress told how many bytes of the manifest's are verified
   * @throws FileNotFoundException if there is no manifest
   * @throws UnreadableFileException if the manifest is damaged, or of another release
   */
  public static Report verify(FileSystem snapshot, ComparatorResolver types, LongConsumer progress)
      throws IOException {
    return new SnapshotVerifier(snapshot, progress).run(types);
  }

  private Report run(ComparatorResolver types) throws IOException {
    SnapshotManifest manifest = SnapshotManifestFile.read(snapshot, "");
    String unchecked = "";
    try (SnapshotTables tables = new SnapshotTables(snapshot, manifest, types)) {
      for (SnapshotFamily family : manifest.families()) {
        for (SnapshotFile file : family.files()) {
          if (verify(family, file)) {
            readWhole(tables, family, file);
          }
        }
      }
    } catch (SchemaException unknown) {
      unchecked =
          "the rows were not read, only compared with their checksums: " + unknown.getMessage();
      for (SnapshotFamily family : manifest.families()) {
        for (SnapshotFile file : family.files()) {
          verify(family, file);
        }
      }
    }
    return new Report(manifest, damage, unchecked);
  }

  /** Compares the file's components with the manifest; whether all of them are as it says. */
  private boolean verify(SnapshotFamily family, SnapshotFile file) throws IOException {
    boolean sound = true;
    for (SnapshotComponent component : file.components()) {
      String path = family.directory() + "/" + component.name();
      String fault = fault(path, component);
      if (!fault.isEmpty()) {
        damage.add(snapshot.describe(path) + " " + fault);
        sound = false;
      }
      doneBytes += component.bytes();
      progress.accept(doneBytes);
    }
    return sound;
  }

  private String fault(String path, SnapshotComponent expected) throws IOException {
    try (ReadableFile file = snapshot.open(path)) {
      long size = file.size();
      if (size != expected.bytes()) {
        return "has " + size + " bytes, not the " + expected.bytes() + " of the manifest";
      }
      Checksums.RunningChecksum checksum = new Checksums.RunningChecksum();
      for (long at = 0; at < size; at += chunk.length) {
        int length = (int) Math.min(chunk.length, size - at);
        file.read(at, ByteBuffer.wrap(chunk, 0, length));
        checksum.update(chunk, 0, length);
      }
      return checksum.value() == expected.checksum()
          ? ""
          : "has the checksum "
              + Checksums.text(checksum.value())
              + ", not the "
              + Checksums.text(expected.checksum())
              + " of the manifest";
    } catch (FileNotFoundException missing) {
      return "is missing";
    } catch (EOFException shorter) {
      return "became shorter while it was read";
    }
  }

  /** A file can have been damaged before the snapshot was taken: then its checksum is right. */
  private void readWhole(SnapshotTables tables, SnapshotFamily family, SnapshotFile file)
      throws IOException {
    try {
      SSTable table = tables.open(family, file);
      table.verify();
    } catch (UnreadableFileException damaged) {
      damage.add(damaged.getMessage() + ": it was damaged when the snapshot was taken already");
    }
    tables.close();
  }
}
