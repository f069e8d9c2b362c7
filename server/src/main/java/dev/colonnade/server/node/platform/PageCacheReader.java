package dev.colonnade.server.node.platform;

import dev.colonnade.server.base.async.Errors;
import java.io.Closeable;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.util.Locale;
import java.util.concurrent.atomic.AtomicInteger;
import jnr.ffi.LibraryLoader;
import jnr.ffi.LibraryOption;
import net.openhft.chronicle.core.Jvm;
import net.openhft.posix.PosixAPI;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads what the operating system holds of a file in its page cache, and never waits for the disk:
 * {@code preadv2} of Linux with {@code RWF_NOWAIT}. It has a descriptor of its own, opened without
 * times of access, since to note such a time could wait for the disk as well.
 *
 * <p>Works on 64-bit Linux, on file systems that know the flag (ext4, xfs, btrfs, tmpfs and
 * others); elsewhere {@link #open} returns null, or nothing is ever found.
 *
 * <p>Thread-safe. Reads that run beside {@link #close} end before the descriptor is closed.
 */
final class PageCacheReader implements Closeable {
  private static final Logger LOG = LoggerFactory.getLogger(PageCacheReader.class);

  /** O_RDONLY, O_NOATIME and O_CLOEXEC of Linux, on x86 and ARM. */
  private static final int OPEN_FLAGS = 0x40000 | 0x80000;

  /** RWF_NOWAIT. */
  private static final int NO_WAIT = 8;

  /** The vector of one piece of memory: its address and its length, 64 bits each. */
  private static final int VECTOR_BYTES = 2 * Long.BYTES;

  /** What is called of the C library. */
  public interface SystemCalls {
    /** Reads from a position into a vector of pieces of memory; -1 if it fails. */
    @SuppressWarnings("checkstyle:MethodName")
    long preadv2(int descriptor, long vector, int pieces, long position, int flags);
  }

  private static final @Nullable SystemCalls SYSTEM = load();

  private static final ThreadLocal<ByteBuffer> VECTOR =
      ThreadLocal.withInitial(
          () -> ByteBuffer.allocateDirect(VECTOR_BYTES).order(ByteOrder.nativeOrder()));

  private final SystemCalls system;
  private final int descriptor;

  /** One for the owner and one for each read under way; 0 once the descriptor is closed. */
  private final AtomicInteger users = new AtomicInteger(1);

  private PageCacheReader(SystemCalls system, int descriptor) {
    this.system = system;
    this.descriptor = descriptor;
  }

  private static @Nullable SystemCalls load() {
    boolean known =
        System.getProperty("os.name", "").toLowerCase(Locale.ROOT).equals("linux")
            && System.getProperty("os.arch", "").endsWith("64");
    if (!known) {
      return null;
    }
    try {
      SystemCalls found =
          LibraryLoader.create(SystemCalls.class)
              .option(LibraryOption.IgnoreError, true)
              .library("c")
              .load();
      // No descriptor: fails, unless the C library lacks the function.
      found.preadv2(-1, 0, 0, 0, NO_WAIT);
      return found;
    } catch (RuntimeException | LinkageError missing) {
      LOG.info(
          "reads that are in the page cache alone go to the read stage: this system has no preadv2",
          missing);
      return null;
    }
  }

  /** Opens a file; null if the system cannot read in this way. */
  static @Nullable PageCacheReader open(Path file) {
    SystemCalls calls = SYSTEM;
    if (calls == null) {
      return null;
    }
    int descriptor;
    try {
      descriptor = PosixAPI.posix().open(file.toString(), OPEN_FLAGS, 0);
    } catch (RuntimeException refused) {
      // For one that belongs to another user, or when no descriptor is left.
      return null;
    }
    return descriptor < 0 ? null : new PageCacheReader(calls, descriptor);
  }

  /**
   * Fills what remains of a buffer with the bytes from {@code position} on.
   *
   * @param target in direct memory
   * @return false, with the target's position as before, if not all of it is in memory or anything
   *     else prevents it
   */
  boolean read(long position, ByteBuffer target) {
    if (!begin()) {
      return false;
    }
    try {
      int length = target.remaining();
      ByteBuffer vector = VECTOR.get();
      vector.putLong(0, Jvm.address(target) + target.position());
      vector.putLong(Long.BYTES, length);
      if (system.preadv2(descriptor, Jvm.address(vector), 1, position, NO_WAIT) != length) {
        return false;
      }
      target.position(target.limit());
      return true;
    } catch (OutOfMemoryError e) {
      if (!Errors.isOverload(e)) {
        throw e;
      }
      return false;
    } finally {
      end();
    }
  }

  private boolean begin() {
    int now = users.get();
    while (now > 0) {
      if (users.compareAndSet(now, now + 1)) {
        return true;
      }
      now = users.get();
    }
    return false;
  }

  private void end() {
    if (users.decrementAndGet() == 0) {
      PosixAPI.posix().close(descriptor);
    }
  }

  /** Closes the descriptor when the reads under way have ended. To be called once. */
  @Override
  public void close() {
    end();
  }
}
