package dev.colonnade.server.node.platform;

import dev.colonnade.server.base.async.Claim;
import dev.colonnade.server.base.env.FileSystem;
import dev.colonnade.server.base.env.KeyIndexes;
import java.io.EOFException;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
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
 * <p>An entry of a map costs some 10 bytes beside its key and value, and a put about a microsecond.
 * So the rows of a file are divided among buckets by their hashes, 32 to a bucket on average, and a
 * bucket is one entry ({@link KeyBucket}): 12 bytes a row instead of 33, and a thirtieth of the
 * puts. Maps of earlier releases have an entry for each row; they are read as they are.
 *
 * <p>The first map that a JVM opens takes longer, since it loads Chronicle's classes ({@link
 * #warmUp}); later ones take a millisecond or two. The JVM must be started with the launcher's
 * flags. With our own marshallers a lookup allocates nothing.
 */
public final class ChronicleKeyIndexes implements KeyIndexes {
  /** Entries are spread over segments at random; a segment with more than its share may grow. */
  private static final double MAX_BLOAT_FACTOR = 8.0;

  /**
   * Part of the format: twice as many would save a third of a byte for each row, and make a lookup
   * read twice as much.
   */
  private static final int ROWS_OF_BUCKET = 32;

  /**
   * Segments of fewer buckets differ more in how many they get, and each has room for the fullest;
   * fewer segments have more readers that write to the same lock.
   */
  private static final long BUCKETS_OF_SEGMENT = 4096;

  /** A bucket of the most rows fits into the 64 chunks that an entry may have. */
  private static final int CHUNK_BYTES = 32;

  /** The header of a map stands in its first pages. */
  private static final int HEADER_BYTES_MAX = 8 << 10;

  /** The name in the header of a map that has an entry for each row. */
  private static final String ROW_KEY = "dev.colonnade.server.adapter.HashKey";

  private static final String WARM_UP_FILE = "key-index-warm-up";

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
    name(BucketNumber.class, "BucketNumber");
    name(BucketNumberMarshaller.class, "BucketNumberMarshaller");
    name(KeyBucket.class, "KeyBucket");
    name(KeyBucketMarshaller.class, "KeyBucketMarshaller");
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
  public void warmUp() throws IOException {
    Path file = files.resolve(FileSystem.requireValidPath(WARM_UP_FILE));
    Files.deleteIfExists(file);
    try {
      try (KeyIndexBuilder builder = create(WARM_UP_FILE, 1, 1)) {
        builder.put(1, 1, 1);
        builder.finish();
      }
      try (KeyIndex index = open(WARM_UP_FILE, 1)) {
        index.find(1, 1);
      }
    } finally {
      Files.deleteIfExists(file);
    }
  }

  @Override
  public KeyIndexBuilder create(String path, long entries, long positionBits) throws IOException {
    Path file = resolve(path, entries);
    // Made first, with the mode of all files of a node; Chronicle's own would be for all to read.
    files.create(path).close();
    ChronicleMap<BucketNumber, KeyBucket> map = openBuckets(file, entries, positionBits);
    try {
      allocate(file);
      boolean inMemory = PrivatePages.ofAll(map, file, PRIVATE_BYTES_MAX);
      return new MapBuilder(map, file, inMemory, buckets(entries), positionBits);
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
    Claim descriptor = files.lasting().pin();
    if (descriptor == null) {
      return KeyIndex.NONE;
    }
    try {
      return open(file, entries, descriptor);
    } catch (IOException | RuntimeException | Error failure) {
      descriptor.close();
      throw failure;
    }
  }

  private KeyIndex open(Path file, long entries, Claim descriptor) throws IOException {
    if (hasEntryForEachRow(file)) {
      ChronicleMap<HashKey, KeyIndexValue> rows = openRows(file, entries);
      check(rows, entries, file);
      return new RowIndex(rows, lookups, descriptor);
    }
    ChronicleMap<BucketNumber, KeyBucket> map = openBuckets(file, entries, Long.MAX_VALUE);
    check(map, buckets(entries), file);
    return new BucketIndex(map, buckets(entries), lookups, descriptor);
  }

  /** Checks a map that was opened, and prepares it for lookups; closes it if it is not sound. */
  private static void check(ChronicleMap<?, ?> map, long entries, Path file) throws IOException {
    long found = map.longSize();
    if (found > entries) {
      map.close();
      throw new IOException(
          file + " holds " + found + " entries, not " + entries + "; it is a different map");
    }
    try {
      PrivatePages.ofLocks(map, file);
    } catch (IOException e) {
      map.close();
      throw e;
    }
  }

  /** Whether it is a map of an earlier release. */
  private static boolean hasEntryForEachRow(Path file) throws IOException {
    try (InputStream in = Files.newInputStream(file)) {
      return new String(in.readNBytes(HEADER_BYTES_MAX), StandardCharsets.ISO_8859_1)
          .contains(ROW_KEY);
    }
  }

  private static int buckets(long entries) {
    return Math.toIntExact((entries + ROWS_OF_BUCKET - 1) / ROWS_OF_BUCKET);
  }

  /** The bucket of a hash. It grows with the hash, as an unsigned number. */
  private static int bucket(long hashHigh, int buckets) {
    return (int) (((hashHigh >>> 32) * buckets) >>> 32);
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

  private static ChronicleMap<BucketNumber, KeyBucket> openBuckets(
      Path file, long entries, long positionBits) throws IOException {
    int buckets = buckets(entries);
    double rows = (double) entries / buckets;
    return opened(
        file,
        ChronicleMapBuilder.of(BucketNumber.class, KeyBucket.class)
            .name("colonnade-key-buckets")
            .entries(buckets)
            .actualSegments((int) (1 + (buckets - 1) / BUCKETS_OF_SEGMENT))
            .actualChunkSize(CHUNK_BYTES)
            .maxBloatFactor(MAX_BLOAT_FACTOR)
            .keyMarshaller(BucketNumberMarshaller.INSTANCE)
            .constantKeySizeBySample(new BucketNumber())
            .valueMarshaller(KeyBucketMarshaller.INSTANCE)
            .averageValueSize(KeyBucket.HEADER_BYTES + rows * KeyBucket.rowBytes(positionBits)));
  }

  private static ChronicleMap<HashKey, KeyIndexValue> openRows(Path file, long entries)
      throws IOException {
    return opened(
        file,
        ChronicleMapBuilder.of(HashKey.class, KeyIndexValue.class)
            .name("colonnade-keys")
            .entries(entries)
            .maxBloatFactor(MAX_BLOAT_FACTOR)
            .keyMarshaller(HashKeyMarshaller.INSTANCE)
            .constantKeySizeBySample(new HashKey())
            .valueMarshaller(KeyIndexValueMarshaller.INSTANCE)
            .constantValueSizeBySample(new KeyIndexValue()));
  }

  private static <K, V> ChronicleMap<K, V> opened(Path file, ChronicleMapBuilder<K, V> builder)
      throws IOException {
    try {
      return builder
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
    final BucketNumber number = new BucketNumber();
    final KeyBucket bucket = new KeyBucket();
    final HashKey key = new HashKey();
    final KeyIndexValue position = new KeyIndexValue();
  }

  /** Collects the rows of one bucket, then puts it. */
  private static final class MapBuilder implements KeyIndexBuilder {
    private final ChronicleMap<BucketNumber, KeyBucket> map;
    private final Path file;
    private final boolean inMemory;
    private final int buckets;
    private final long positionBits;
    private final BucketNumber number = new BucketNumber();
    private final KeyBucket bucket = new KeyBucket();

    MapBuilder(
        ChronicleMap<BucketNumber, KeyBucket> map,
        Path file,
        boolean inMemory,
        int buckets,
        long positionBits) {
      this.map = map;
      this.file = file;
      this.inMemory = inMemory;
      this.buckets = buckets;
      this.positionBits = positionBits;
      bucket.clear(positionBits);
    }

    @Override
    public boolean put(long hashHigh, long hashLow, long position) throws IOException {
      if (position < 0 || (position & ~positionBits) != 0) {
        throw new IllegalArgumentException("position " + position + " was not announced");
      }
      int of = bucket(hashHigh, buckets);
      if (of != number.number()) {
        if (of < number.number()) {
          throw new IllegalArgumentException("hashes are put in ascending order");
        }
        putBucket();
        number.set(of);
      }
      return bucket.add(hashLow, position);
    }

    private void putBucket() throws IOException {
      if (bucket.isEmpty()) {
        return;
      }
      StagePool.moved();
      try {
        map.put(number, bucket);
      } catch (IllegalStateException full) {
        throw new IOException("the key index " + file + " takes no more entries", full);
      }
      bucket.clear(positionBits);
    }

    @Override
    public void finish() throws IOException {
      try {
        putBucket();
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

  private record BucketIndex(
      ChronicleMap<BucketNumber, KeyBucket> map,
      int buckets,
      ThreadLocal<Lookup> lookups,
      Claim descriptor)
      implements KeyIndex {

    @Override
    public long find(long hashHigh, long hashLow) {
      Lookup lookup = lookups.get();
      lookup.number.set(bucket(hashHigh, buckets));
      lookup.bucket.want(hashLow);
      try {
        map.getUsing(lookup.number, lookup.bucket);
      } catch (ChronicleHashClosedException closed) {
        throw new IllegalStateException("a key index was used after it was closed", closed);
      }
      return lookup.bucket.found();
    }

    @Override
    public void close() {
      map.close();
      descriptor.close();
    }
  }

  /** A map of an earlier release: an entry for each row. */
  private record RowIndex(
      ChronicleMap<HashKey, KeyIndexValue> map, ThreadLocal<Lookup> lookups, Claim descriptor)
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
    public void close() {
      map.close();
      descriptor.close();
    }
  }
}
