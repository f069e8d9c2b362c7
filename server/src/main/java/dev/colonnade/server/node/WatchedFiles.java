package dev.colonnade.server.node;

import dev.colonnade.server.base.env.FileSystem;
import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.function.Consumer;

/**
 * A file system that reports each failing operation to a listener. As thread-safe as the wrapped
 * one.
 */
final class WatchedFiles implements FileSystem {

  private final FileSystem files;
  private final Consumer<IOException> failed;

  /**
   * Watches {@code files}.
   *
   * @param failed must be quick and throw nothing
   */
  WatchedFiles(FileSystem files, Consumer<IOException> failed) {
    this.files = files;
    this.failed = failed;
  }

  private interface Operation<T> {
    T run() throws IOException;
  }

  private interface FileAction {
    void run() throws IOException;
  }

  private <T> T watched(Operation<T> operation) throws IOException {
    try {
      return operation.run();
    } catch (IOException e) {
      failed.accept(e);
      throw e;
    }
  }

  private void watch(FileAction action) throws IOException {
    try {
      action.run();
    } catch (IOException e) {
      failed.accept(e);
      throw e;
    }
  }

  @Override
  public WritableFile create(String path) throws IOException {
    return watched(() -> new Written(files.create(path)));
  }

  @Override
  public WritableFile append(String path) throws IOException {
    return watched(() -> new Written(files.append(path)));
  }

  @Override
  public ReadableFile open(String path) throws IOException {
    return watched(() -> new WatchedReadableFile(files.open(path)));
  }

  @Override
  public ReadableFile openLasting(String path) throws IOException {
    return watched(() -> new WatchedReadableFile(files.openLasting(path)));
  }

  @Override
  public void rename(String from, String to) throws IOException {
    watch(() -> files.rename(from, to));
  }

  @Override
  public void link(String existing, String name) throws IOException {
    watch(() -> files.link(existing, name));
  }

  @Override
  public boolean linkInto(FileSystem other, String existing, String name) throws IOException {
    return watched(() -> files.linkInto(other, existing, name));
  }

  @Override
  public void delete(String path) throws IOException {
    watch(() -> files.delete(path));
  }

  @Override
  public void createDirectories(String path) throws IOException {
    watch(() -> files.createDirectories(path));
  }

  @Override
  public List<String> list(String directory) throws IOException {
    return watched(() -> files.list(directory));
  }

  @Override
  public boolean exists(String path) throws IOException {
    return watched(() -> files.exists(path));
  }

  @Override
  public void syncDirectory(String directory) throws IOException {
    watch(() -> files.syncDirectory(directory));
  }

  @Override
  public Closeable lock(String path) throws IOException {
    return watched(() -> files.lock(path));
  }

  @Override
  public long usableBytes() throws IOException {
    return watched(files::usableBytes);
  }

  @Override
  public String describe(String path) {
    return files.describe(path);
  }

  private final class Written implements WritableFile {
    private final WritableFile file;

    Written(WritableFile file) {
      this.file = file;
    }

    @Override
    public void write(ByteBuffer source) throws IOException {
      try {
        file.write(source);
      } catch (IOException e) {
        failed.accept(e);
        throw e;
      }
    }

    @Override
    public long size() {
      return file.size();
    }

    @Override
    public void truncate(long size) throws IOException {
      watch(() -> file.truncate(size));
    }

    @Override
    public void sync() throws IOException {
      watch(file::sync);
    }

    @Override
    public void close() throws IOException {
      watch(file::close);
    }
  }

  private final class WatchedReadableFile implements ReadableFile {
    private final ReadableFile file;

    WatchedReadableFile(ReadableFile file) {
      this.file = file;
    }

    @Override
    public long size() throws IOException {
      return watched(file::size);
    }

    @Override
    public void read(long position, ByteBuffer target) throws IOException {
      try {
        file.read(position, target);
      } catch (IOException e) {
        failed.accept(e);
        throw e;
      }
    }

    @Override
    public boolean readIfInMemory(long position, ByteBuffer target) {
      return file.readIfInMemory(position, target);
    }

    @Override
    public void close() throws IOException {
      watch(file::close);
    }
  }
}
