package dev.colonnade.client;

import dev.colonnade.admin.v1.BulkLoadServiceGrpc;
import dev.colonnade.admin.v1.DescribeLoadRequest;
import dev.colonnade.admin.v1.DescribeLoadResponse;
import io.grpc.Deadline;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Loads columns in bulk, past the nodes' commit logs and memtables: sorts them here, within a bound
 * of memory, and sends each range of the ring to all of its replicas, which write them straight
 * into data files. What was loaded is as if it had been inserted. Add all columns in any order,
 * then {@link #load}; close it, which deletes its files.
 *
 * <p>A part of the rows becomes visible at a replica in one step, but not all parts, nor a part at
 * all replicas, at once. A failed or killed load is made again with the same columns, which does no
 * harm; with a {@link BulkLoadOptions#stateFile} it goes on where it was.
 *
 * <p>For one thread at a time. Methods wait, and throw {@link ColonnadeException}.
 */
public final class BulkLoader implements AutoCloseable {

  /** Directories of loads have names like this, so that nothing else is taken for one. */
  static final String DIRECTORY_PREFIX = "colonnade-bulk-load-";

  private static final int KEY_BYTES_MAX = 65_535;

  /** Small enough for two of each load in a node's memory, large enough to keep it writing. */
  private static final int CHUNK_BYTES = 256 << 10;

  private final Colonnade client;
  private final BulkLoadTarget target;
  private final BulkLoadOptions options;
  private final TokenBytes tokens;
  private final NameOrder tops;
  private final @Nullable NameOrder subs;
  private final LoadState state;
  private final Path directory;
  private final LoadSorter sorter;
  private long added;
  private boolean loaded;

  private BulkLoader(
      Colonnade client,
      BulkLoadTarget target,
      BulkLoadOptions options,
      TokenBytes tokens,
      NameOrder tops,
      @Nullable NameOrder subs)
      throws IOException {
    this.client = client;
    this.target = target;
    this.options = options;
    this.tokens = tokens;
    this.tops = tops;
    this.subs = subs;
    this.state =
        LoadState.open(options.stateFile(), target.identity(), System.currentTimeMillis() * 1_000);
    if (state.leftDirectory().isPresent()) {
      deleteLeft(state.leftDirectory().get());
    }
    this.directory =
        options.directory().isPresent()
            ? Files.createTempDirectory(options.directory().get(), DIRECTORY_PREFIX)
            : Files.createTempDirectory(DIRECTORY_PREFIX);
    state.begin(target.identity(), directory.toAbsolutePath());
    this.sorter = new LoadSorter(directory, options.memoryBytes(), LoadEntry.byPlace(tops, subs));
  }

  /**
   * What is loaded into.
   *
   * @param described by a node before any column was read
   */
  record BulkLoadTarget(String keyspace, String family, DescribeLoadResponse described) {
    String qualifiedName() {
      return keyspace + "." + family;
    }

    /** What was taken is of no use to another family of that name, or after a truncation. */
    String identity() {
      return qualifiedName() + " " + described.getFamilyId() + " " + described.getTruncation();
    }
  }

  static BulkLoader open(
      Colonnade client, String keyspace, String familyName, BulkLoadOptions options) {
    String partitioner = client.cluster().describe().partitioner();
    TokenBytes tokens = TokenBytes.of(partitioner);
    if (tokens == null) {
      throw new IllegalArgumentException(
          "a load is sorted by its client, which does not know the tokens of " + partitioner);
    }
    ColumnFamilyDefinition family =
        client.schema().keyspace(keyspace).columnFamilies().stream()
            .filter(each -> each.name().equals(familyName))
            .findFirst()
            .orElse(null);
    DescribeLoadResponse described =
        Transport.await(
            client
                .transport()
                .call(
                    BulkLoadServiceGrpc.getDescribeLoadMethod(),
                    DescribeLoadRequest.newBuilder()
                        .setKeyspace(keyspace)
                        .setColumnFamily(familyName)
                        .build(),
                    Deadline.after(10, TimeUnit.SECONDS),
                    Applied.NO));
    if (family == null) {
      throw new IllegalStateException(
          keyspace + "." + familyName + " was made just now; try again");
    }
    try {
      return new BulkLoader(
          client,
          new BulkLoadTarget(keyspace, familyName, described),
          options,
          tokens,
          order(family.compareWith()),
          family.isSuper() ? order(family.compareSubcolumnsWith().orElse("")) : null);
    } catch (IOException e) {
      throw new UncheckedIOException("the load's files cannot be made: " + e.getMessage(), e);
    }
  }

  private static NameOrder order(String comparator) {
    NameOrder order = NameOrder.of(comparator);
    if (order == null) {
      throw new IllegalArgumentException(
          "a load is sorted by its client, which does not know the comparator " + comparator);
    }
    return order;
  }

  /**
   * Adds a column of a Standard family.
   *
   * @param column without a timestamp it gets that of the load, the moment at which it was begun
   * @throws IllegalArgumentException if no node would take it; nothing was added, and others can be
   * @throws UncheckedIOException if it cannot be spilled to a file
   */
  public void add(byte[] key, Column<byte[], byte[]> column) {
    if (subs != null) {
      throw new IllegalArgumentException(
          target.qualifiedName() + " is Super: a column needs a super column around it");
    }
    add(key, column.name(), null, column);
  }

  /** As {@link #add(byte[], Column)}, a column of a super column of a Super family. */
  public void add(byte[] key, byte[] superColumn, Column<byte[], byte[]> column) {
    NameOrder order = subs;
    if (order == null) {
      throw new IllegalArgumentException(
          target.qualifiedName() + " is Standard: its rows have no super columns");
    }
    require(order, "column", column.name());
    add(key, superColumn, column.name(), column);
  }

  private void add(byte[] key, byte[] top, byte @Nullable [] sub, Column<byte[], byte[]> column) {
    requireNotLoaded("a column is added after load");
    if (key.length == 0 || key.length > KEY_BYTES_MAX) {
      throw new IllegalArgumentException("a key has 1 to 65535 bytes, not " + key.length);
    }
    require(tops, sub == null ? "column" : "super column", top);
    byte[] token = tokens.ofKey().apply(key);
    if (token == null) {
      throw new IllegalArgumentException("the partitioner takes only keys that are UTF-8");
    }
    LoadEntry entry =
        new LoadEntry(
            token,
            key,
            top,
            sub,
            column.value(),
            column.timestampMicros().orElse(state.timestampMicros()),
            column.ttl().map(ttl -> Math.toIntExact(ttl.toSeconds())).orElse(0));
    if (entry.loadBytes() > target.described().getMaxChunkBytes()) {
      throw new IllegalArgumentException(
          "a column with its key and names has at most "
              + target.described().getMaxChunkBytes()
              + " bytes here; this one has "
              + entry.loadBytes());
    }
    try {
      sorter.add(entry);
    } catch (IOException e) {
      throw new UncheckedIOException("sorted columns cannot be spilled: " + e.getMessage(), e);
    }
    added++;
  }

  private static void require(NameOrder order, String what, byte[] name) {
    if (name.length == 0 || name.length > KEY_BYTES_MAX) {
      throw new IllegalArgumentException(
          "the name of a " + what + " has 1 to 65535 bytes, not " + name.length);
    }
    if (!order.valid().test(name)) {
      throw new IllegalArgumentException("the name of a " + what + " is " + order.rule());
    }
  }

  private void requireNotLoaded(String what) {
    if (loaded) {
      throw new IllegalStateException(
          what
              + "; a loader loads once, so make another one, with the same state file to send only"
              + " what replicas lack");
    }
  }

  /**
   * From when times to live count, in seconds since 1970: the moment at which the load began, also
   * when it goes on later with its state file.
   */
  public long timesToLiveFrom() {
    return state.timestampMicros() / 1_000_000;
  }

  /** How many columns were added. */
  public long added() {
    return added;
  }

  /**
   * Sends everything that was added, and waits until the replicas have taken it. Can be called
   * once.
   *
   * @return what was loaded, and what replicas lack although the level is met
   * @throws UnavailableException if for a part fewer replicas than the level asks for have taken
   *     it; the others stay as they are
   * @throws ColonnadeException if a node refuses the load, as when its family was truncated
   *     meanwhile
   * @throws IllegalStateException if it was called before: make another loader with the same state
   *     file to send what is missing
   * @throws UncheckedIOException if the sorted columns cannot be written or read
   */
  public BulkLoadResult load() {
    requireNotLoaded("load is called twice");
    loaded = true;
    options.progress().accept(new Progress("sorting", 0, added, ""));
    Ring ring = client.ringOf(target.keyspace());
    LoadRanges ranges = new LoadRanges(ring, tokens);
    Path file = directory.resolve("sorted");
    long columns;
    List<LoadFile.Part> parts;
    int chunkBytesMax = target.described().getMaxChunkBytes();
    int chunkBytes = Math.min(CHUNK_BYTES, chunkBytesMax / 2);
    try (LoadFile.Writer writer =
        new LoadFile.Writer(file, ranges, chunkBytes, chunkBytesMax, options.partBytes())) {
      sorter.drain(writer);
      parts = writer.finish();
      columns = writer.columns();
    } catch (IOException e) {
      throw new UncheckedIOException("sorted columns cannot be merged: " + e.getMessage(), e);
    }
    PartSender sender = new PartSender(client, target, options, ring, state);
    List<BulkLoadResult.MissingPart> missing = sender.send(file, parts);
    if (missing.isEmpty()) {
      try {
        state.delete();
      } catch (IOException e) {
        throw new UncheckedIOException("the state file cannot be deleted: " + e.getMessage(), e);
      }
    }
    return new BulkLoadResult(
        parts.stream().mapToLong(LoadFile.Part::rows).sum(),
        columns,
        parts.stream().mapToLong(LoadFile.Part::bytes).sum(),
        missing);
  }

  /** Deletes the files of sorted columns; the state file stays unless everything was loaded. */
  @Override
  public void close() {
    try {
      state.close();
      delete(directory);
    } catch (IOException e) {
      throw new UncheckedIOException("files of a load are left in " + directory, e);
    }
  }

  private static void deleteLeft(Path left) throws IOException {
    Path name = left.getFileName();
    if (name != null && name.toString().startsWith(DIRECTORY_PREFIX) && Files.isDirectory(left)) {
      delete(left);
    }
  }

  private static void delete(Path directory) throws IOException {
    if (!Files.exists(directory)) {
      return;
    }
    List<Path> files;
    try (Stream<Path> listed = Files.list(directory)) {
      files = listed.toList();
    }
    for (Path file : files) {
      Files.deleteIfExists(file);
    }
    Files.deleteIfExists(directory);
  }
}
