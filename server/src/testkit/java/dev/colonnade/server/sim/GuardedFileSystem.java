package dev.colonnade.server.sim;

import dev.colonnade.server.base.env.FileSystem;
import dev.colonnade.server.base.env.Scheduler;
import dev.colonnade.server.base.env.Stage;
import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;

/**
 * Files that check who waits for them: every operation must come from a task of a stage that may
 * block ({@link Stage#mayBlock}), but for the write at the end of an open file, which the write
 * stage may make as well. Anything else throws an {@link AssertionError}, which is also kept,
 * because some of those who call would swallow it.
 *
 * <p>While a store is opened or closed, by a thread that is there for that, the guard is off.
 */
public final class GuardedFileSystem implements FileSystem {
  private final FileSystem files;
  private final Scheduler scheduler;
  private final List<AssertionError> violations = new CopyOnWriteArrayList<>();
  private volatile boolean enforced;

  /** Guards files of the node whose stages these are; not before {@link #enforce}. */
  public GuardedFileSystem(FileSystem files, Scheduler scheduler) {
    this.files = files;
    this.scheduler = scheduler;
  }

  /** From now on, or from now on no more. */
  public void enforce(boolean on) {
    enforced = on;
  }

  /** What was done where it must not be. */
  public List<AssertionError> violations() {
    return List.copyOf(violations);
  }

  /** Fails if anything was done where it must not be. */
  public void check() {
    if (!violations.isEmpty()) {
      throw new AssertionError(violations.size() + " calls that block", violations.get(0));
    }
  }

  private void blocks(FileOperation operation, String path) {
    Stage stage = scheduler.current();
    if (enforced && (stage == null || !stage.mayBlock())) {
      refuse(operation, path, stage);
    }
  }

  private void writes(String path) {
    Stage stage = scheduler.current();
    if (enforced && stage != Stage.WRITE && (stage == null || !stage.mayBlock())) {
      refuse(FileOperation.WRITE, path, stage);
    }
  }

  private void refuse(FileOperation operation, String path, @Nullable Stage stage) {
    AssertionError violation =
        new AssertionError(
            operation
                + " of "
                + path
                + (stage == null ? " outside of all stages" : " on stage " + stage)
                + ", which must not wait for the disk");
    violations.add(violation);
    throw violation;
  }

  @Override
  public WritableFile create(String path) throws IOException {
    blocks(FileOperation.CREATE, path);
    return new Written(files.create(path), path);
  }

  @Override
  public WritableFile append(String path) throws IOException {
    blocks(FileOperation.APPEND, path);
    return new Written(files.append(path), path);
  }

  @Override
  public ReadableFile open(String path) throws IOException {
    blocks(FileOperation.OPEN, path);
    return new Read(files.open(path), path);
  }

  @Override
  public void rename(String from, String to) throws IOException {
    blocks(FileOperation.RENAME, from);
    files.rename(from, to);
  }

  @Override
  public void link(String existing, String name) throws IOException {
    blocks(FileOperation.LINK, existing);
    files.link(existing, name);
  }

  @Override
  public void delete(String path) throws IOException {
    blocks(FileOperation.DELETE, path);
    files.delete(path);
  }

  @Override
  public void createDirectories(String path) throws IOException {
    blocks(FileOperation.MAKE_DIRECTORY, path);
    files.createDirectories(path);
  }

  @Override
  public List<String> list(String directory) throws IOException {
    blocks(FileOperation.LIST, directory);
    return files.list(directory);
  }

  @Override
  public boolean exists(String path) throws IOException {
    blocks(FileOperation.LIST, path);
    return files.exists(path);
  }

  @Override
  public void syncDirectory(String directory) throws IOException {
    blocks(FileOperation.SYNC_DIRECTORY, directory);
    files.syncDirectory(directory);
  }

  @Override
  public Closeable lock(String path) throws IOException {
    blocks(FileOperation.CREATE, path);
    return files.lock(path);
  }

  @Override
  public long usableBytes() throws IOException {
    // A figure that the system has in memory.
    return files.usableBytes();
  }

  @Override
  public String describe(String path) {
    return files.describe(path);
  }

  private final class Written implements WritableFile {
    private final WritableFile file;
    private final String path;

    Written(WritableFile file, String path) {
      this.file = file;
      this.path = path;
    }

    @Override
    public void write(ByteBuffer source) throws IOException {
      writes(path);
      file.write(source);
    }

    @Override
    public long size() {
      return file.size();
    }

    @Override
    public void truncate(long size) throws IOException {
      blocks(FileOperation.TRUNCATE, path);
      file.truncate(size);
    }

    @Override
    public void sync() throws IOException {
      blocks(FileOperation.SYNC, path);
      file.sync();
    }

    @Override
    public void close() throws IOException {
      file.close();
    }
  }

  private final class Read implements ReadableFile {
    private final ReadableFile file;
    private final String path;

    Read(ReadableFile file, String path) {
      this.file = file;
      this.path = path;
    }

    @Override
    public long size() throws IOException {
      return file.size();
    }

    @Override
    public void read(long position, ByteBuffer target) throws IOException {
      blocks(FileOperation.READ, path);
      file.read(position, target);
    }

    /** Never waits, so anyone may. */
    @Override
    public boolean readIfInMemory(long position, ByteBuffer target) {
      return file.readIfInMemory(position, target);
    }

    @Override
    public void close() throws IOException {
      file.close();
    }
  }
}
