package dev.colonnade.server.service.rpc;

import dev.colonnade.server.base.schema.SchemaException;
import io.grpc.Status;
import java.util.Map;

/** Converts a refused schema change to a refusal of the request. */
final class SchemaRefusals {

  private SchemaRefusals() {}

  static RequestRefusal translate(SchemaException error) {
    String field = error.field();
    String message = EchoedText.messageOf(error);
    return switch (error.kind()) {
      case INVALID -> RequestRefusal.invalid(field, message);
      case SYSTEM_KEYSPACE_READ_ONLY ->
          RequestRefusal.invalid(ErrorReasons.SYSTEM_KEYSPACE_READ_ONLY, field, message);
      case KEYSPACE_NOT_FOUND ->
          RequestRefusal.notFound(ErrorReasons.KEYSPACE_NOT_FOUND, field, message);
      case COLUMN_FAMILY_NOT_FOUND ->
          RequestRefusal.notFound(ErrorReasons.COLUMN_FAMILY_NOT_FOUND, field, message);
      case KEYSPACE_EXISTS ->
          RequestRefusal.of(
              Status.Code.ALREADY_EXISTS, ErrorReasons.KEYSPACE_EXISTS, field, message);
      case COLUMN_FAMILY_EXISTS ->
          RequestRefusal.of(
              Status.Code.ALREADY_EXISTS, ErrorReasons.COLUMN_FAMILY_EXISTS, field, message);
      case COMPARATOR_CANNOT_CHANGE ->
          RequestRefusal.precondition(
              ErrorReasons.COMPARATOR_CANNOT_CHANGE, field, message, Map.of());
    };
  }
}
