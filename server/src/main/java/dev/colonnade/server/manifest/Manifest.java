package dev.colonnade.server.manifest;

import dev.colonnade.server.codec.ByteWriter;
import dev.colonnade.server.codec.FileHeader;
import dev.colonnade.server.env.FileSystem;
import dev.colonnade.server.env.FileSystem.WritableFile;
import dev.colonnade.server.env.NoSpaceException;
import dev.colonnade.server.model.FamilyId;
import java.io.Closeable;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.util.Collections;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The manifest of a node, in the file {@value #NAME} and the same again in {@value #COPY_NAME}, so
 * that damage of one is not the end of the store. Thread-safe; {@link #apply} blocks on the disk.
 *
 * <p>The published states are immutable; {@link #families} is a snapshot.
 */
public final class Manifest implements Closeable {
  /** The manifest's file, in the root of the node's data directory. */
  public static final String NAME = "MANIFEST";

  /** The same, once more; written after the first. */
  public static final String COPY_NAME = "MANIFEST.copy";

  private static final String NEW_NAME = "MANIFEST.tmp";

  private final FileSystem files;
  private final NodeIdentity identity;
  private final long rewriteBytes;
  private final ByteWriter buffer = new ByteWriter(4096);

  private volatile SortedMap<FamilyId, FamilyState> families;
  private long edits;
  private Files open;

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
     * An edit that finds no room is cut off again, durably: no restart may find a change that was
     * refused. No sync has failed then, so what is before it is as good as it was.
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
   * Opens the manifest in the root of {@code files}, or makes a new one at the first start.
   *
   * @param wanted who the node is meant to be. Its id counts at the first start only.
   * @param rewriteBytes the file is written anew when it is longer than this and than twice what it
   *     says; 1 MiB is a good value
   * @throws IdentityMismatchException if the files are those of a node with another cluster name or
   *     partitioner
   * @throws dev.colonnade.server.codec.UnreadableFileException if both files are damaged, or of
   *     another release
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
    // Always written anew: that drops a torn tail, mends a damaged file by the other, and makes
    // durable what only the system may have had.
    Files open = write(files, identity, families, edits);
    return new Manifest(files, identity, rewriteBytes, families, edits, open);
  }

  /** Whether a node has lived here. */
  public static boolean exists(FileSystem files) throws IOException {
    return files.exists(NAME) || files.exists(COPY_NAME);
  }

  /**
   * Reads who the node is, before it is decided how to start it.
   *
   * @throws FileNotFoundException if there is no manifest yet
   */
  public static NodeIdentity readIdentity(FileSystem files) throws IOException {
    return ManifestCopies.read(files).identity();
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
    return open.first().size();
  }

  /**
   * Makes a change durable, then visible.
   *
   * @throws IllegalArgumentException if the edit does not fit the present state; nothing has been
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
   * Begins shorter files. What was asked is durable already, so a failure here is no failure of
   * that; but it is unknown then which files a restart finds, and the next edit is refused.
   */
  private void rewrite() {
    try {
      if (files.usableBytes() < 4 * open.first().size()) {
        // Another time: the long files say the same.
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

  /** Writes a whole manifest beside the old one and lets it take its place. */
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
