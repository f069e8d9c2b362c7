package dev.colonnade.cli.shell.copy;

import java.io.Closeable;
import java.io.IOException;
import java.util.Optional;

/** Reads the records of a file, one after the other. For one thread. */
public interface RecordReader extends Closeable {

  /**
   * The next record; empty at the end.
   *
   * @throws BadRecordException if it is not what it should be; the next call reads the one after it
   */
  Optional<ColumnRecord> next() throws IOException, BadRecordException;

  /**
   * What the file begins with, before its records, with the end of its line; may be empty. Bytes as
   * in {@link #raw}.
   */
  String heading();

  /** The number of the line where the last record begins, from 1 on. */
  long line();

  /**
   * The last record as it is in the file, with the end of its line: its bytes, one character each
   * (ISO-8859-1), because it may not be text.
   */
  String raw();
}
