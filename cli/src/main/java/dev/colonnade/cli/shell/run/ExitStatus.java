package dev.colonnade.cli.shell.run;

import java.util.LinkedHashMap;
import java.util.Map;

/** How a run of the shell, or of one statement as a command, ends: the status of the process. */
public enum ExitStatus {
  /** The command succeeded. */
  OK(0, "success"),
  /** Only for a statement that is run as a command. */
  NOT_FOUND(1, "the column or row that a single command asked for does not exist"),
  /** Nothing, or nothing more, was done. */
  USAGE(2, "the command line or a statement is invalid, or a script cannot be read"),
  /** The same statement may succeed later. */
  UNAVAILABLE(3, "no node can be reached, too few replicas are up, or the node is overloaded"),
  /** The same statement will fail again. */
  STATEMENT_FAILED(4, "a statement failed"),
  /** A write may have been applied. */
  TIMED_OUT(5, "no answer came in time; it is not known whether a write was applied"),
  /** The user ended it. */
  INTERRUPTED(130, "interrupted");

  private final int code;
  private final String meaning;

  ExitStatus(int code, String meaning) {
    this.code = code;
    this.meaning = meaning;
  }

  /** The status of the process. */
  public int code() {
    return code;
  }

  /** For people, without a full stop. */
  public String meaning() {
    return meaning;
  }

  /** All of them, from number to meaning, in order. */
  public static Map<String, String> table() {
    Map<String, String> table = new LinkedHashMap<>();
    for (ExitStatus status : values()) {
      table.put(Integer.toString(status.code), status.meaning);
    }
    return table;
  }
}
