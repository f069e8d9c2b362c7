package dev.colonnade.client;

import com.google.protobuf.Any;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.Message;
import com.google.rpc.BadRequest;
import com.google.rpc.ErrorInfo;
import com.google.rpc.RetryInfo;
import dev.colonnade.client.ColonnadeException.Failure;
import dev.colonnade.client.InvalidRequestException.FieldViolation;
import dev.colonnade.v1.MutateOutcome;
import io.grpc.Status;
import io.grpc.protobuf.StatusProto;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Translates gRPC's errors into the library's exceptions. */
final class Errors {

  private static final String DOMAIN = "colonnade";

  private Errors() {}

  /**
   * The exception for a failed call.
   *
   * @param ifUnstated the outcome of the call if no node states it
   */
  static ColonnadeException translate(Throwable thrown, Applied ifUnstated) {
    if (thrown instanceof ColonnadeException translated) {
      return translated;
    }
    Status status = Status.fromThrowable(thrown);
    Optional<ErrorInfo> info = info(thrown);
    String said = said(thrown, status);
    String message =
        info.isPresent() ? said : status.getCode() + ", and no node said more: " + said;
    Map<String, String> metadata = info.map(ErrorInfo::getMetadataMap).orElse(Map.of());
    Failure failure =
        new Failure(
            message,
            info.map(ErrorInfo::getReason).orElse(status.getCode().name()),
            applied(metadata, ifUnstated),
            Map.copyOf(metadata),
            thrown);
    return of(
        status.getCode(),
        failure,
        violations(thrown),
        detail(thrown, RetryInfo.class)
            .map(RetryInfo::getRetryDelay)
            .map(delay -> Duration.ofSeconds(delay.getSeconds(), delay.getNanos()))
            .orElse(null));
  }

  /** The message. For a connection, the cause says more than the status, such as "refused". */
  private static String said(Throwable thrown, Status status) {
    String description =
        status.getDescription() == null ? String.valueOf(thrown) : status.getDescription();
    Throwable cause = status.getCause();
    String more = cause == null ? null : cause.getMessage();
    return more == null || description.contains(more) ? description : description + ": " + more;
  }

  /** The exception for a batch of a stream; null if it did not fail. */
  static @Nullable ColonnadeException of(MutateOutcome outcome) {
    Status.Code code = Status.fromCodeValue(outcome.getCode()).getCode();
    if (code == Status.Code.OK) {
      return null;
    }
    Map<String, String> metadata = new HashMap<>();
    if (outcome.getRequired() > 0) {
      metadata.put("required", Integer.toString(outcome.getRequired()));
      metadata.put("received", Integer.toString(outcome.getReceived()));
    }
    Applied applied =
        switch (outcome.getApplied()) {
          case APPLIED_YES -> Applied.YES;
          case APPLIED_NO -> Applied.NO;
          case APPLIED_UNKNOWN, APPLIED_UNSPECIFIED, UNRECOGNIZED -> Applied.UNKNOWN;
        };
    return of(
        code,
        new Failure(outcome.getMessage(), outcome.getReason(), applied, Map.copyOf(metadata), null),
        List.of(),
        null);
  }

  private static ColonnadeException of(
      Status.Code code,
      Failure failure,
      List<FieldViolation> violations,
      @Nullable Duration retryDelay) {
    return switch (code) {
      case INVALID_ARGUMENT -> new InvalidRequestException(failure, violations);
      case NOT_FOUND -> new NotFoundException(failure);
      case ALREADY_EXISTS -> new AlreadyExistsException(failure);
      case UNAVAILABLE -> new UnavailableException(failure);
      case DEADLINE_EXCEEDED -> new TimedOutException(failure);
      case RESOURCE_EXHAUSTED -> new OverloadedException(failure, retryDelay);
      case DATA_LOSS -> new CorruptDataException(failure);
      case FAILED_PRECONDITION -> new PreconditionFailedException(failure);
      default -> new ColonnadeException(failure);
    };
  }

  /** The same failure for another caller, to whom something else may have happened. */
  static ColonnadeException again(ColonnadeException failure, Applied ifUnstated) {
    Throwable thrown = failure.getCause();
    return thrown == null ? failure : translate(thrown, ifUnstated);
  }

  /** The same failure of a call that an earlier attempt may have carried out after all. */
  static ColonnadeException afterOneThatMayHaveBeenApplied(ColonnadeException failure) {
    Throwable thrown = failure.getCause();
    if (thrown == null || failure.applied() != Applied.NO) {
      return failure;
    }
    Map<String, String> metadata = new HashMap<>(failure.metadata());
    metadata.put("applied", "unknown");
    return of(
        Status.fromThrowable(thrown).getCode(),
        new Failure(
            failure.getMessage() + "; an earlier attempt of this call may have been applied",
            failure.reason(),
            Applied.UNKNOWN,
            Map.copyOf(metadata),
            thrown),
        violations(thrown),
        failure instanceof OverloadedException overloaded
            ? overloaded.retryDelay().orElse(null)
            : null);
  }

  /** Whether the connection broke, and not the call: no node gave this answer. */
  static boolean isOfTransport(Throwable thrown) {
    return Status.fromThrowable(thrown).getCode() == Status.Code.UNAVAILABLE
        && info(thrown).isEmpty();
  }

  /**
   * Whether a stream that ended like this, and not because its reader closed it, can continue on
   * another connection: that broke, or the node stops, which ends its streams without a word.
   */
  static boolean mayGoOnElsewhere(Throwable thrown, ColonnadeException told) {
    return isOfTransport(thrown)
        || told.reason().equals("NODE_NOT_READY")
        || (Status.fromThrowable(thrown).getCode() == Status.Code.CANCELLED
            && info(thrown).isEmpty());
  }

  private static Applied applied(Map<String, String> metadata, Applied ifUnstated) {
    return switch (metadata.getOrDefault("applied", "")) {
      case "yes" -> Applied.YES;
      case "no" -> Applied.NO;
      case "unknown" -> Applied.UNKNOWN;
      default -> ifUnstated;
    };
  }

  private static Optional<ErrorInfo> info(Throwable thrown) {
    return detail(thrown, ErrorInfo.class).filter(info -> info.getDomain().equals(DOMAIN));
  }

  private static List<FieldViolation> violations(Throwable thrown) {
    return detail(thrown, BadRequest.class).stream()
        .flatMap(bad -> bad.getFieldViolationsList().stream())
        .map(each -> new FieldViolation(each.getField(), each.getDescription()))
        .toList();
  }

  private static <M extends Message> Optional<M> detail(Throwable thrown, Class<M> type) {
    com.google.rpc.Status status = StatusProto.fromThrowable(thrown);
    if (status == null) {
      return Optional.empty();
    }
    for (Any any : status.getDetailsList()) {
      if (any.is(type)) {
        try {
          return Optional.of(any.unpack(type));
        } catch (InvalidProtocolBufferException e) {
          // The status itself is still worth reporting; a broken detail is reported beside it.
          thrown.addSuppressed(e);
        }
      }
    }
    return Optional.empty();
  }
}
