package dev.colonnade.server.service.rpc;

import dev.colonnade.server.base.async.Errors;
import dev.colonnade.server.base.env.HostPaths;
import dev.colonnade.server.base.schema.ColumnFamily;
import dev.colonnade.server.service.consistency.CoordinationException;
import java.util.Map;

/** Explains to an operator why set-aside records cannot be applied. */
final class SetAsideRefusals {

  private SetAsideRefusals() {}

  /** Passes problems of the node unchanged; all others are problems of a record. */
  static Throwable translate(Throwable failure) {
    Throwable cause = Errors.unwrap(failure);
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
