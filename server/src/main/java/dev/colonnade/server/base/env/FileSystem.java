package dev.colonnade.server.base.env;

import java.io.Closeable;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;

/**
 * The only access to files. Paths are relative to the root of this file system, with {@code /}
 * between names; each name matches {@code [A-Za-z0-9_.-]+} and is neither {@code .} nor {@code ..};
 * the root itself is {@code ""}. A path that breaks this is an {@link IllegalArgumentException}.
 *
 * <p>Bytes are durable only after {@link WritableFile#sync}; a created, renamed or deleted name
 * only after {@link #syncDirectory} of its directory (both, for a rename across directories). After
 * a crash anything not synced may be there whole, in part, or not at all.
 *
 * <p>An operation that finds no room on the disk throws {@link NoSpaceException}, and one that
 * finds no memory outside of the heap for its bytes {@link NoBufferException}: neither means that
 * the file is damaged, but a failed write may have left a part of its bytes, which must be cut off.
 *
 * <p>Thread-safe, except that a {@link WritableFile} belongs to one thread at a time. Calls may
 * block, but for {@link ReadableFile#readIfInMemory}.
 */
public interface FileSystem {

  /**
   * Creates a file that does not exist yet and opens it for writing.
   *
   * @throws FileExistsException if the name is taken
   * @throws FileNotFoundException if its directory does not exist
   */
  WritableFile create(String path) throws IOException;

  /**
   * Opens an existing file to write after its last byte.
   *
   * @throws FileNotFoundException if there is no such file
   */
  WritableFile append(String path) throws IOException;

  /**
   * Opens a file for reading. The file stays readable through this handle after it was deleted.
   *
   * @throws FileNotFoundException if there is no such file
   */
  ReadableFile open(String path) throws IOException;

  /**
   * Opens a file that is kept open for long, such as a data file, of which there may be more than
   * the process may have descriptors: it may have none while it is not read. Until it is closed,
   * the file must keep its name and its bytes. {@link ReadableFile#readIfInMemory} may find
   * something in such files only.
   *
   * @throws FileNotFoundException if there is no such file
   */
  default ReadableFile openLasting(String path) throws IOException {
    return open(path);
  }

  /**
   * Renames a file atomically, replacing {@code to} if it exists.
   *
   * @throws FileNotFoundException if {@code from} does not exist
   */
  void rename(String from, String to) throws IOException;

  /**
   * Gives a file a second name, a hard link. Both names are equal from then on: the bytes stay
   * until the last name is deleted, and what is written through one is read through the other.
   * Durable once the directory of {@code name} is synced.
   *
   * @throws FileNotFoundException if {@code existing} is no file, or the directory of {@code name}
   *     does not exist
   * @throws FileExistsException if {@code name} is taken
   */
  void link(String existing, String name) throws IOException;

  /**
   * Gives a file a second name below the root of another file system, as {@link #link} does, if
   * both are on one volume of the operating system. Durable once the directory of {@code name} is
   * synced there.
   *
   * @return false if there can be no link between them: the file has to be copied then
   * @throws FileNotFoundException if {@code existing} is no file, or the directory of {@code name}
   *     does not exist
   * @throws FileExistsException if {@code name} is taken
   */
  default boolean linkInto(FileSystem other, String existing, String name) throws IOException {
    return false;
  }

  /**
   * Deletes a file or an empty directory.
   *
   * @throws FileNotFoundException if there is no such name
   */
  void delete(String path) throws IOException;

  /**
   * Creates a directory and its parents where missing; their names are durable when their parents
   * are synced.
   */
  void createDirectories(String path) throws IOException;

  /**
   * The names (not paths) in a directory, files and directories, sorted by their bytes.
   *
   * @throws FileNotFoundException if there is no such directory
   */
  List<String> list(String directory) throws IOException;

  /** Whether a file or directory of that name exists now. */
  boolean exists(String path) throws IOException;

  /** Makes the names in {@code directory} durable as they are now. */
  void syncDirectory(String directory) throws IOException;

  /**
   * Takes the exclusive lock of the file {@code path}, creating the file if needed; held until
   * closed or until the process ends.
   *
   * @throws LockedException if another holder, in this process or another, has it
   */
  Closeable lock(String path) throws IOException;

  /** Bytes that can still be written, according to the operating system now. */
  long usableBytes() throws IOException;

  /** The path in full, for messages to people only. */
  String describe(String path);

  /**
   * Refuses an invalid path; every implementation calls it first.
   *
   * @return {@code path}
   * @throws IllegalArgumentException if a name in it breaks the rule or is longer than 255
   *     characters
   */
  static String requireValidPath(String path) {
    if (path.isEmpty()) {
      return path;
    }
    boolean valid = true;
    int nameStart = 0;
    for (int i = 0; i <= path.length() && valid; i++) {
      if (i == path.length() || path.charAt(i) == '/') {
        valid = isName(path, nameStart, i);
        nameStart = i + 1;
      } else {
        valid = isNameCharacter(path.charAt(i));
      }
    }
    if (!valid) {
      throw new IllegalArgumentException(
          "'"
              + path
              + "' is not a path: each name has 1 to 255 of the characters A-Z a-z 0-9 _ . -, and ."
              + " and .. are not names");
    }
    return path;
  }

  private static boolean isName(String path, int start, int end) {
    int length = end - start;
    boolean dots =
        length >= 1
            && length <= 2
            && path.charAt(start) == '.'
            && (length == 1 || path.charAt(end - 1) == '.');
    return length >= 1 && length <= 255 && !dots;
  }

  private static boolean isNameCharacter(char c) {
    return (c >= 'a' && c <= 'z')
        || (c >= 'A' && c <= 'Z')
        || (c >= '0' && c <= '9')
        || c == '_'
        || c == '.'
        || c == '-';
  }

  /**
   * A file being written; one thread at a time, but {@link #sync} may run beside {@link #write}.
   */
  interface WritableFile extends Closeable {
    /**
     * Writes all remaining bytes of {@code source} after the last byte; the operating system has
     * them when it returns.
     */
    void write(ByteBuffer source) throws IOException;

    /** Bytes in the file, written ones included. */
    long size();

    /** Cuts the file to {@code size} bytes, which must not exceed {@link #size}. */
    void truncate(long size) throws IOException;

    /**
     * Makes everything durable that was written before the call. A failure is final: what was
     * written since the last success may be lost even if a later call succeeds, so the caller must
     * stop trusting this file.
     */
    void sync() throws IOException;
  }

  /** A file open for reading; thread-safe. */
  interface ReadableFile extends Closeable {
    /** Bytes in the file now. */
    long size() throws IOException;

    /**
     * Fills {@code target} with the bytes from {@code position} on.
     *
     * @throws java.io.EOFException if the file ends before {@code target} is full
     */
    void read(long position, ByteBuffer target) throws IOException;

    /**
     * Fills {@code target} as {@link #read} does, if the system has all of the bytes in memory and
     * can hand them out at once. Never waits for the disk, unlike everything else here.
     *
     * @param target in direct memory
     * @return false if it did not, for whatever reason: {@link #read} can tell. What the target has
     *     behind its position is undefined then
     */
    boolean readIfInMemory(long position, ByteBuffer target);
  }
}
