package dev.colonnade.server.node.platform;

import dev.colonnade.server.base.env.FileExistsException;
import dev.colonnade.server.base.env.FileSystem;
import dev.colonnade.server.base.env.KeyIndexes;
import java.io.EOFException;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import net.openhft.chronicle.core.pool.ClassAliasPool;
import net.openhft.chronicle.hash.ChronicleHashClosedException;
import net.openhft.chronicle.map.ChronicleMap;
import net.openhft.chronicle.map.ChronicleMapBuilder;
import org.jspecify.annotations.Nullable;

/**
 * Key indexes as Chronicle Maps: off-heap, each in a mapped file.
 *
 * <p>The first map that a JVM opens takes a second or more, since Chronicle then compiles classes;
 * later ones take a millisecond or two. The JVM must be started with the launcher's flags. Our own
 * marshallers write keys as 16 bytes and values as 8, so that a lookup allocates nothing.
 */
public final class ChronicleKeyIndexes implements KeyIndexes {
  /** Entries are spread over segments at random; a segment with more than its share may grow. */
  private static final double MAX_BLOAT_FACTOR = 8.0;

  /**
   * A map up to this size, of some million rows, is built in private memory and then written. A
   * larger one is built in shared pages of its file, which the operating system can reclaim.
   */
  private static final long PRIVATE_BYTES_MAX = 64 << 20;

  private static final int PAGE_BYTES = 4096;
  private static final ByteBuffer ZEROS = ByteBuffer.allocate(PAGE_BYTES).asReadOnlyBuffer();

  static {
    // Chronicle writes the names of classes into the header of a map. They are part of the file
    // format and stay what they are, wherever the classes lie.
    name(HashKey.class, "HashKey");
    name(HashKeyMarshaller.class, "HashKeyMarshaller");
    name(KeyIndexValue.class, "RowPosition");
    name(KeyIndexValueMarshaller.class, "RowPositionMarshaller");
  }

  private static void name(Class<?> type, String nameInFiles) {
    ClassAliasPool.CLASS_ALIASES.addAlias(type, "dev.colonnade.server.adapter." + nameInFiles);
  }

  private final OsFileSystem files;

  /** Buffers for lookups. A virtual or short-lived thread pays 100 bytes for its own. */
  private final ThreadLocal<Lookup> lookups = ThreadLocal.withInitial(Lookup::new);

  /** Creates maps next to the other files of {@code files}. */
  public ChronicleKeyIndexes(OsFileSystem files) {
    this.files = files;
  }

  @Override
  public KeyIndexBuilder create(String path, long entries) throws IOException {
    Path file = resolve(path, entries);
    if (Files.exists(file)) {
      throw new FileExistsException(file.toString());
    }
    ChronicleMap<HashKey, KeyIndexValue> map = open(file, entries);
    try {
      allocate(file);
      return new MapBuilder(map, file, PrivatePages.ofAll(map, file, PRIVATE_BYTES_MAX));
    } catch (IOException full) {
      map.close();
      throw NoSpace.translate(full, file, 0);
    }
  }

  @Override
  public KeyIndex open(String path, long entries) throws IOException {
    Path file = resolve(path, entries);
    if (!Files.exists(file)) {
      throw new FileNotFoundException(file + " does not exist");
    }
    ChronicleMap<HashKey, KeyIndexValue> map = open(file, entries);
    if (map.longSize() > entries) {
      map.close();
      throw new IOException(
          file
              + " holds "
              + map.longSize()
              + " entries, not "
              + entries
              + "; it is a different map");
    }
    try {
      PrivatePages.ofLocks(map, file);
    } catch (IOException e) {
      map.close();
      throw e;
    }
    return new MapIndex(map, lookups);
  }

  /**
   * Fills the holes of a new map with zeros. Otherwise a full disk would be noticed only when
   * mapped memory is written to the file, which kills the process.
   */
  private static void allocate(Path file) throws IOException {
    try (FileChannel channel =
        FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
      ByteBuffer page = ByteBuffer.allocate(PAGE_BYTES);
      long size = channel.size();
      for (long at = 0; at < size; at += PAGE_BYTES) {
        StagePool.moved();
        page.clear().limit((int) Math.min(PAGE_BYTES, size - at));
        readFully(channel, page, at);
        page.flip();
        if (page.mismatch(ZEROS.duplicate().limit(page.limit())) < 0) {
          while (page.hasRemaining()) {
            channel.write(page, at + page.position());
          }
        }
      }
    }
  }

  private static void readFully(FileChannel channel, ByteBuffer page, long at) throws IOException {
    while (page.hasRemaining()) {
      if (channel.read(page, at + page.position()) < 0) {
        throw new EOFException("a new key index became shorter");
      }
    }
  }

  private Path resolve(String path, long entries) {
    if (entries < 1) {
      throw new IllegalArgumentException("a key index has at least one entry, not " + entries);
    }
    return files.resolve(FileSystem.requireValidPath(path));
  }

  private static ChronicleMap<HashKey, KeyIndexValue> open(Path file, long entries)
      throws IOException {
    try {
      return ChronicleMapBuilder.of(HashKey.class, KeyIndexValue.class)
          .name("colonnade-keys")
          .entries(entries)
          .maxBloatFactor(MAX_BLOAT_FACTOR)
          .keyMarshaller(HashKeyMarshaller.INSTANCE)
          .constantKeySizeBySample(new HashKey())
          .valueMarshaller(KeyIndexValueMarshaller.INSTANCE)
          .constantValueSizeBySample(new KeyIndexValue())
          // The checksum of the whole file is verified before it is opened.
          .checksumEntries(false)
          .skipCloseOnExitHook(true)
          .createPersistedTo(file.toFile());
    } catch (RuntimeException | LinkageError failure) {
      throw new IOException(
          "could not open the key index " + file + "; it will be rebuilt from the data file",
          failure);
    }
  }

  private static final class Lookup {
    final HashKey key = new HashKey();
    final KeyIndexValue position = new KeyIndexValue();
  }

  private static final class MapBuilder implements KeyIndexBuilder {
    private final ChronicleMap<HashKey, KeyIndexValue> map;
    private final Path file;
    private final boolean inMemory;
    private final HashKey key = new HashKey();
    private final KeyIndexValue value = new KeyIndexValue();

    MapBuilder(ChronicleMap<HashKey, KeyIndexValue> map, Path file, boolean inMemory) {
      this.map = map;
      this.file = file;
      this.inMemory = inMemory;
    }

    @Override
    public boolean put(long hashHigh, long hashLow, long position) throws IOException {
      StagePool.moved();
      if (position < 0) {
        throw new IllegalArgumentException("a position is at least 0, not " + position);
      }
      key.set(hashHigh, hashLow);
      value.set(position);
      try {
        return map.putIfAbsent(key, value) == null;
      } catch (IllegalStateException full) {
        throw new IOException("the key index " + file + " takes no more entries", full);
      }
    }

    @Override
    public void finish() throws IOException {
      try {
        if (inMemory) {
          PrivatePages.write(map, file);
        }
      } finally {
        map.close();
      }
      try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
        channel.force(true);
      }
    }

    @Override
    public void close() {
      map.close();
    }
  }

  private record MapIndex(ChronicleMap<HashKey, KeyIndexValue> map, ThreadLocal<Lookup> lookups)
      implements KeyIndex {

    @Override
    public long find(long hashHigh, long hashLow) {
      Lookup lookup = lookups.get();
      lookup.key.set(hashHigh, hashLow);
      @Nullable KeyIndexValue found;
      try {
        found = map.getUsing(lookup.key, lookup.position);
      } catch (ChronicleHashClosedException closed) {
        throw new IllegalStateException("a key index was used after it was closed", closed);
      }
      return found == null ? -1 : found.position();
    }

    @Override
    public long entries() {
      return map.longSize();
    }

    @Override
    public void close() {
      map.close();
    }
  }
}
