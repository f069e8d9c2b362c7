package dev.colonnade.client;

import com.google.protobuf.CodedInputStream;
import java.io.IOException;
import java.util.List;

/**
 * Makes entries of the bytes of an answer, and joins those that were cut at the end of a part. For
 * one answer, one thread at a time.
 */
abstract class EntryReader<C> {

  /**
   * Adds the entries of a part that has entries, except for what continues in the next.
   *
   * @throws ColonnadeException if the bytes cannot be read
   */
  final void read(AnswerPart part, List<C> into) {
    part.forEach(in -> entry(in, into));
    if (!part.superColumnContinues()) {
      end(into);
    }
  }

  /** Reads an entry up to the stream's limit, and adds the entries that are complete by then. */
  abstract void entry(CodedInputStream in, List<C> into) throws IOException;

  /** Adds the entry that was not complete. */
  abstract void end(List<C> into);
}
