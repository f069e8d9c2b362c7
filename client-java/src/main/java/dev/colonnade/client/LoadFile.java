package dev.colonnade.client;

import com.google.protobuf.ByteString;
import com.google.protobuf.UnsafeByteOperations;
import dev.colonnade.admin.v1.LoadRow;
import dev.colonnade.admin.v1.LoadRowsChunk;
import dev.colonnade.v1.Column;
import dev.colonnade.v1.SuperColumn;
import java.io.BufferedOutputStream;
import java.io.Closeable;
import java.io.DataOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * The sorted columns of a load as the chunks in which they are sent, each as its length, its
 * checksum and its bytes. They are written once, and read as often as there are replicas. Chunks
 * are grouped into parts, each within one range of the ring: a part is what a node takes in one
 * step.
 */
final class LoadFile {

  private static final int CHUNK_HEADER_BYTES = 8;

  /** The key of a row, its tags and lengths; more than it ever takes beside key and columns. */
  private static final int ROW_BYTES = 32;

  /**
   * What a node takes in one step.
   *
   * @param range index of the range of the ring
   * @param offset in the file
   * @param bytes of rows in its chunks
   * @param checksum of the checksums of its chunks
   */
  record Part(int range, long offset, int chunks, long rows, long bytes, int checksum) {}

  private LoadFile() {}

  /** Which range of the ring holds a token. */
  interface Ranges {
    int of(byte[] token) throws IOException;
  }

  /** Writes columns in their order; for one thread. */
  static final class Writer implements LoadSorter.EntrySink, Closeable {
    private final DataOutputStream out;
    private final Ranges ranges;
    private final int chunkBytes;
    private final int chunkBytesMax;
    private final long partBytes;
    private final List<Part> parts = new ArrayList<>();
    private LoadRowsChunk.Builder chunk = LoadRowsChunk.newBuilder();
    private LoadRow.Builder row = LoadRow.newBuilder();
    private SuperColumn.@Nullable Builder group;
    private @Nullable LoadEntry last;
    private int range = -1;
    private int pending;
    private long offset;

    private long partOffset;
    private int partChunks;
    private long partRows;
    private long partSize;
    private CRC32C partChecksum = new CRC32C();
    private long columns;

    /**
     * Creates the file.
     *
     * @param chunkBytes ends a chunk; a column more may be in it
     * @param chunkBytesMax as many as a node takes; one column with its key and names has fewer
     * @param partBytes ends a part, at the next row with another token
     */
    Writer(Path file, Ranges ranges, int chunkBytes, int chunkBytesMax, long partBytes)
        throws IOException {
      this.out =
          new DataOutputStream(new BufferedOutputStream(Files.newOutputStream(file), 1 << 20));
      this.ranges = ranges;
      this.chunkBytes = chunkBytes;
      this.chunkBytesMax = chunkBytesMax;
      this.partBytes = partBytes;
    }

    @Override
    public void take(LoadEntry entry) throws IOException {
      LoadEntry before = last;
      if (before == null || !before.isOfRow(entry)) {
        if (before != null) {
          endRow();
        }
        int next =
            before != null && java.util.Arrays.equals(before.token(), entry.token())
                ? range
                : ranges.of(entry.token());
        if (range >= 0 && (next != range || isFull(before, entry))) {
          endPart();
        }
        range = next;
        beginRow(entry, false);
        partRows++;
      } else if (isChunkFull(entry)) {
        endRow();
        endChunk();
        beginRow(entry, true);
      }
      add(entry);
      last = entry;
      columns++;
    }

    private boolean isFull(@Nullable LoadEntry before, LoadEntry entry) {
      return partSize + pending >= partBytes
          && before != null
          && !java.util.Arrays.equals(before.token(), entry.token());
    }

    /** Whether there is enough in the chunk, or no room for one column more. */
    private boolean isChunkFull(LoadEntry next) {
      return pending >= chunkBytes || pending + next.loadBytes() > chunkBytesMax;
    }

    private void beginRow(LoadEntry entry, boolean continues) throws IOException {
      if (isChunkFull(entry)) {
        endChunk();
      }
      row = LoadRow.newBuilder().setKey(wrap(entry.key())).setContinues(continues);
      pending += entry.key().length + ROW_BYTES;
    }

    private void add(LoadEntry entry) {
      byte[] sub = entry.sub();
      Column.Builder column =
          Column.newBuilder()
              .setName(wrap(sub == null ? entry.top() : sub))
              .setValue(wrap(entry.value()))
              .setTimestamp(entry.timestampMicros());
      if (entry.ttlSeconds() > 0) {
        column.setTtlSeconds(entry.ttlSeconds());
      }
      Column built = column.build();
      pending += built.getSerializedSize() + CHUNK_HEADER_BYTES;
      if (sub == null) {
        row.addColumns(built);
        return;
      }
      SuperColumn.Builder open = group;
      ByteString name = wrap(entry.top());
      if (open == null || !open.getName().equals(name)) {
        endGroup();
        open = SuperColumn.newBuilder().setName(name);
        group = open;
        pending += name.size() + CHUNK_HEADER_BYTES;
      }
      open.addColumns(built);
    }

    private static ByteString wrap(byte[] bytes) {
      return UnsafeByteOperations.unsafeWrap(bytes);
    }

    private void endGroup() {
      SuperColumn.Builder open = group;
      if (open != null) {
        row.addSuperColumns(open);
        group = null;
      }
    }

    private void endRow() {
      endGroup();
      chunk.addRows(row);
    }

    private void endChunk() throws IOException {
      if (chunk.getRowsCount() == 0) {
        return;
      }
      byte[] bytes = chunk.build().toByteArray();
      CRC32C crc = new CRC32C();
      crc.update(bytes);
      int checksum = (int) crc.getValue();
      out.writeInt(bytes.length);
      out.writeInt(checksum);
      out.write(bytes);
      offset += CHUNK_HEADER_BYTES + bytes.length;
      partChunks++;
      partSize += bytes.length;
      partChecksum.update(ByteBuffer.allocate(4).putInt(0, checksum));
      chunk = LoadRowsChunk.newBuilder();
      pending = 0;
    }

    private void endPart() throws IOException {
      endChunk();
      parts.add(
          new Part(
              range, partOffset, partChunks, partRows, partSize, (int) partChecksum.getValue()));
      partOffset = offset;
      partChunks = 0;
      partRows = 0;
      partSize = 0;
      partChecksum = new CRC32C();
    }

    /** Ends the file; returns its parts in the order of their rows. */
    List<Part> finish() throws IOException {
      if (last != null) {
        endRow();
        endPart();
      }
      out.close();
      return List.copyOf(parts);
    }

    long columns() {
      return columns;
    }

    @Override
    public void close() throws IOException {
      out.close();
    }
  }

  /** Opens the file for {@link Chunks}. */
  static FileChannel open(Path file) throws IOException {
    return FileChannel.open(file, StandardOpenOption.READ);
  }

  /**
   * A chunk.
   *
   * @param rows an encoded LoadRowsChunk
   */
  record Chunk(long number, ByteString rows, int checksum) {}

  /** The chunks of a part, one after the other; for one thread at a time. */
  static final class Chunks {
    private final FileChannel file;
    private final Part part;
    private long offset;
    private int number;

    Chunks(FileChannel file, Part part) {
      this.file = file;
      this.part = part;
      this.offset = part.offset();
    }

    /** The next one; null at the end. */
    @Nullable Chunk next() throws IOException {
      if (number == part.chunks()) {
        return null;
      }
      ByteBuffer header = read(CHUNK_HEADER_BYTES);
      int length = header.getInt();
      int checksum = header.getInt();
      if (length < 0 || length > part.bytes()) {
        throw new IOException("the file of sorted rows is damaged: a length of " + length);
      }
      return new Chunk(number++, UnsafeByteOperations.unsafeWrap(read(length)), checksum);
    }

    private ByteBuffer read(int length) throws IOException {
      ByteBuffer bytes = ByteBuffer.allocate(length);
      while (bytes.hasRemaining()) {
        int read = file.read(bytes, offset);
        if (read < 0) {
          throw new EOFException("the file of sorted rows is cut off");
        }
        offset += read;
      }
      return bytes.flip();
    }
  }
}
