package dev.colonnade.cli.shell.output;

import java.time.Duration;
import java.util.Iterator;
import java.util.function.BooleanSupplier;

/**
 * Writes the answers of statements as they arrive. Iterators are walked to their end, and what they
 * throw passes through, after what was begun is closed as well as it can be. Used by one thread.
 *
 * <p>Every method throws {@link java.io.UncheckedIOException} when the output is closed.
 */
public interface Output {

  /** One column. */
  void column(AnswerScope place, String key, ShownEntry.Column column);

  /** The entries of one row, or none. */
  void row(AnswerScope place, ShownRow row);

  /** Several rows. */
  void rows(AnswerScope place, ShownRows rows);

  /** Keys of rows. */
  void keys(AnswerScope place, Iterator<String> keys, BooleanSupplier more);

  /** How many columns, or super columns, there are. */
  void count(AnswerScope place, String key, long count);

  /** There is nothing under that name. */
  void notFound();

  /**
   * Something is done and has no other answer.
   *
   * @param message one sentence for people
   */
  void done(String message);

  /** A remark about an answer, for people. */
  void note(String message);

  /**
   * One value that has a name.
   *
   * @param name for programs, such as {@code cluster_name}
   */
  void value(String name, String value);

  /** A description. */
  void facts(Facts facts);

  /**
   * Several descriptions were all that there are; for programs, which see so that none is missing.
   *
   * @param plural what they describe, as in {@link Listing#plural}
   */
  void complete(String plural, int count);

  /** Things of one kind, one below the other. */
  void listing(Listing listing);

  /**
   * Text of several lines, to be shown as it is: a script, or help.
   *
   * @param name for programs, such as {@code schema}
   */
  void text(String name, String text);

  /** How far long work is; the last call has nothing more to do. */
  void progress(String phase, long doneBytes, long totalBytes, String detail);

  /** As {@link #progress}, where what is done is counted and has no size. */
  void steps(String phase, long done, long total, String detail);

  /** What the statement cost; after its answer. */
  void cost(Cost cost);

  /** How long the statement took; after its answer. */
  void elapsed(Duration elapsed);

  /** A statement that failed; after what it had answered so far. */
  void failed(Problem problem);

  /** A statement that is about to run, where the user wants to see them. */
  void echo(String statement);
}
