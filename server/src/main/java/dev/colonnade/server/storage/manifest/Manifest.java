package dev.colonnade.server.storage.manifest;

import dev.colonnade.server.base.codec.ByteWriter;
import dev.colonnade.server.base.codec.FileHeader;
import dev.colonnade.server.base.env.FileSystem;
import dev.colonnade.server.base.env.FileSystem.WritableFile;
import dev.colonnade.server.base.env.NoSpaceException;
import dev.colonnade.server.base.model.FamilyId;
import java.io.Closeable;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.util.Collections;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The manifest of a node: the durable log of the live file set.
 *
 * <ul>
 *   <li>It is kept twice, in {@value #NAME} and {@value #COPY_NAME}, so that damage of one file
 *       does not lose the store. Every edit goes into the first, then into the copy.
 *   <li>An edit is durable before it is visible; after a crash all of it is there, or nothing.
 *   <li>After a failed write or sync every further edit is refused. Only an edit that found no room
 *       can be undone.
 * </ul>
 *
 * <p>Thread-safe; {@link #apply} blocks on the disk. The published states are immutable; {@link
 * #families} is a snapshot.
 */
public final class Manifest implements Closeable {
  /** The manifest's file, in the root of the node's data directory. */
  public static final String NAME = "MANIFEST";

  /** The copy, written after the first file. */
  public static final String COPY_NAME = "MANIFEST.copy";

  private static final String NEW_NAME = "MANIFEST.tmp";

  private final FileSystem files;
  private final NodeIdentity identity;
  private final long rewriteBytes;
  private final ByteWriter buffer = new ByteWriter(4096);

  private volatile SortedMap<FamilyId, FamilyState> families;
  private long edits;
  private Files open;

  /** The file's size at its last rewrite: it may grow to twice that before the next one. */
  private long baseBytes;

  private @Nullable ManifestBrokenException broken;
  private boolean closed;

  private Manifest(
      FileSystem files,
      NodeIdentity identity,
      long rewriteBytes,
      SortedMap<FamilyId, FamilyState> families,
      long edits,
      Files open) {
    this.files = files;
    this.identity = identity;
    this.rewriteBytes = rewriteBytes;
    this.families = Collections.unmodifiableSortedMap(families);
    this.edits = edits;
    this.open = open;
    this.baseBytes = open.first().size();
  }

  /** The two files, open for the next edit. Their contents are the same. */
  private record Files(WritableFile first, WritableFile copy) implements Closeable {
    /**
     * Appends an edit. One that finds no room is cut off again, durably: no restart may find a
     * change that was refused. No sync has failed then, so everything before it is sound.
     */
    void append(ByteWriter edit) throws IOException {
      long before = first.size();
      try {
        for (WritableFile file : List.of(first, copy)) {
          file.write(edit.asByteBuffer());
          file.sync();
        }
      } catch (NoSpaceException full) {
        for (WritableFile file : List.of(first, copy)) {
          if (file.size() > before) {
            file.truncate(before);
          }
          file.sync();
        }
        throw full;
      }
    }

    @Override
    public void close() throws IOException {
      try (first;
          copy) {
        // Closed in any case.
      }
    }
  }

  /**
   * Opens the manifest in the root of {@code files}, or creates one at the first start.
   *
   * @param wanted the identity that the node should have. Its id is used at the first start only.
   * @param rewriteBytes the file is rewritten when it is longer than this and than twice its
   *     content; 1 MiB is a good value
   * @throws IdentityMismatchException if the files are those of a node with another cluster name or
   *     partitioner
   * @throws dev.colonnade.server.base.codec.UnreadableFileException if both files are damaged, or
   *     of another release
   */
  public static Manifest open(FileSystem files, NodeIdentity wanted, long rewriteBytes)
      throws IOException {
    if (files.exists(NEW_NAME)) {
      files.delete(NEW_NAME);
    }
    NodeIdentity identity = wanted;
    SortedMap<FamilyId, FamilyState> families = new TreeMap<>();
    long edits = 0;
    if (exists(files)) {
      ManifestReader reader = ManifestCopies.read(files);
      reader.identity().requireFits(wanted, files.describe(NAME));
      identity = reader.identity();
      families = reader.families();
      edits = reader.edits();
    }
    // Always rewritten: that drops a torn tail, repairs a damaged file from the other, and makes
    // durable what may have been in the page cache only.
    Files open = write(files, identity, families, edits);
    return new Manifest(files, identity, rewriteBytes, families, edits, open);
  }

  /** Whether the directory has the files of a node. */
  public static boolean exists(FileSystem files) throws IOException {
    return files.exists(NAME) || files.exists(COPY_NAME);
  }

  /**
   * Reads the node's identity, before it is decided how to start the node.
   *
   * @throws FileNotFoundException if there is no manifest yet
   */
  public static NodeIdentity readIdentity(FileSystem files) throws IOException {
    return ManifestCopies.read(files).identity();
  }

  /** The node's identity. */
  public NodeIdentity identity() {
    return identity;
  }

  /**
   * The current states of all families that have had an edit and were not dropped; unmodifiable.
   */
  public SortedMap<FamilyId, FamilyState> families() {
    return families;
  }

  /** The current live set of a family. */
  public FamilyState family(FamilyId family) {
    FamilyState state = families.get(family);
    return state == null ? FamilyState.empty(family) : state;
  }

  /** Bytes in the file now. */
  public synchronized long fileBytes() {
    return open.first().size();
  }

  /**
   * Makes a change durable, then visible.
   *
   * @throws IllegalArgumentException if the edit does not fit the current state; nothing has been
   *     changed
   * @throws NoSpaceException if the disk is full; nothing has been changed, and it can be tried
   *     again
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
      finishFrame(buffer, 0, open.first().size());
      append();
      edits++;
      families = Collections.unmodifiableSortedMap(after);
    } finally {
      buffer.resetAndShrink(4096);
    }
    if (open.first().size() > Math.max(rewriteBytes, 2 * baseBytes)) {
      rewrite();
    }
  }

  private void append() throws IOException {
    try {
      open.append(buffer);
    } catch (NoSpaceException full) {
      throw full;
    } catch (IOException | RuntimeException | Error e) {
      broken = new ManifestBrokenException(files.describe(NAME), e);
      throw broken;
    }
  }

  /** Closes the files. Everything is durable already. */
  @Override
  public synchronized void close() throws IOException {
    closed = true;
    open.close();
  }

  /**
   * Begins shorter files. The last edit is durable already, so a failure here does not fail it; but
   * it is unknown then which files a restart finds, so the next edit is refused.
   */
  private void rewrite() {
    try {
      if (files.usableBytes() < 4 * open.first().size()) {
        // Tried again later: the long files have the same content.
        baseBytes = open.first().size();
        return;
      }
      Files old = open;
      open = write(files, identity, families, edits);
      baseBytes = open.first().size();
      old.close();
    } catch (IOException | RuntimeException | Error e) {
      broken = new ManifestBrokenException(files.describe(NAME), e);
    }
  }

  private void requireUsable() throws ManifestBrokenException {
    if (broken != null) {
      throw broken;
    }
    if (closed) {
      throw new IllegalStateException("the manifest is closed");
    }
  }

  private static Files write(
      FileSystem files,
      NodeIdentity identity,
      SortedMap<FamilyId, FamilyState> families,
      long edits)
      throws IOException {
    ByteWriter out = new ByteWriter(4096);
    FileHeader.write(out, ManifestRecords.FORMAT, ManifestRecords.header(identity, edits));
    for (FamilyState state : families.values()) {
      int from = out.position();
      ManifestRecords.write(frame(out), state);
      finishFrame(out, from, from);
    }
    WritableFile first = replace(files, NAME, out);
    try {
      return new Files(first, replace(files, COPY_NAME, out));
    } catch (IOException | RuntimeException | Error e) {
      first.close();
      throw e;
    }
  }

  /** Writes a whole manifest beside the old one and replaces it. */
  private static WritableFile replace(FileSystem files, String name, ByteWriter content)
      throws IOException {
    WritableFile file = files.create(NEW_NAME);
    try {
      file.write(content.asByteBuffer());
      file.sync();
      files.rename(NEW_NAME, name);
      files.syncDirectory("");
      return file;
    } catch (IOException | RuntimeException | Error e) {
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
