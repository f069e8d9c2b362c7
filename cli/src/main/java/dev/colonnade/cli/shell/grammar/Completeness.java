package dev.colonnade.cli.shell.grammar;

/** Whether a text that somebody types can be run, or waits for more lines. */
public enum Completeness {
  /** It can be run, or there is nothing in it. */
  COMPLETE,
  /** A quote, a comment, a batch or a statement is open. */
  INCOMPLETE
}
