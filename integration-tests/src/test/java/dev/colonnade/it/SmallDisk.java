package dev.colonnade.it;

import java.io.Closeable;
import java.io.IOException;
import java.io.OutputStream;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import org.junit.jupiter.api.Assumptions;

/**
 * A small file system of its own, which can run full and, where it lies in an image, lose its
 * power. Takes root. For one thread.
 */
public final class SmallDisk implements Closeable {

  /** What is mounted. */
  public enum Kind {
    /** In memory; it does not survive {@link #close}. */
    TMPFS,
    /** In an image, behind a loop device. */
    EXT4,
    /** As EXT4; it cannot be smaller than 300 MB. */
    XFS;

    /** As {@code mount} calls it. */
    public String fileSystem() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  private static final Duration UNMOUNT_LIMIT = Duration.ofSeconds(20);
  private static final int CHUNK_BYTES = 1 << 20;
  private static final int FULL_BYTES = 16 << 20;

  /**
   * FS_IOC_SHUTDOWN of linux/fs.h, as xfstests' godown calls it: from then on every operation fails
   * and nothing more reaches the device.
   */
  private static final String SHUTDOWN =
      "use Time::HiRes qw(clock_gettime CLOCK_MONOTONIC);"
          + " open(my $root, '<', $ARGV[0]) or die \"$!\\n\";"
          + " my $flag = pack('L', $ARGV[1]);"
          + " my $now = clock_gettime(CLOCK_MONOTONIC);"
          + " ioctl($root, 0x8004587d, $flag) or die \"FS_IOC_SHUTDOWN: $!\\n\";"
          + " printf('%d', $now * 1e9)";

  private static final String WITH_JOURNAL = "1";
  private static final String WITHOUT_JOURNAL = "2";

  private final Path root;
  private final String[] mount;
  private final Path image;
  private final Closeable leftOver;
  private boolean frozen;

  private SmallDisk(Path root, Path image, String... mount) {
    this.root = root;
    this.image = image;
    this.mount = mount;
    this.leftOver =
        HostCommand.atExit(
            List.of(
                List.of("fsfreeze", "--unfreeze", text(root)),
                List.of("umount", "--lazy", text(root)),
                List.of("rm", "--force", text(image))));
  }

  /** Mounts one in memory at {@code root}, or skips the test and says why. */
  static SmallDisk at(Path root, int megabytes) throws IOException {
    try {
      return mounted(Kind.TMPFS, root, megabytes);
    } catch (IOException refusal) {
      Assumptions.abort(
          "cannot mount a small file system here, which takes root: " + refusal.getMessage());
      throw refusal;
    }
  }

  /**
   * Makes one and mounts it at {@code root}; its image, if it has one, lies beside that and takes
   * the room that is used.
   *
   * @throws IOException when it cannot be made; the message says why
   */
  public static SmallDisk mounted(Kind kind, Path root, int megabytes) throws IOException {
    Files.createDirectories(root);
    Path image = root.resolveSibling(root.getFileName() + ".image");
    SmallDisk disk;
    if (kind == Kind.TMPFS) {
      String options = "size=" + megabytes + "m,mode=700";
      disk =
          new SmallDisk(
              root, image, "mount", "-t", "tmpfs", "-o", options, "colonnade-test", text(root));
    } else {
      try (RandomAccessFile sparse = new RandomAccessFile(image.toFile(), "rw")) {
        sparse.setLength((long) megabytes << 20);
      }
      HostCommand.run("mkfs." + kind.fileSystem(), "-q", text(image));
      disk =
          new SmallDisk(
              root, image, "mount", "-t", kind.fileSystem(), "-o", "loop", text(image), text(root));
    }
    try {
      HostCommand.run(disk.mount);
      return disk;
    } catch (IOException refusal) {
      disk.leftOver.close();
      Files.deleteIfExists(image);
      throw refusal;
    }
  }

  private static String text(Path path) {
    return path.toString();
  }

  /** Where it is mounted. */
  public Path root() {
    return root;
  }

  Path path(String name) {
    return root.resolve(name);
  }

  /**
   * Fills the disk with a file, except for a given amount; less is left if others write at the same
   * time.
   */
  public Path fillBut(long bytesLeft) throws IOException {
    Path filler = root.resolve("filler");
    Files.createFile(filler);
    fill(filler, usableBytes() - bytesLeft);
    return filler;
  }

  /** Takes room that others have freed since {@link #fillBut}, to which it gives the file. */
  public void fillFurther(Path filler, long bytesLeft) throws IOException {
    fill(filler, usableBytes() - bytesLeft);
  }

  /** In ever smaller pieces, because a smaller one may fit where a larger one does not. */
  private void fill(Path filler, long bytes) throws IOException {
    long left = bytes;
    int piece = CHUNK_BYTES;
    try (OutputStream out = Files.newOutputStream(filler, StandardOpenOption.APPEND)) {
      while (left > 0 && piece > 0) {
        int size = (int) Math.min(piece, left);
        try {
          out.write(new byte[size]);
          left -= size;
        } catch (IOException full) {
          piece /= 2;
        }
      }
    }
    // Others may have made some room since.
    if (piece == 0 && usableBytes() > FULL_BYTES) {
      throw new IOException("cannot fill " + root + ", which has " + usableBytes() + " bytes left");
    }
  }

  /** What can still be written to it. */
  public long usableBytes() throws IOException {
    return Files.getFileStore(root).getUsableSpace();
  }

  /**
   * The effect of a power cut on what the system holds in memory: bytes and names that were not
   * synced are lost. What a drive keeps in a cache of its own, and torn sectors, are not modelled.
   *
   * @param journal whether the file system's journal is still written: then names and lengths of
   *     files can have reached the disk whose bytes have not
   * @return the moment before it, as {@link System#nanoTime} has it on Linux
   */
  public long cutPower(boolean journal) throws IOException {
    return Long.parseLong(
        HostCommand.output(
            "perl", "-e", SHUTDOWN, text(root), journal ? WITH_JOURNAL : WITHOUT_JOURNAL));
  }

  /** Mounts it again after {@link #cutPower}; the file system replays its journal. */
  public void powerOn() throws IOException {
    unmount();
    String held = HostCommand.output("losetup", "--associated", text(image));
    if (!held.isEmpty()) {
      throw new IOException(
          "another process has a mount name space in which this is still mounted: " + held);
    }
    HostCommand.run(mount);
  }

  /**
   * From now on no change of the file system completes, until {@link #thaw}: the disk hangs, and a
   * process that waits for it cannot be killed. What lies in memory can be read.
   */
  public void freeze() throws IOException {
    HostCommand.run("fsfreeze", "--freeze", text(root));
    frozen = true;
  }

  /** Everything that waited continues. Does nothing if nothing is frozen. */
  public void thaw() throws IOException {
    if (frozen) {
      HostCommand.run("fsfreeze", "--unfreeze", text(root));
      frozen = false;
    }
  }

  /** A process that was killed can hold its files a moment longer. */
  private void unmount() {
    String[] refusal = {""};
    Await.until(
        () -> {
          refusal[0] = HostCommand.refusal("umount", text(root));
          return refusal[0].isEmpty();
        },
        UNMOUNT_LIMIT,
        () -> "could not unmount " + root + ": " + refusal[0]);
  }

  @Override
  public void close() throws IOException {
    thaw();
    unmount();
    leftOver.close();
    Files.deleteIfExists(image);
  }
}
