package dev.colonnade.server.service.rpc;

import com.google.protobuf.Any;
import com.google.protobuf.Duration;
import com.google.rpc.BadRequest;
import com.google.rpc.ErrorInfo;
import com.google.rpc.RetryInfo;
import dev.colonnade.server.base.async.Errors;
import dev.colonnade.server.base.schema.SchemaException;
import dev.colonnade.server.cluster.membership.MembershipException;
import dev.colonnade.server.cluster.streaming.StreamFailedException;
import dev.colonnade.server.service.bulkload.BulkLoadException;
import dev.colonnade.server.service.consistency.CoordinationException;
import dev.colonnade.server.service.search.SearchException;
import dev.colonnade.v1.Applied;
import dev.colonnade.v1.MutateOutcome;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.protobuf.StatusProto;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CancellationException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Translates every exception to a status with details; nothing else does. An exception that it does
 * not know is our own bug: the client gets INTERNAL with a number to quote, and the log gets the
 * stack trace under that number.
 *
 * <p>Thread-safe.
 */
final class StatusErrors {

  private static final Logger log = LoggerFactory.getLogger(StatusErrors.class);

  /** Messages are sent in headers, of which clients accept 8 KiB by default, and sent twice. */
  private static final int MAX_MESSAGE_CHARACTERS = 1_000;

  private static final Duration RETRY_AFTER = Duration.newBuilder().setNanos(100_000_000).build();

  private final String nodeId;
  private final AtomicLong correlations = new AtomicLong();
  private final Map<String, ReadyError> overloaded = new ConcurrentHashMap<>();
  private final ReadyError columnNotFound;

  StatusErrors(String nodeId) {
    this.nodeId = nodeId;
    this.columnNotFound = new ReadyError(toProto(failure(RequestRefusal.columnNotFound(), false)));
  }

  /** The status of a failed read, or of a failed call that changes nothing. */
  StatusRuntimeException ofRead(Throwable error) {
    return toStatus(failure(error, false));
  }

  /** The status of a failed call that changes something. */
  StatusRuntimeException ofWrite(Throwable error) {
    return toStatus(failure(error, true));
  }

  /**
   * The status of a call that is refused because a limit was reached; made once for each limit.
   *
   * @param limit one of a few names
   */
  ReadyError overloaded(String limit) {
    return overloaded.computeIfAbsent(
        limit,
        name -> new ReadyError(toProto(failure(new CoordinationException.Overloaded(name), true))));
  }

  /** The error of a failed call, encoded. */
  ReadyError ready(Throwable error, boolean write) {
    return Errors.unwrap(error) instanceof RequestRefusal refusal
            && refusal.reason().equals(ErrorReasons.COLUMN_NOT_FOUND)
        ? columnNotFound
        : new ReadyError(toProto(failure(error, write)));
  }

  /** The outcome of one failed batch of a stream. */
  MutateOutcome outcome(long sequence, Throwable error) {
    Failure failure = failure(error, true);
    MutateOutcome.Builder outcome =
        MutateOutcome.newBuilder()
            .setSequence(sequence)
            .setCode(failure.code.value())
            .setReason(failure.reason)
            .setMessage(failure.message)
            .setApplied(applied(failure.metadata.getOrDefault("applied", "unknown")));
    String required = failure.metadata.get("required");
    if (required != null) {
      outcome.setRequired(Integer.parseInt(required));
    }
    String received = failure.metadata.get("received");
    if (received != null) {
      outcome.setReceived(Integer.parseInt(received));
    }
    return outcome.build();
  }

  private static Applied applied(String text) {
    return text.equals("no") ? Applied.APPLIED_NO : Applied.APPLIED_UNKNOWN;
  }

  /** The parts of a status. */
  private record Failure(
      Status.Code code,
      String reason,
      @Nullable String field,
      String message,
      Map<String, String> metadata,
      boolean retrySoon) {}

  private Failure failure(Throwable error, boolean write) {
    Throwable cause = Errors.unwrap(error);
    if (cause instanceof RequestRefusal refusal) {
      Map<String, String> metadata = new TreeMap<>(refusal.metadata());
      if (write) {
        metadata.put("applied", "no");
      }
      return new Failure(
          refusal.code(),
          refusal.reason(),
          refusal.field(),
          shortened(refusal.text()),
          metadata,
          false);
    }
    if (cause instanceof CoordinationException.PartlyApplied partly) {
      Failure why = coordination(partly.refusal(), write);
      Map<String, String> metadata = new TreeMap<>(why.metadata);
      metadata.put("applied", "unknown");
      return new Failure(
          why.code, why.reason, why.field, shortened(partly.getMessage()), metadata, why.retrySoon);
    }
    if (cause instanceof CoordinationException failed) {
      return coordination(failed, write);
    }
    if (cause instanceof StreamFailedException || cause instanceof MembershipException) {
      // A stream or a ring change did not complete.
      return failure(
          RequestRefusal.precondition(
              ErrorReasons.RING_CHANGE_FAILED, null, String.valueOf(cause.getMessage()), Map.of()),
          false);
    }
    if (cause instanceof BulkLoadException load) {
      return failure(BulkLoadRefusals.translate(load), write);
    }
    if (cause instanceof SchemaException schema) {
      return failure(SchemaRefusals.translate(schema), write);
    }
    if (cause instanceof SearchException refused) {
      return failure(
          RequestRefusal.invalid(
              refused.isTooLarge() ? ErrorReasons.REQUEST_TOO_LARGE : ErrorReasons.INVALID_REQUEST,
              refused.field(),
              EchoedText.messageOf(refused)),
          write);
    }
    if (cause instanceof CancellationException) {
      return new Failure(
          Status.Code.CANCELLED,
          ErrorReasons.CANCELLED,
          null,
          "the caller gave up waiting",
          write ? Map.of("applied", "unknown") : Map.of(),
          false);
    }
    return internal(cause, write);
  }

  private static Failure coordination(CoordinationException error, boolean write) {
    Map<String, String> metadata = new TreeMap<>();
    String message = shortened(error.getMessage());
    if (error instanceof CoordinationException.NotEnoughReplicas few) {
      metadata.put("consistency_level", few.consistency().name());
      metadata.put("required", Integer.toString(few.required()));
      metadata.put("alive", Integer.toString(few.alive()));
      metadata.put("applied", "no");
      return new Failure(
          Status.Code.UNAVAILABLE, ErrorReasons.NOT_ENOUGH_REPLICAS, null, message, metadata, true);
    }
    if (error instanceof CoordinationException.ReplicaTimeout late) {
      metadata.put("consistency_level", late.consistency().name());
      metadata.put("required", Integer.toString(late.required()));
      metadata.put("received", Integer.toString(late.received()));
      metadata.put("applied", write ? "unknown" : "no");
      return new Failure(
          Status.Code.DEADLINE_EXCEEDED,
          ErrorReasons.REPLICA_TIMEOUT,
          null,
          message,
          metadata,
          false);
    }
    if (error instanceof CoordinationException.SchemaDisagreement several) {
      metadata.put("applied", "yes");
      several
          .versions()
          .forEach((version, nodes) -> metadata.put("version." + version, String.join(",", nodes)));
      return new Failure(
          Status.Code.ABORTED, ErrorReasons.SCHEMA_DISAGREEMENT, null, message, metadata, false);
    }
    if (error instanceof CoordinationException.Overloaded full) {
      metadata.put("limit", full.limit());
      metadata.put("applied", "no");
      return new Failure(
          Status.Code.RESOURCE_EXHAUSTED, ErrorReasons.OVERLOADED, null, message, metadata, true);
    }
    if (error instanceof CoordinationException.DiskFull) {
      metadata.put("applied", "no");
      return new Failure(
          Status.Code.RESOURCE_EXHAUSTED, ErrorReasons.DISK_FULL, null, message, metadata, false);
    }
    if (error instanceof CoordinationException.TooLarge) {
      metadata.put("applied", "no");
      return new Failure(
          Status.Code.INVALID_ARGUMENT,
          ErrorReasons.REQUEST_TOO_LARGE,
          null,
          message,
          metadata,
          false);
    }
    if (error instanceof CoordinationException.NodeNotReady) {
      metadata.put("applied", "no");
      return new Failure(
          Status.Code.UNAVAILABLE, ErrorReasons.NODE_NOT_READY, null, message, metadata, false);
    }
    if (error instanceof CoordinationException.Corrupt corrupt) {
      metadata.put("file", corrupt.file());
      metadata.put("offset", Long.toString(corrupt.offset()));
      return new Failure(
          Status.Code.DATA_LOSS, ErrorReasons.CHECKSUM_FAILURE, null, message, metadata, false);
    }
    metadata.put("applied", write ? "unknown" : "no");
    log.error("storage failed under a request", error);
    return new Failure(
        Status.Code.INTERNAL, ErrorReasons.STORAGE_FAILED, null, message, metadata, false);
  }

  private Failure internal(Throwable cause, boolean write) {
    Errors.escalate(cause);
    if (Errors.isOverload(cause)) {
      // It is not known where it struck, and so not what had been applied.
      Map<String, String> metadata = new TreeMap<>();
      metadata.put("limit", "memory outside of the heap");
      metadata.put("applied", write ? "unknown" : "no");
      return new Failure(
          Status.Code.RESOURCE_EXHAUSTED,
          ErrorReasons.OVERLOADED,
          null,
          "the node has no memory left outside the heap for this; try again soon",
          metadata,
          true);
    }
    String correlation = nodeId + "-" + correlations.incrementAndGet();
    log.error("request failed with an internal error, correlation id {}", correlation, cause);
    Map<String, String> metadata = new TreeMap<>();
    metadata.put("correlation_id", correlation);
    if (write) {
      metadata.put("applied", "unknown");
    }
    return new Failure(
        Status.Code.INTERNAL,
        ErrorReasons.INTERNAL_ERROR,
        null,
        "internal error; the server's log has the details under " + correlation,
        metadata,
        false);
  }

  private static StatusRuntimeException toStatus(Failure failure) {
    return StatusProto.toStatusRuntimeException(toProto(failure));
  }

  private static com.google.rpc.Status toProto(Failure failure) {
    com.google.rpc.Status.Builder status =
        com.google.rpc.Status.newBuilder()
            .setCode(failure.code.value())
            .setMessage(failure.message)
            .addDetails(
                Any.pack(
                    ErrorInfo.newBuilder()
                        .setDomain(ErrorReasons.DOMAIN)
                        .setReason(failure.reason)
                        .putAllMetadata(failure.metadata)
                        .build()));
    if (failure.field != null) {
      status.addDetails(
          Any.pack(
              BadRequest.newBuilder()
                  .addFieldViolations(
                      BadRequest.FieldViolation.newBuilder()
                          .setField(failure.field)
                          .setReason(failure.reason)
                          .setDescription(failure.message))
                  .build()));
    }
    if (failure.retrySoon) {
      status.addDetails(Any.pack(RetryInfo.newBuilder().setRetryDelay(RETRY_AFTER).build()));
    }
    return status.build();
  }

  private static String shortened(@Nullable String message) {
    if (message == null) {
      return "";
    }
    return message.length() <= MAX_MESSAGE_CHARACTERS
        ? message
        : message.substring(0, MAX_MESSAGE_CHARACTERS) + "…";
  }
}
