package dev.colonnade.server.sim;

import dev.colonnade.server.env.FileExistsException;
import dev.colonnade.server.env.FileSystem;
import dev.colonnade.server.env.LockedException;
import dev.colonnade.server.env.RandomSource;
import java.io.Closeable;
import java.io.EOFException;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Files in memory that forget, when the power goes, what was not synced: bytes, names, renames and
 * deletions alike.
 *
 * <p>Operations that change something are counted from 1. A sweep runs a scenario once to learn how
 * many there are, then for each n with {@link #stopAfter} and reopens a {@link #crashClone}. Reads
 * are not counted, since a crash after a read is a crash before it.
 */
public final class SimFileSystem implements FileSystem {
  private final DiskDirectory root;
  private final Set<String> locks = new HashSet<>();
  private long operations;
  private long stopAfter = Long.MAX_VALUE;
  private long failAt = -1;
  private long usableBytes = 1L << 40;

  /** An empty disk. */
  public SimFileSystem() {
    this(new DiskDirectory());
  }

  private SimFileSystem(DiskDirectory root) {
    this.root = root;
  }

  /** The disk as a reboot finds it when the system lost all that was not synced. */
  public synchronized SimFileSystem crashClone() {
    return new SimFileSystem(root.durableCopy());
  }

  /**
   * The disk as a reboot finds it when some of what was not synced had reached it: of each file a
   * prefix of the new bytes, perhaps followed by zeros, and any subset of the changes to names, in
   * their order.
   */
  public synchronized SimFileSystem crashClone(RandomSource random) {
    return new SimFileSystem(root.copyAfterCrash(random));
  }

  /**
   * Ends the process that uses the disk, not the machine: its locks go, what it wrote stays as it
   * is.
   */
  public synchronized void kill() {
    locks.clear();
  }

  /** How many changing operations there have been. */
  public synchronized long operations() {
    return operations;
  }

  /**
   * Lets {@code count} operations (since the beginning) happen; from then on everything throws
   * {@link PowerLostException}.
   */
  public synchronized void stopAfter(long count) {
    stopAfter = count;
  }

  /**
   * Makes operation number {@code operation} throw {@link InjectedFaultException}. A write that
   * fails has written half; a sync that fails may have dropped what it should have saved, whatever
   * a later one says.
   */
  public synchronized void failAt(long operation) {
    failAt = operation;
  }

  /** Sets what {@link #usableBytes()} answers. */
  public synchronized void usableBytes(long bytes) {
    usableBytes = bytes;
  }

  /** The bytes of a file now. */
  public synchronized byte[] content(String path) throws IOException {
    return file(path).content();
  }

  /** Replaces a file, durably and without counting, as damage or a restored backup would. */
  public synchronized void overwrite(String path, byte[] content) throws IOException {
    DiskDirectory directory = directory(parent(path));
    directory.link(name(path), DiskFile.of(content));
    directory.sync();
  }

  /** Flips one bit of a file, durably and without counting. */
  public synchronized void flipBit(String path, long bit) throws IOException {
    byte[] content = file(path).content();
    content[(int) (bit / 8)] ^= (byte) (1 << (bit % 8));
    overwrite(path, content);
  }

  @Override
  public synchronized WritableFile create(String path) throws IOException {
    DiskDirectory directory = directory(parent(requireName(path)));
    if (directory.entries().containsKey(name(path))) {
      throw new FileExistsException(describe(path));
    }
    count(path);
    DiskFile file = new DiskFile();
    directory.link(name(path), file);
    return new Writer(path, file);
  }

  @Override
  public synchronized WritableFile append(String path) throws IOException {
    checkPower();
    return new Writer(path, file(path));
  }

  @Override
  public synchronized ReadableFile open(String path) throws IOException {
    checkPower();
    return new Reader(path, file(path));
  }

  @Override
  public synchronized void rename(String from, String to) throws IOException {
    DiskFile file = file(requireName(from));
    DiskDirectory source = directory(parent(from));
    DiskDirectory target = directory(parent(requireName(to)));
    if (target.entries().get(name(to)) instanceof DiskDirectory) {
      throw new IOException(describe(to) + " is a directory");
    }
    count(from);
    if (source == target) {
      source.rename(name(from), name(to));
    } else {
      target.link(name(to), file);
      source.unlink(name(from));
    }
  }

  @Override
  public synchronized void delete(String path) throws IOException {
    DiskDirectory directory = directory(parent(requireName(path)));
    Object node = directory.entries().get(name(path));
    if (node == null) {
      throw new FileNotFoundException(describe(path) + " does not exist");
    }
    if (node instanceof DiskDirectory inner && !inner.entries().isEmpty()) {
      throw new IOException(describe(path) + " is not empty");
    }
    count(path);
    directory.unlink(name(path));
  }

  @Override
  public synchronized void createDirectories(String path) throws IOException {
    FileSystem.requireValidPath(path);
    DiskDirectory current = root;
    for (String name : path.isEmpty() ? new String[0] : path.split("/")) {
      Object next = current.entries().get(name);
      if (next == null) {
        count(path);
        next = new DiskDirectory();
        current.link(name, next);
      }
      if (!(next instanceof DiskDirectory directory)) {
        throw new IOException(describe(path) + " runs through a file");
      }
      current = directory;
    }
  }

  @Override
  public synchronized List<String> list(String directory) throws IOException {
    checkPower();
    return List.copyOf(directory(FileSystem.requireValidPath(directory)).entries().keySet());
  }

  @Override
  public synchronized boolean exists(String path) throws IOException {
    checkPower();
    return find(path) != null;
  }

  @Override
  public synchronized void syncDirectory(String directory) throws IOException {
    DiskDirectory found = directory(FileSystem.requireValidPath(directory));
    count(directory);
    found.sync();
  }

  @Override
  public synchronized Closeable lock(String path) throws IOException {
    DiskDirectory directory = directory(parent(requireName(path)));
    checkPower();
    if (!locks.add(path)) {
      throw new LockedException(describe(path));
    }
    if (!directory.entries().containsKey(name(path))) {
      directory.link(name(path), new DiskFile());
    }
    return new Lock(path);
  }

  @Override
  public synchronized long usableBytes() {
    return usableBytes;
  }

  @Override
  public String describe(String path) {
    return "memory:/" + FileSystem.requireValidPath(path);
  }

  private void checkPower() throws PowerLostException {
    if (operations >= stopAfter) {
      throw new PowerLostException(stopAfter);
    }
  }

  private void count(String path) throws IOException {
    checkPower();
    operations++;
    if (operations == failAt) {
      throw new InjectedFaultException(operations, describe(path));
    }
  }

  private static String requireName(String path) {
    if (FileSystem.requireValidPath(path).isEmpty()) {
      throw new IllegalArgumentException("the root is not a file");
    }
    return path;
  }

  private static String parent(String path) {
    int slash = path.lastIndexOf('/');
    return slash < 0 ? "" : path.substring(0, slash);
  }

  private static String name(String path) {
    return path.substring(path.lastIndexOf('/') + 1);
  }

  private @Nullable Object find(String path) {
    FileSystem.requireValidPath(path);
    Object node = root;
    for (String name : path.isEmpty() ? new String[0] : path.split("/")) {
      if (!(node instanceof DiskDirectory directory)) {
        return null;
      }
      node = directory.entries().get(name);
    }
    return node;
  }

  private DiskFile file(String path) throws FileNotFoundException {
    if (find(requireName(path)) instanceof DiskFile file) {
      return file;
    }
    throw new FileNotFoundException(describe(path) + " is not a file");
  }

  private DiskDirectory directory(String path) throws FileNotFoundException {
    if (find(path) instanceof DiskDirectory directory) {
      return directory;
    }
    throw new FileNotFoundException(describe(path) + " is not a directory");
  }

  /** A held lock. */
  private final class Lock implements Closeable {
    private final String path;
    private boolean closed;

    Lock(String path) {
      this.path = path;
    }

    @Override
    public void close() {
      synchronized (SimFileSystem.this) {
        if (!closed) {
          closed = true;
          locks.remove(path);
        }
      }
    }
  }

  /** A file open for writing. */
  private final class Writer implements WritableFile {
    private final String path;
    private final DiskFile file;
    private boolean closed;

    Writer(String path, DiskFile file) {
      this.path = path;
      this.file = file;
    }

    @Override
    public void write(ByteBuffer source) throws IOException {
      synchronized (SimFileSystem.this) {
        checkOpen();
        byte[] bytes = new byte[source.remaining()];
        source.get(bytes);
        try {
          count(path);
        } catch (InjectedFaultException fault) {
          file.append(Arrays.copyOf(bytes, bytes.length / 2));
          throw fault;
        }
        file.append(bytes);
      }
    }

    @Override
    public long size() {
      synchronized (SimFileSystem.this) {
        return file.size();
      }
    }

    @Override
    public void truncate(long size) throws IOException {
      synchronized (SimFileSystem.this) {
        checkOpen();
        if (size < 0 || size > file.size()) {
          throw new IllegalArgumentException(
              "cannot cut a file of " + file.size() + " bytes to " + size);
        }
        count(path);
        file.truncate((int) size);
      }
    }

    @Override
    public void sync() throws IOException {
      synchronized (SimFileSystem.this) {
        checkOpen();
        try {
          count(path);
        } catch (InjectedFaultException fault) {
          file.failSync();
          throw fault;
        }
        file.sync();
      }
    }

    @Override
    public void close() {
      closed = true;
    }

    private void checkOpen() throws IOException {
      if (closed) {
        throw new IOException(describe(path) + " is closed");
      }
    }
  }

  /** A file open for reading. */
  private final class Reader implements ReadableFile {
    private final String path;
    private final DiskFile file;
    private volatile boolean closed;

    Reader(String path, DiskFile file) {
      this.path = path;
      this.file = file;
    }

    @Override
    public long size() throws IOException {
      synchronized (SimFileSystem.this) {
        checkOpen();
        return file.size();
      }
    }

    @Override
    public void read(long position, ByteBuffer target) throws IOException {
      synchronized (SimFileSystem.this) {
        checkOpen();
        int length = target.remaining();
        if (position < 0) {
          throw new IllegalArgumentException("position " + position);
        }
        if (position + length > file.size()) {
          throw new EOFException(
              describe(path) + " ends at byte " + file.size() + ", not " + (position + length));
        }
        byte[] bytes = new byte[length];
        file.read((int) position, bytes, 0, length);
        target.put(bytes);
      }
    }

    @Override
    public void close() {
      closed = true;
    }

    private void checkOpen() throws IOException {
      checkPower();
      if (closed) {
        throw new IOException(describe(path) + " is closed");
      }
    }
  }
}
