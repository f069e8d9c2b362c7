package dev.colonnade.server.service.rpc;

import dev.colonnade.server.service.bulkload.BulkLoadException;
import io.grpc.Status;

/** Translates the refusals of bulk loads. */
final class BulkLoadRefusals {

  private BulkLoadRefusals() {}

  static RequestRefusal translate(BulkLoadException refused) {
    String message = String.valueOf(refused.getMessage());
    return switch (refused.refusal()) {
      case OUT_OF_ORDER ->
          RequestRefusal.of(
              Status.Code.INVALID_ARGUMENT, ErrorReasons.ROWS_OUT_OF_ORDER, null, message);
      case NOT_A_REPLICA ->
          RequestRefusal.of(
              Status.Code.FAILED_PRECONDITION, ErrorReasons.NOT_A_REPLICA, null, message);
      case RING_CHANGING ->
          RequestRefusal.of(
              Status.Code.FAILED_PRECONDITION, ErrorReasons.RING_CHANGING, null, message);
      case FAMILY_CHANGED ->
          RequestRefusal.of(Status.Code.ABORTED, ErrorReasons.FAMILY_CHANGED, null, message);
      case ABANDONED ->
          RequestRefusal.of(Status.Code.ABORTED, ErrorReasons.LOAD_ABANDONED, null, message);
    };
  }
}
