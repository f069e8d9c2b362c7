package dev.colonnade.server.node.platform;

import dev.colonnade.server.base.async.Claim;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Bounds the file descriptors of the data files of this process: there may be more data files than
 * a process may have descriptors, and connections need some. A file keeps its descriptors until
 * others need them, those that were not read for longest first; its next read opens it again.
 *
 * <p>A file that is closed here while it is read stays open until that read has ended, so for a
 * moment there may be as many more descriptors as there are threads that read.
 *
 * <p>Thread-safe.
 */
final class OpenFiles {
  private static final Logger LOG = LoggerFactory.getLogger(OpenFiles.class);

  /** Fewer would have merges open a file for each block. */
  private static final int LEAST = 32;

  /** The share of data files in the descriptors of a process. */
  private static final int SHARE = 4;

  private static final OpenFiles OF_PROCESS = withShareOf(FileDescriptors.limitOfProcess());

  private final int max;
  private final AtomicBoolean toldOfIndexes = new AtomicBoolean();

  /** In the order in which they are looked at when room is needed. Guarded by this. */
  private final LinkedHashSet<OpenFile> open = new LinkedHashSet<>();

  private int used;
  private int pinned;

  /** Creates a table for at most this many descriptors. */
  OpenFiles(int max) {
    this.max = max;
  }

  /** The table that all stores of this process share. */
  static OpenFiles ofProcess() {
    return OF_PROCESS;
  }

  private static OpenFiles withShareOf(long limit) {
    return new OpenFiles((int) Math.max(LEAST, Math.min(Integer.MAX_VALUE / 2, limit / SHARE)));
  }

  /** How many descriptors data files may still take. */
  synchronized int left() {
    return Math.max(0, max - used);
  }

  /** How many descriptors data files have. */
  synchronized int used() {
    return used;
  }

  /**
   * Opens a file, and closes others if there are too many. Blocks.
   *
   * @return in use by the caller, who releases it
   */
  OpenFile open(Path path) throws IOException {
    OpenFile file = OpenFile.of(path);
    List<OpenFile> closing;
    synchronized (this) {
      open.add(file);
      used += file.descriptors();
      closing = makeRoom(file);
    }
    closing.forEach(OpenFile::disown);
    return file;
  }

  /**
   * Takes a descriptor for something that stays open until the claim is closed.
   *
   * @return null if half of all descriptors are taken in this way
   */
  @Nullable Claim pin() {
    List<OpenFile> closing;
    synchronized (this) {
      if (pinned >= max / 2) {
        if (toldOfIndexes.compareAndSet(false, true)) {
          LOG.warn(
              "further data files get no key index, because the process may open too few files:"
                  + " raise the limit (ulimit -n, LimitNOFILE of systemd)");
        }
        return null;
      }
      pinned++;
      used++;
      closing = makeRoom(null);
    }
    closing.forEach(OpenFile::disown);
    return Claim.of(
        () -> {
          synchronized (this) {
            pinned--;
            used--;
          }
        });
  }

  /** Closes a file for good. */
  void close(OpenFile file) {
    boolean wasOpen;
    synchronized (this) {
      wasOpen = open.remove(file);
      if (wasOpen) {
        used -= file.descriptors();
      }
    }
    if (wasOpen) {
      file.disown();
    }
  }

  /** Removes files until the others fit: those that nobody read since they were last looked at. */
  private List<OpenFile> makeRoom(@Nullable OpenFile kept) {
    List<OpenFile> closing = new ArrayList<>();
    int looks = 2 * open.size();
    while (used > max && looks-- > 0) {
      Iterator<OpenFile> oldest = open.iterator();
      OpenFile candidate = oldest.next();
      oldest.remove();
      if (candidate == kept || candidate.takeRecent()) {
        open.add(candidate);
      } else {
        used -= candidate.descriptors();
        closing.add(candidate);
      }
    }
    return closing;
  }

  /** The descriptors of one file, until its owner and all readers have released them. */
  static final class OpenFile {
    private final FileChannel channel;
    private final @Nullable PageCacheReader cached;

    /** The table, and each read under way; 0 once the descriptors are closed. */
    private final AtomicInteger users = new AtomicInteger(2);

    private volatile boolean recent;

    private OpenFile(FileChannel channel, @Nullable PageCacheReader cached) {
      this.channel = channel;
      this.cached = cached;
    }

    private static OpenFile of(Path path) throws IOException {
      FileChannel channel = OsReadableFile.channel(path);
      return new OpenFile(channel, PageCacheReader.open(path));
    }

    FileChannel channel() {
      return channel;
    }

    @Nullable PageCacheReader cached() {
      return cached;
    }

    private int descriptors() {
      return cached == null ? 1 : 2;
    }

    /** Marks it as in use; false if it is closed. */
    boolean retain() {
      int now = users.get();
      while (now > 0) {
        if (users.compareAndSet(now, now + 1)) {
          if (!recent) {
            recent = true;
          }
          return true;
        }
        now = users.get();
      }
      return false;
    }

    void release() {
      if (users.decrementAndGet() == 0) {
        try (channel) {
          if (cached != null) {
            cached.close();
          }
        } catch (IOException e) {
          LOG.warn("a file that was read could not be closed", e);
        }
      }
    }

    /** The table's own part; called once, by whoever removed it from the table. */
    private void disown() {
      release();
    }

    private boolean takeRecent() {
      boolean was = recent;
      recent = false;
      return was;
    }
  }
}
