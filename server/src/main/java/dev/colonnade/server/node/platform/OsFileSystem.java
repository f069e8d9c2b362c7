package dev.colonnade.server.node.platform;

import dev.colonnade.server.base.env.FileExistsException;
import dev.colonnade.server.base.env.FileSystem;
import java.io.Closeable;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.DirectoryStream;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/**
 * Files under one directory of the operating system. Only the creating user can read the files it
 * creates (modes 0600 and 0700, on systems that support them). Symbolic links below the root are
 * not followed.
 *
 * <p>A thread that uses it must not be interrupted: Java closes a channel when its thread is
 * interrupted.
 */
public final class OsFileSystem implements FileSystem {
  private static final FileAttribute<?>[] NONE = {};

  private final Path root;
  private final boolean posix;
  private final FileAttribute<?>[] fileMode;
  private final FileAttribute<?>[] directoryMode;
  private final OpenFiles lasting;

  private OsFileSystem(Path root, OpenFiles lasting) {
    this.root = root;
    this.lasting = lasting;
    this.posix = root.getFileSystem().supportedFileAttributeViews().contains("posix");
    this.fileMode = mode(posix, "rw-------");
    this.directoryMode = mode(posix, "rwx------");
  }

  /** The descriptors of files that are kept open for long. */
  OpenFiles lasting() {
    return lasting;
  }

  /**
   * Opens the files under {@code root}, which is created with its parents if missing.
   *
   * @throws IOException if it cannot be created or is not a directory
   */
  public static OsFileSystem open(Path root) throws IOException {
    return open(root, OpenFiles.ofProcess());
  }

  /** Opens the files, of which those that last share the descriptors of a table. */
  static OsFileSystem open(Path root, OpenFiles lasting) throws IOException {
    OsFileSystem files = new OsFileSystem(root.toAbsolutePath().normalize(), lasting);
    if (Files.isDirectory(files.root)) {
      return files;
    }
    Files.createDirectories(files.root, files.directoryMode);
    // The new name must survive a crash too, as must those of parents created with it.
    for (Path parent = files.root.getParent(); parent != null; parent = parent.getParent()) {
      files.syncIfPermitted(parent);
    }
    return files;
  }

  private static FileAttribute<?>[] mode(boolean posix, String permissions) {
    return posix
        ? new FileAttribute<?>[] {
          PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString(permissions))
        }
        : NONE;
  }

  @Override
  public WritableFile create(String path) throws IOException {
    Path target = resolveFile(path);
    Set<OpenOption> options = Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
    try {
      return new OsWritableFile(FileChannel.open(target, options, fileMode), target, 0);
    } catch (FileAlreadyExistsException taken) {
      throw because(new FileExistsException(target.toString()), taken);
    } catch (NoSuchFileException noDirectory) {
      throw directoryNotFound(target, noDirectory);
    } catch (IOException e) {
      throw NoSpace.translate(e, target, 0);
    }
  }

  @Override
  public WritableFile append(String path) throws IOException {
    Path target = requireFile(path);
    try {
      FileChannel channel =
          FileChannel.open(target, StandardOpenOption.WRITE, LinkOption.NOFOLLOW_LINKS);
      return OsWritableFile.atEnd(channel, target);
    } catch (NoSuchFileException missing) {
      throw notFound(target, missing);
    }
  }

  @Override
  public ReadableFile open(String path) throws IOException {
    Path target = requireFile(path);
    try {
      return OsReadableFile.open(target);
    } catch (NoSuchFileException missing) {
      throw notFound(target, missing);
    }
  }

  @Override
  public ReadableFile openLasting(String path) throws IOException {
    Path target = requireFile(path);
    try {
      return OsLastingFile.open(lasting, target);
    } catch (NoSuchFileException missing) {
      throw notFound(target, missing);
    }
  }

  @Override
  public void rename(String from, String to) throws IOException {
    Path source = requireFile(from);
    Path target = resolveFile(to);
    try {
      Files.move(source, target, StandardCopyOption.ATOMIC_MOVE);
    } catch (NoSuchFileException missing) {
      throw Files.exists(source) ? directoryNotFound(target, missing) : notFound(source, missing);
    } catch (IOException e) {
      throw NoSpace.translate(e, target, 0);
    }
  }

  @Override
  public void link(String existing, String name) throws IOException {
    Path target = resolveFile(name);
    try {
      link(requireFile(existing), target);
    } catch (UnsupportedOperationException noLinks) {
      throw new IOException("the file system of " + root + " has no hard links", noLinks);
    } catch (FileSystemException e) {
      throw NoSpace.translate(e, target, 0);
    }
  }

  @Override
  public boolean linkInto(FileSystem other, String existing, String name) throws IOException {
    if (!(other instanceof OsFileSystem target)) {
      return false;
    }
    try {
      link(requireFile(existing), target.resolveFile(name));
      return true;
    } catch (UnsupportedOperationException | FileSystemException noLinks) {
      // Another volume, or one without links. If it is full or broken, the copy will say so.
      return false;
    }
  }

  private static void link(Path source, Path target) throws IOException {
    try {
      Files.createLink(target, source);
    } catch (FileAlreadyExistsException taken) {
      throw because(new FileExistsException(target.toString()), taken);
    } catch (NoSuchFileException missing) {
      throw Files.exists(source) ? directoryNotFound(target, missing) : notFound(source, missing);
    }
  }

  @Override
  public void delete(String path) throws IOException {
    Path target = resolveFile(path);
    try {
      Files.delete(target);
    } catch (NoSuchFileException missing) {
      throw notFound(target, missing);
    }
  }

  @Override
  public void createDirectories(String path) throws IOException {
    try {
      Files.createDirectories(resolve(path), directoryMode);
    } catch (IOException e) {
      throw NoSpace.translate(e, root, 0);
    }
  }

  @Override
  public List<String> list(String directory) throws IOException {
    Path target = resolve(directory);
    List<String> names = new ArrayList<>();
    try (DirectoryStream<Path> entries = Files.newDirectoryStream(target)) {
      for (Path entry : entries) {
        names.add(String.valueOf(entry.getFileName()));
      }
    } catch (NoSuchFileException | NotDirectoryException missing) {
      throw notFound(target, missing);
    }
    names.sort(null);
    return List.copyOf(names);
  }

  @Override
  public boolean exists(String path) {
    return Files.exists(resolve(path), LinkOption.NOFOLLOW_LINKS);
  }

  @Override
  public void syncDirectory(String directory) throws IOException {
    Path target = resolve(directory);
    if (!Files.isDirectory(target)) {
      throw new FileNotFoundException(target + " is not a directory");
    }
    if (!posix) {
      // Other systems cannot open a directory; they write names through on their own.
      return;
    }
    try (FileChannel channel = FileChannel.open(target, StandardOpenOption.READ)) {
      channel.force(true);
    }
  }

  @Override
  public Closeable lock(String path) throws IOException {
    return OsFileLock.acquire(resolveFile(path), fileMode);
  }

  @Override
  public long usableBytes() throws IOException {
    return NoSpace.usableBytes(root);
  }

  /** The size of the file system, with what is used of it. */
  public long sizeBytes() throws IOException {
    return Files.getFileStore(root).getTotalSpace();
  }

  @Override
  public String describe(String path) {
    return resolve(path).toString();
  }

  /** The real file, for adapters that must pass one to a library. */
  Path resolve(String path) {
    FileSystem.requireValidPath(path);
    return path.isEmpty() ? root : root.resolve(path);
  }

  private Path resolveFile(String path) {
    if (path.isEmpty()) {
      throw new IllegalArgumentException("the root is not a file");
    }
    return resolve(path);
  }

  private Path requireFile(String path) throws FileNotFoundException {
    Path target = resolveFile(path);
    if (!Files.isRegularFile(target, LinkOption.NOFOLLOW_LINKS)) {
      throw new FileNotFoundException(target + " is not a file");
    }
    return target;
  }

  private void syncIfPermitted(Path directory) throws IOException {
    if (posix && Files.isReadable(directory) && Files.isWritable(directory)) {
      try (FileChannel channel = FileChannel.open(directory, StandardOpenOption.READ)) {
        channel.force(true);
      }
    }
  }

  private static FileNotFoundException directoryNotFound(Path path, IOException cause) {
    return because(
        new FileNotFoundException("the directory of " + path + " does not exist"), cause);
  }

  private static FileNotFoundException notFound(Path path, IOException cause) {
    return because(new FileNotFoundException(path + " does not exist"), cause);
  }

  private static <E extends IOException> E because(E exception, IOException cause) {
    exception.initCause(cause);
    return exception;
  }
}
