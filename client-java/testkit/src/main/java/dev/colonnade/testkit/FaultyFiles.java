package dev.colonnade.testkit;

import dev.colonnade.server.base.env.FileSystem;
import java.io.Closeable;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The file system of one start of a node of a test: each operation asks the node's {@link TestDisk}
 * first, and then goes to real files. After {@link #kill} nothing reaches a file any more. It knows
 * what is open, as the operating system does of a process.
 */
final class FaultyFiles implements FileSystem {

  private final FileSystem files;
  private final TestDisk disk;
  private final Set<Closeable> open = ConcurrentHashMap.newKeySet();
  private volatile boolean dead;

  FaultyFiles(FileSystem files, TestDisk disk) {
    this.files = files;
    this.disk = disk;
  }

  /** No operation that begins from now on reaches a file, whatever becomes of the disk. */
  void kill() {
    dead = true;
  }

  /**
   * Closes what the node left open, its lock among it; when no thread of the node runs any more.
   */
  void closeAll() {
    for (Closeable each : open) {
      try {
        each.close();
      } catch (IOException e) {
        throw new UncheckedIOException("a file of a killed node cannot be closed", e);
      }
    }
  }

  private void before(String path) throws IOException {
    disk.before(path);
    requireAlive(path);
  }

  private void beforeGrowth(String path) throws IOException {
    disk.beforeGrowth(path);
    requireAlive(path);
  }

  /** After the disk, where an operation may have waited while the node was killed. */
  private void requireAlive(String path) throws IOException {
    if (dead) {
      throw new IOException("the test killed the node: " + path);
    }
  }

  private <T extends Closeable> T kept(T opened) {
    open.add(opened);
    return opened;
  }

  @Override
  public WritableFile create(String path) throws IOException {
    beforeGrowth(path);
    return kept(new Written(path, files.create(path)));
  }

  @Override
  public WritableFile append(String path) throws IOException {
    before(path);
    return kept(new Written(path, files.append(path)));
  }

  @Override
  public ReadableFile open(String path) throws IOException {
    before(path);
    return kept(new Read(path, files.open(path)));
  }

  @Override
  public ReadableFile openLasting(String path) throws IOException {
    before(path);
    return kept(new Read(path, files.openLasting(path)));
  }

  @Override
  public void rename(String from, String to) throws IOException {
    beforeGrowth(from);
    files.rename(from, to);
  }

  @Override
  public void link(String existing, String name) throws IOException {
    beforeGrowth(existing);
    files.link(existing, name);
  }

  @Override
  public void delete(String path) throws IOException {
    before(path);
    files.delete(path);
  }

  @Override
  public void createDirectories(String path) throws IOException {
    beforeGrowth(path);
    files.createDirectories(path);
  }

  @Override
  public List<String> list(String directory) throws IOException {
    before(directory);
    return files.list(directory);
  }

  @Override
  public boolean exists(String path) throws IOException {
    before(path);
    return files.exists(path);
  }

  @Override
  public void syncDirectory(String directory) throws IOException {
    before(directory);
    files.syncDirectory(directory);
  }

  @Override
  public Closeable lock(String path) throws IOException {
    requireAlive(path);
    return kept(new Lock(files.lock(path)));
  }

  @Override
  public long usableBytes() throws IOException {
    return disk.isFull() ? 0 : files.usableBytes();
  }

  @Override
  public String describe(String path) {
    return files.describe(path);
  }

  private final class Lock implements Closeable {
    private final Closeable lock;

    Lock(Closeable lock) {
      this.lock = lock;
    }

    @Override
    public void close() throws IOException {
      open.remove(this);
      lock.close();
    }
  }

  private final class Written implements WritableFile {
    private final String path;
    private final WritableFile file;

    Written(String path, WritableFile file) {
      this.path = path;
      this.file = file;
    }

    @Override
    public void write(ByteBuffer source) throws IOException {
      beforeGrowth(path);
      file.write(source);
    }

    @Override
    public long size() {
      return file.size();
    }

    @Override
    public void truncate(long size) throws IOException {
      before(path);
      file.truncate(size);
    }

    @Override
    public void sync() throws IOException {
      before(path);
      file.sync();
    }

    @Override
    public void close() throws IOException {
      open.remove(this);
      file.close();
    }
  }

  private final class Read implements ReadableFile {
    private final String path;
    private final ReadableFile file;

    Read(String path, ReadableFile file) {
      this.path = path;
      this.file = file;
    }

    @Override
    public long size() throws IOException {
      before(path);
      return file.size();
    }

    @Override
    public void read(long position, ByteBuffer target) throws IOException {
      before(path);
      file.read(position, target);
    }

    @Override
    public boolean readIfInMemory(long position, ByteBuffer target) {
      return !dead && disk.isSound() && file.readIfInMemory(position, target);
    }

    @Override
    public void close() throws IOException {
      open.remove(this);
      file.close();
    }
  }
}
