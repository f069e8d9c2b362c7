package dev.colonnade.server.rpc;

import dev.colonnade.server.schema.SchemaException;
import io.grpc.Status;
import java.util.Map;

/** A refused schema change as a refusal of the request. */
final class SchemaRefusals {

  private SchemaRefusals() {}

  static Refusal translate(SchemaException error) {
    String field = error.field();
    String message = Texts.messageOf(error);
    return switch (error.kind()) {
      case INVALID -> Refusal.invalid(field, message);
      case SYSTEM_KEYSPACE_READ_ONLY ->
          Refusal.invalid(Reasons.SYSTEM_KEYSPACE_READ_ONLY, field, message);
      case KEYSPACE_NOT_FOUND -> Refusal.notFound(Reasons.KEYSPACE_NOT_FOUND, field, message);
      case COLUMN_FAMILY_NOT_FOUND ->
          Refusal.notFound(Reasons.COLUMN_FAMILY_NOT_FOUND, field, message);
      case KEYSPACE_EXISTS ->
          Refusal.of(Status.Code.ALREADY_EXISTS, Reasons.KEYSPACE_EXISTS, field, message);
      case COLUMN_FAMILY_EXISTS ->
          Refusal.of(Status.Code.ALREADY_EXISTS, Reasons.COLUMN_FAMILY_EXISTS, field, message);
      case COMPARATOR_CANNOT_CHANGE ->
          Refusal.precondition(Reasons.COMPARATOR_CANNOT_CHANGE, field, message, Map.of());
    };
  }
}
