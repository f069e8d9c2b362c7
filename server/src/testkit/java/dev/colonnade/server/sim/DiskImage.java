package dev.colonnade.server.sim;

import dev.colonnade.server.base.env.FileSystem;
import dev.colonnade.server.base.env.RandomSource;
import java.io.FileNotFoundException;
import org.jspecify.annotations.Nullable;

/** All names and bytes of one simulated disk. Not thread-safe. */
final class DiskImage {
  private final DiskDirectory root;

  /** An empty disk. */
  DiskImage() {
    this(new DiskDirectory());
  }

  private DiskImage(DiskDirectory root) {
    this.root = root;
  }

  /** What a reboot finds if nothing survived that was not synced. */
  DiskImage durableCopy() {
    return new DiskImage(root.durableCopy());
  }

  /** What a reboot could find. */
  DiskImage copyAfterCrash(RandomSource random) {
    return new DiskImage(root.copyAfterCrash(random));
  }

  /** The same names and bytes on another disk, all durable. */
  DiskImage copy() {
    return new DiskImage(root.presentCopy());
  }

  long usedBytes() {
    return root.usedBytes();
  }

  DiskDirectory root() {
    return root;
  }

  static String requireName(String path) {
    if (FileSystem.requireValidPath(path).isEmpty()) {
      throw new IllegalArgumentException("the root is not a file");
    }
    return path;
  }

  static String parent(String path) {
    int slash = path.lastIndexOf('/');
    return slash < 0 ? "" : path.substring(0, slash);
  }

  static String name(String path) {
    return path.substring(path.lastIndexOf('/') + 1);
  }

  /** Where messages say that a path is. */
  static String describe(String path) {
    return "/memory/" + FileSystem.requireValidPath(path);
  }

  /** A {@link DiskFile} or a {@link DiskDirectory}; null if there is no such name. */
  @Nullable Object find(String path) {
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

  DiskFile file(String path) throws FileNotFoundException {
    if (find(requireName(path)) instanceof DiskFile file) {
      return file;
    }
    throw new FileNotFoundException(describe(path) + " is not a file");
  }

  DiskDirectory directory(String path) throws FileNotFoundException {
    if (find(path) instanceof DiskDirectory directory) {
      return directory;
    }
    throw new FileNotFoundException(describe(path) + " is not a directory");
  }
}
