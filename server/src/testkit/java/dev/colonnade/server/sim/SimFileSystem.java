package dev.colonnade.server.sim;

import dev.colonnade.server.base.env.FileExistsException;
import dev.colonnade.server.base.env.FileSystem;
import dev.colonnade.server.base.env.LockedException;
import dev.colonnade.server.base.env.NoSpaceException;
import dev.colonnade.server.base.env.RandomSource;
import java.io.Closeable;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Files in memory that forget, when the power goes, what was not synced (bytes, names, renames and
 * deletions alike), and that fail by {@link #plan}.
 *
 * <p>Operations that change something are counted from 1. A sweep looks at the disk {@link
 * #afterEach} of them, or lets the power go after the n-th with {@link #stopAfter}, and opens a
 * {@link #crashClone}.
 *
 * <p>What is not synced stays with the system when only the process ends ({@link #kill}).
 */
public final class SimFileSystem implements FileSystem {
  private static final long UNBOUNDED_BYTES = 1L << 40;

  private final DiskImage image;
  private final FaultPlan plan = new FaultPlan();
  private final Set<String> locks = new HashSet<>();
  private final List<SimFile> openFiles = new ArrayList<>();
  private final List<String> retriedSyncs = new ArrayList<>();
  private Consumer<Duration> stalling = duration -> {};
  private Runnable observer = () -> {};
  private boolean observing;
  private boolean keepsPages;
  private long operations;
  private long stopAfter = Long.MAX_VALUE;
  private long failAt = -1;
  private long capacityBytes = UNBOUNDED_BYTES;

  /** An empty disk. */
  public SimFileSystem() {
    this(new DiskImage());
  }

  private SimFileSystem(DiskImage image) {
    this.image = image;
  }

  /** The disk as a reboot finds it when the system lost all that was not synced. */
  public synchronized SimFileSystem crashClone() {
    return new SimFileSystem(image.durableCopy());
  }

  /**
   * The disk as a reboot finds it when some of what was not synced had reached it: of each file any
   * part of the new bytes, with zeros or rubbish in place of what is missing, and any subset of the
   * changes to names, in their order.
   */
  public synchronized SimFileSystem crashClone(RandomSource random) {
    return new SimFileSystem(image.copyAfterCrash(random));
  }

  /** A copy of the disk as programs see it now, all durable. */
  public synchronized SimFileSystem copy() {
    return new SimFileSystem(image.copy());
  }

  /**
   * Ends the process that uses the disk, not the machine: its locks and open files go, what it
   * wrote stays as it is.
   */
  public synchronized void kill() {
    locks.clear();
    openFiles.forEach(SimFile::forget);
    openFiles.clear();
  }

  /**
   * The same disk for the process that comes after this one was killed. Whatever of the dead
   * process still runs in a simulation finds that nothing works here any more.
   */
  synchronized SimFileSystem passedOn() {
    kill();
    stopAfter = 0;
    return new SimFileSystem(image);
  }

  /** What goes wrong from now on. */
  public FaultPlan plan() {
    return plan;
  }

  /** Who lets time pass while an operation stalls; other work may run meanwhile. */
  public synchronized void stallsWith(Consumer<Duration> passing) {
    stalling = passing;
  }

  /** Calls {@code action} after each operation that changed something; it may clone the disk. */
  public synchronized void afterEach(Runnable action) {
    observer = action;
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

  /** Makes the changing operation of that number fail once, with {@link FileFault#ERROR}. */
  public synchronized void failAt(long operation) {
    failAt = operation;
  }

  /** Sets how many bytes all files together can have. */
  public synchronized void capacityBytes(long bytes) {
    capacityBytes = bytes;
  }

  /**
   * Whether the system has all that was written in memory, so that reads which must not wait find
   * it; not at first.
   */
  public synchronized void keepPages(boolean inMemory) {
    keepsPages = inMemory;
  }

  boolean keepsPages() {
    return keepsPages;
  }

  /** Bytes of all files that have a name. */
  public synchronized long usedBytes() {
    return image.usedBytes();
  }

  /** The paths of files that are open, one for each handle. */
  public synchronized List<String> openFiles() {
    return openFiles.stream().map(SimFile::path).sorted().toList();
  }

  /** The paths of files that were synced again after a sync of theirs had failed. */
  public synchronized List<String> retriedSyncs() {
    return List.copyOf(retriedSyncs);
  }

  /** The bytes of a file now. */
  public synchronized byte[] content(String path) throws IOException {
    return image.file(path).content();
  }

  /** Replaces a file, durably and without counting, as damage or a restored backup would. */
  public synchronized void overwrite(String path, byte[] content) throws IOException {
    DiskDirectory directory = image.directory(DiskImage.parent(path));
    directory.link(DiskImage.name(path), DiskFile.of(content));
    directory.sync();
  }

  /** Flips one bit of a file where it lies, under open handles too, durably and uncounted. */
  public synchronized void flipBit(String path, long bit) throws IOException {
    image.file(path).flipBit(bit);
  }

  /**
   * Puts one sector of a file over one of another (or of the same), durably and without counting:
   * what a misdirected write, or a disk that answers with old sectors, leaves behind.
   */
  public synchronized void copySector(String from, int sector, String to, int target)
      throws IOException {
    byte[] source = content(from);
    byte[] content = content(to);
    int length =
        Math.min(
            DiskFile.SECTOR_BYTES,
            Math.min(
                source.length - sector * DiskFile.SECTOR_BYTES,
                content.length - target * DiskFile.SECTOR_BYTES));
    System.arraycopy(
        source,
        sector * DiskFile.SECTOR_BYTES,
        content,
        target * DiskFile.SECTOR_BYTES,
        Math.max(0, length));
    overwrite(to, content);
  }

  @Override
  public synchronized WritableFile create(String path) throws IOException {
    DiskDirectory directory = image.directory(DiskImage.parent(DiskImage.requireName(path)));
    if (directory.entries().containsKey(DiskImage.name(path))) {
      throw new FileExistsException(describe(path));
    }
    beginOrFail(FileOperation.CREATE, path);
    DiskFile file = new DiskFile();
    directory.link(DiskImage.name(path), file);
    end(FileOperation.CREATE);
    return opened(new SimWritableFile(this, path, file));
  }

  @Override
  public synchronized WritableFile append(String path) throws IOException {
    beginOrFail(FileOperation.APPEND, path);
    return opened(new SimWritableFile(this, path, image.file(path)));
  }

  @Override
  public synchronized ReadableFile open(String path) throws IOException {
    beginOrFail(FileOperation.OPEN, path);
    return opened(new SimReadableFile(this, path, image.file(path)));
  }

  @Override
  public synchronized void rename(String from, String to) throws IOException {
    DiskFile file = image.file(from);
    DiskDirectory source = image.directory(DiskImage.parent(from));
    DiskDirectory target = image.directory(DiskImage.parent(DiskImage.requireName(to)));
    if (target.entries().get(DiskImage.name(to)) instanceof DiskDirectory) {
      throw new IOException(describe(to) + " is a directory");
    }
    beginOrFail(FileOperation.RENAME, from);
    if (source == target) {
      source.rename(DiskImage.name(from), DiskImage.name(to));
    } else {
      target.link(DiskImage.name(to), file);
      source.unlink(DiskImage.name(from));
    }
    end(FileOperation.RENAME);
  }

  @Override
  public synchronized void link(String existing, String name) throws IOException {
    DiskFile file = image.file(existing);
    DiskDirectory target = image.directory(DiskImage.parent(DiskImage.requireName(name)));
    if (target.entries().containsKey(DiskImage.name(name))) {
      throw new FileExistsException(describe(name));
    }
    beginOrFail(FileOperation.LINK, existing);
    target.link(DiskImage.name(name), file);
    end(FileOperation.LINK);
  }

  @Override
  public synchronized void delete(String path) throws IOException {
    DiskDirectory directory = image.directory(DiskImage.parent(DiskImage.requireName(path)));
    Object node = directory.entries().get(DiskImage.name(path));
    if (node == null) {
      throw new FileNotFoundException(describe(path) + " does not exist");
    }
    if (node instanceof DiskDirectory inner && !inner.entries().isEmpty()) {
      throw new IOException(describe(path) + " is not empty");
    }
    beginOrFail(FileOperation.DELETE, path);
    directory.unlink(DiskImage.name(path));
    end(FileOperation.DELETE);
  }

  @Override
  public synchronized void createDirectories(String path) throws IOException {
    FileSystem.requireValidPath(path);
    DiskDirectory current = image.root();
    for (String name : path.isEmpty() ? new String[0] : path.split("/")) {
      Object next = current.entries().get(name);
      if (next == null) {
        beginOrFail(FileOperation.MAKE_DIRECTORY, path);
        next = new DiskDirectory();
        current.link(name, next);
        end(FileOperation.MAKE_DIRECTORY);
      }
      if (!(next instanceof DiskDirectory directory)) {
        throw new IOException(describe(path) + " runs through a file");
      }
      current = directory;
    }
  }

  @Override
  public synchronized List<String> list(String directory) throws IOException {
    beginOrFail(FileOperation.LIST, directory);
    return List.copyOf(image.directory(FileSystem.requireValidPath(directory)).entries().keySet());
  }

  @Override
  public synchronized boolean exists(String path) throws IOException {
    checkPower();
    return image.find(path) != null;
  }

  @Override
  public synchronized void syncDirectory(String directory) throws IOException {
    DiskDirectory found = image.directory(FileSystem.requireValidPath(directory));
    FileFault fault = beginOrFail(FileOperation.SYNC_DIRECTORY, directory);
    if (fault != FileFault.LOST_SYNC) {
      found.sync();
    }
    end(FileOperation.SYNC_DIRECTORY);
  }

  @Override
  public synchronized Closeable lock(String path) throws IOException {
    DiskDirectory directory = image.directory(DiskImage.parent(DiskImage.requireName(path)));
    checkPower();
    if (!locks.add(path)) {
      throw new LockedException(describe(path));
    }
    if (!directory.entries().containsKey(DiskImage.name(path))) {
      directory.link(DiskImage.name(path), new DiskFile());
    }
    return new Lock(path);
  }

  @Override
  public synchronized long usableBytes() {
    // Only who set a bound pays for counting.
    return capacityBytes == UNBOUNDED_BYTES
        ? UNBOUNDED_BYTES
        : Math.max(0, capacityBytes - image.usedBytes());
  }

  @Override
  public String describe(String path) {
    return DiskImage.describe(path);
  }

  boolean hasPower() {
    return operations < stopAfter;
  }

  void checkPower() throws PowerLostException {
    if (!hasPower()) {
      throw new PowerLostException(stopAfter);
    }
  }

  /**
   * An operation begins: it is counted, and stalls if it is to.
   *
   * @return what else is to go wrong with it; null if nothing
   */
  @Nullable FileFault begin(FileOperation operation, String path) throws IOException {
    checkPower();
    if (operation.isChanging()) {
      operations++;
      if (operations == failAt) {
        return FileFault.ERROR;
      }
    }
    FaultPlan.Rule rule = plan.next(operation, path);
    if (rule == null) {
      return null;
    }
    if (rule.fault() == FileFault.STALL) {
      stalling.accept(rule.stall());
      return null;
    }
    return rule.fault();
  }

  /** As {@link #begin} for what fails whole. */
  private @Nullable FileFault beginOrFail(FileOperation operation, String path) throws IOException {
    FileFault fault = begin(operation, path);
    if (fault != null && isFailure(fault)) {
      throw failure(fault, operation, path);
    }
    return fault;
  }

  static boolean isFailure(FileFault fault) {
    return switch (fault) {
      case ERROR, NO_SPACE, SHORT_WRITE, READ_ONLY, NO_DESCRIPTORS, THROWN_ERROR -> true;
      case STALL, FLIPPED_BIT, LOST_WRITE, MISDIRECTED_WRITE, LOST_SYNC -> false;
    };
  }

  static IOException failure(FileFault fault, FileOperation operation, String path) {
    String where = DiskImage.describe(path);
    if (fault == FileFault.THROWN_ERROR) {
      throw new InjectedError(operation, where);
    }
    return fault == FileFault.NO_SPACE || fault == FileFault.SHORT_WRITE
        ? new NoSpaceException(where + ": No space left on device (" + operation + ")")
        : new InjectedFaultException(fault, operation, where);
  }

  /** An operation has happened. */
  void end(FileOperation operation) {
    // What the observer does to this disk is nothing to observe.
    if (operation.isChanging() && !observing) {
      observing = true;
      try {
        observer.run();
      } finally {
        observing = false;
      }
    }
  }

  void noteRetriedSync(String path) {
    retriedSyncs.add(path);
  }

  void closed(SimFile file) {
    openFiles.remove(file);
  }

  private <T extends SimFile> T opened(T file) {
    openFiles.add(file);
    return file;
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
}
