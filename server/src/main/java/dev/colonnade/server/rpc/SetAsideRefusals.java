package dev.colonnade.server.rpc;

import dev.colonnade.server.coordinator.CoordinationException;
import dev.colonnade.server.env.HostPaths;
import dev.colonnade.server.schema.ColumnFamily;
import java.util.Map;
import java.util.concurrent.CompletionException;

/** What keeps set-aside records from being applied, as an operator is told. */
final class SetAsideRefusals {

  private SetAsideRefusals() {}

  /** What is the matter with the node passes as it is; all else is the matter with a record. */
  static Throwable translate(Throwable failure) {
    Throwable cause =
        failure instanceof CompletionException && failure.getCause() != null
            ? failure.getCause()
            : failure;
    if (cause instanceof CoordinationException || cause instanceof VirtualMachineError) {
      return cause;
    }
    return RequestRefusal.precondition(
        ErrorReasons.RECORDS_NOT_APPLIED,
        "number",
        "a record still cannot be applied: " + HostPaths.without(String.valueOf(cause)),
        Map.of());
  }

  static RequestRefusal noFile(ColumnFamily family, long number) {
    return RequestRefusal.invalid(
        "number",
        "file "
            + number
            + " of "
            + family.qualifiedName()
            + " is not one of set-aside records; GetStats lists those that are");
  }
}
