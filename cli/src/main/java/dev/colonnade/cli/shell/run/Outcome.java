package dev.colonnade.cli.shell.run;

/** The outcome of a statement that did not fail. */
public enum Outcome {
  /** It did what it says. */
  DONE,
  /** It asked for one column or row, which does not exist. */
  NOT_FOUND,
  /** It ends the session. */
  EXIT
}
