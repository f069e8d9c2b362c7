package dev.colonnade.cli.shell.grammar;

/** Whether the text typed so far can be run, or needs more lines. */
public enum Completeness {
  /** It can be run, or there is nothing in it. */
  COMPLETE,
  /** A quote, a comment, a batch or a statement is open. */
  INCOMPLETE
}
