package dev.colonnade.cli.shell.run;

import dev.colonnade.client.Applied;
import dev.colonnade.client.ColonnadeException;
import dev.colonnade.client.InvalidRequestException;
import dev.colonnade.client.OverloadedException;
import dev.colonnade.client.TimedOutException;
import dev.colonnade.client.UnavailableException;
import java.io.UncheckedIOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;

/** What the client library reports, as failures of statements. */
final class Failures {

  /** What gRPC says of a peer that begins otherwise than HTTP/2 does. */
  private static final String NOT_GRPC = "First received frame was not SETTINGS";

  private static final String OTHER_PORT =
      ": is it the node's port for other nodes, or for metrics? A node prints its port for clients"
          + " when it starts (9160 unless it is set), and --port chooses it";

  private Failures() {}

  static StatementFailure of(RuntimeException thrown, NodeAddress node, boolean writes) {
    if (thrown instanceof ColonnadeException failure) {
      return of(failure, node, writes);
    }
    if (thrown instanceof UncheckedIOException output) {
      return StatementFailure.of(
          ExitStatus.STATEMENT_FAILED,
          "OUTPUT_CLOSED",
          String.valueOf(output.getMessage()),
          output);
    }
    if (thrown instanceof IllegalArgumentException refused) {
      return StatementFailure.of(
          ExitStatus.STATEMENT_FAILED, "REFUSED", String.valueOf(refused.getMessage()), refused);
    }
    return StatementFailure.of(
        ExitStatus.STATEMENT_FAILED,
        "PROGRAM_ERROR",
        oneLine(thrown + " (an error in the program, please report it)"),
        thrown);
  }

  /** Why a file cannot be read or written; the message of some exceptions is its name alone. */
  static String ofFile(Exception failure) {
    if (failure instanceof UncheckedIOException wrapped && wrapped.getCause() != null) {
      return ofFile(wrapped.getCause());
    }
    if (failure instanceof NoSuchFileException) {
      return "no such file or directory";
    }
    if (failure instanceof AccessDeniedException) {
      return "permission denied";
    }
    if (failure instanceof FileSystemException refused && refused.getReason() != null) {
      return refused.getReason() + " (" + refused.getFile() + ")";
    }
    return String.valueOf(failure.getMessage());
  }

  /** Of a statement whose thread was interrupted. */
  static StatementFailure interrupted(boolean writes, RuntimeException cause) {
    return StatementFailure.of(
        ExitStatus.INTERRUPTED,
        "INTERRUPTED",
        writes ? "interrupted; what was sent may still be applied" : "interrupted",
        cause);
  }

  private static StatementFailure of(ColonnadeException failure, NodeAddress node, boolean writes) {
    String said = oneLine(String.valueOf(failure.getMessage()));
    if (failure.reason().equals("UNAVAILABLE")) {
      return failed(
          ExitStatus.UNAVAILABLE,
          failure,
          "no node answers at "
              + node
              + "; is one running there? `"
              + Launcher.command("server")
              + "` starts one, --host and --port choose another"
              + outcome(failure, writes));
    }
    if (said.contains(NOT_GRPC)) {
      return failed(
          ExitStatus.UNAVAILABLE,
          failure,
          "what answers at " + node + " does not speak gRPC" + OTHER_PORT);
    }
    if (failure.reason().equals("UNIMPLEMENTED")) {
      return failed(
          ExitStatus.UNAVAILABLE,
          failure,
          "what answers at " + node + " is no node, or one of another version" + OTHER_PORT);
    }
    if (failure instanceof TimedOutException) {
      return failed(ExitStatus.TIMED_OUT, failure, said + outcome(failure, writes));
    }
    if (failure.reason().equals("CANCELLED")) {
      return failed(ExitStatus.INTERRUPTED, failure, said + outcome(failure, writes));
    }
    if (failure.reason().equals("CREDENTIALS_MISSING")) {
      said += "; `login NAME;` in the shell, or --user and --password-file, say who you are";
    }
    boolean later =
        failure instanceof UnavailableException
            || failure instanceof OverloadedException
            || failure.reason().equals("NODE_NOT_READY");
    return failed(
        later ? ExitStatus.UNAVAILABLE : ExitStatus.STATEMENT_FAILED,
        failure,
        said + fields(failure) + outcome(failure, writes));
  }

  /** Names of request fields mean nothing to users of the shell; the rules that they break do. */
  private static String fields(ColonnadeException failure) {
    StringBuilder rules = new StringBuilder();
    if (failure instanceof InvalidRequestException invalid) {
      invalid.fieldViolations().stream()
          .map(violation -> oneLine(violation.description()))
          .filter(rule -> !String.valueOf(failure.getMessage()).contains(rule))
          .forEach(rule -> rules.append("; ").append(rule));
    }
    return rules.toString();
  }

  private static String outcome(ColonnadeException failure, boolean writes) {
    return writes && failure.applied() == Applied.UNKNOWN
        ? "; the change may have been applied, and repeating it is safe"
        : "";
  }

  private static StatementFailure failed(
      ExitStatus status, ColonnadeException failure, String message) {
    return StatementFailure.of(status, failure.reason(), message, failure);
  }

  private static String oneLine(String message) {
    return message.lines().map(String::strip).reduce((a, b) -> a + " " + b).orElse(message);
  }
}
