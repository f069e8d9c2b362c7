package dev.colonnade.it.bench.search;

import java.io.IOException;
import java.util.List;

/** An index of mails for each user. Thread-safe, but for {@link #settle} and {@link #close}. */
interface MailStore extends AutoCloseable {

  String name();

  /** Indexes a mail in place of what the index has of it. */
  void index(MailSource.Mail mail) throws IOException;

  /** Ends the indexing: all mails are in files, and searches find them. */
  void settle() throws IOException, InterruptedException;

  /** The ids of the newest mails that match, the newest first, each read with its payload. */
  List<Long> newest(MailSource.Query query, int limit) throws IOException;

  /** Of all files of the index. */
  long bytesOnDisk() throws IOException;

  @Override
  void close() throws IOException;
}
