package dev.colonnade.server.manifest;

import dev.colonnade.server.codec.ByteWriter;
import dev.colonnade.server.codec.FileHeader;
import dev.colonnade.server.env.FileSystem;
import dev.colonnade.server.env.FileSystem.WritableFile;
import dev.colonnade.server.model.FamilyId;
import java.io.Closeable;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.util.Collections;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The manifest of a node, in the file {@value #NAME}. Thread-safe; {@link #apply} blocks on the
 * disk.
 *
 * <p>The published states are immutable; {@link #families} is a snapshot.
 */
public final class Manifest implements Closeable {
  /** The manifest's file, in the root of the node's data directory. */
  public static final String NAME = "MANIFEST";

  private static final String NEW_NAME = "MANIFEST.tmp";

  private final FileSystem files;
  private final NodeIdentity identity;
  private final long rewriteBytes;
  private final ByteWriter buffer = new ByteWriter(4096);

  private volatile SortedMap<FamilyId, FamilyState> families;
  private WritableFile file;

  /**
   * What the file had when it was last written anew: it may grow to twice that before it is again.
   */
  private long baseBytes;

  private @Nullable ManifestBrokenException broken;
  private boolean closed;

  private Manifest(
      FileSystem files,
      NodeIdentity identity,
      long rewriteBytes,
      SortedMap<FamilyId, FamilyState> families,
      WritableFile file) {
    this.files = files;
    this.identity = identity;
    this.rewriteBytes = rewriteBytes;
    this.families = Collections.unmodifiableSortedMap(families);
    this.file = file;
    this.baseBytes = file.size();
  }

  /**
   * Opens the manifest in the root of {@code files}, or makes a new one at the first start.
   *
   * @param wanted who the node is meant to be. Its id counts at the first start only.
   * @param rewriteBytes the file is written anew when it is longer than this and than twice what it
   *     says; 1 MiB is a good value
   * @throws IdentityMismatchException if the files are those of a node with another cluster name or
   *     partitioner
   * @throws dev.colonnade.server.codec.UnreadableFileException if the manifest is damaged or of
   *     another release
   */
  public static Manifest open(FileSystem files, NodeIdentity wanted, long rewriteBytes)
      throws IOException {
    if (files.exists(NEW_NAME)) {
      files.delete(NEW_NAME);
    }
    NodeIdentity identity = wanted;
    SortedMap<FamilyId, FamilyState> families = new TreeMap<>();
    if (files.exists(NAME)) {
      ManifestReader reader = ManifestReader.read(files, NAME);
      reader.identity().requireFits(wanted, files.describe(NAME));
      identity = reader.identity();
      families = reader.families();
    }
    // Always written anew: that drops a torn tail, and makes durable what only the system may have
    // had.
    WritableFile file = write(files, identity, families);
    return new Manifest(files, identity, rewriteBytes, families, file);
  }

  /**
   * Reads who the node is, before it is decided how to start it.
   *
   * @throws FileNotFoundException if there is no manifest yet
   */
  public static NodeIdentity readIdentity(FileSystem files) throws IOException {
    return ManifestReader.read(files, NAME).identity();
  }

  /** Who the node is. */
  public NodeIdentity identity() {
    return identity;
  }

  /** The families that have had an edit and were not dropped, as they are now; unmodifiable. */
  public SortedMap<FamilyId, FamilyState> families() {
    return families;
  }

  /** What is live of a family now. */
  public FamilyState family(FamilyId family) {
    FamilyState state = families.get(family);
    return state == null ? FamilyState.empty(family) : state;
  }

  /** Bytes in the file now. */
  public synchronized long fileBytes() {
    return file.size();
  }

  /**
   * Makes a change durable, then visible.
   *
   * @throws IllegalArgumentException if the edit does not fit the present state; nothing has been
   *     changed
   * @throws ManifestBrokenException if this or an earlier write failed. Whether this edit is found
   *     after a restart is unknown.
   */
  public synchronized void apply(Edit edit) throws IOException {
    requireUsable();
    TreeMap<FamilyId, FamilyState> after = new TreeMap<>(families);
    if (edit.drop()) {
      after.remove(edit.family());
    } else {
      after.put(edit.family(), family(edit.family()).after(edit));
    }
    try {
      buffer.reset();
      ManifestRecords.write(frame(buffer), edit);
      finishFrame(buffer, 0, file.size());
      file.write(buffer.asByteBuffer());
      file.sync();
      families = Collections.unmodifiableSortedMap(after);
      if (file.size() > Math.max(rewriteBytes, 2 * baseBytes)) {
        rewrite();
      }
    } catch (IOException e) {
      broken = new ManifestBrokenException(files.describe(NAME), e);
      throw broken;
    } finally {
      buffer.resetAndShrink(4096);
    }
  }

  /** Closes the file. Everything is durable already. */
  @Override
  public synchronized void close() throws IOException {
    closed = true;
    file.close();
  }

  private void rewrite() throws IOException {
    WritableFile old = file;
    file = write(files, identity, families);
    baseBytes = file.size();
    old.close();
  }

  private void requireUsable() throws ManifestBrokenException {
    if (broken != null) {
      throw broken;
    }
    if (closed) {
      throw new IllegalStateException("the manifest is closed");
    }
  }

  /** Writes a whole manifest beside the old one and lets it take its place. */
  private static WritableFile write(
      FileSystem files, NodeIdentity identity, SortedMap<FamilyId, FamilyState> families)
      throws IOException {
    ByteWriter out = new ByteWriter(4096);
    FileHeader.write(out, ManifestRecords.FORMAT, ManifestRecords.identity(identity));
    for (FamilyState state : families.values()) {
      int from = out.position();
      ManifestRecords.write(frame(out), state);
      finishFrame(out, from, from);
    }
    WritableFile file = files.create(NEW_NAME);
    try {
      file.write(out.asByteBuffer());
      file.sync();
      files.rename(NEW_NAME, NAME);
      files.syncDirectory("");
      return file;
    } catch (IOException e) {
      file.close();
      throw e;
    }
  }

  private static ByteWriter frame(ByteWriter out) {
    out.reserve(ManifestReader.FRAME_BYTES);
    return out;
  }

  private static void finishFrame(ByteWriter out, int from, long at) {
    int payload = from + ManifestReader.FRAME_BYTES;
    int length = out.position() - payload;
    if (length > ManifestRecords.MAX_RECORD_BYTES) {
      throw new IllegalArgumentException(
          "an edit of " + length + " bytes; the limit is " + ManifestRecords.MAX_RECORD_BYTES);
    }
    out.patchInt(from, length);
    out.patchInt(from + 4, ManifestReader.checksum(out.array(), payload, length, at));
  }
}
