package dev.colonnade.cli.shell.run;

/** What became of a statement that did not fail. */
public enum Outcome {
  /** It did what it says. */
  DONE,
  /** It asked for one column or row, and that is not there. */
  NOT_FOUND,
  /** It says that there shall be no more. */
  EXIT
}
