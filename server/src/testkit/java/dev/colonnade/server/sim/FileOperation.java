package dev.colonnade.server.sim;

/** What a program asks of a {@link SimFileSystem}. */
public enum FileOperation {
  /** A new file, open for writing. */
  CREATE(true),
  /** A file that exists, open for writing at its end. */
  APPEND(false),
  /** A file, open for reading. */
  OPEN(false),
  /** Bytes of an open file. */
  READ(false),
  /** Bytes after the last byte of an open file. */
  WRITE(true),
  /** A shorter file. */
  TRUNCATE(true),
  /** The bytes of a file made durable. */
  SYNC(true),
  /** Another name in place of a file's own. */
  RENAME(true),
  /** A second name for a file. */
  LINK(true),
  /** A name less. */
  DELETE(true),
  /** A new directory. */
  MAKE_DIRECTORY(true),
  /** The names in a directory. */
  LIST(false),
  /** The names in a directory made durable. */
  SYNC_DIRECTORY(true);

  private final boolean changing;

  FileOperation(boolean changing) {
    this.changing = changing;
  }

  /**
   * Whether it changes what is on the disk, or what a crash leaves there: a crash after another one
   * is a crash before it.
   */
  public boolean isChanging() {
    return changing;
  }
}
