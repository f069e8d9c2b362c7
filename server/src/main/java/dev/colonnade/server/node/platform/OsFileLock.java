package dev.colonnade.server.node.platform;

import dev.colonnade.server.base.env.LockedException;
import java.io.Closeable;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileAttribute;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** An exclusive lock on a file, against other processes and against this one. */
final class OsFileLock implements Closeable {
  /**
   * Static because POSIX locks belong to the process: closing any channel on the file, even that of
   * a failed second attempt, would release the first holder's lock. So a second attempt must be
   * refused before it opens the file.
   */
  private static final Set<Path> HELD_BY_THIS_PROCESS = ConcurrentHashMap.newKeySet();

  private final Path key;
  private final FileChannel channel;

  private OsFileLock(Path key, FileChannel channel) {
    this.key = key;
    this.channel = channel;
  }

  static OsFileLock acquire(Path path, FileAttribute<?>[] mode) throws IOException {
    Path parent = path.getParent();
    Path key = parent == null ? path : parent.toRealPath().resolve(path.getFileName());
    if (!HELD_BY_THIS_PROCESS.add(key)) {
      throw new LockedException(path.toString());
    }
    OsFileLock lock = null;
    try {
      lock = lock(path, key, mode);
      return lock;
    } finally {
      if (lock == null) {
        HELD_BY_THIS_PROCESS.remove(key);
      }
    }
  }

  private static OsFileLock lock(Path path, Path key, FileAttribute<?>[] mode) throws IOException {
    Set<OpenOption> options = Set.of(StandardOpenOption.CREATE, StandardOpenOption.WRITE);
    FileChannel channel = FileChannel.open(path, options, mode);
    FileLock held = null;
    try {
      held = channel.tryLock();
    } catch (OverlappingFileLockException byThisProcess) {
      LockedException locked = new LockedException(path.toString());
      locked.initCause(byThisProcess);
      throw locked;
    } finally {
      if (held == null) {
        channel.close();
      }
    }
    if (held == null) {
      throw new LockedException(path.toString());
    }
    return new OsFileLock(key, channel);
  }

  @Override
  public void close() throws IOException {
    if (channel.isOpen()) {
      channel.close();
      HELD_BY_THIS_PROCESS.remove(key);
    }
  }
}
