package dev.colonnade.it.cluster;

import com.google.protobuf.Any;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.rpc.ErrorInfo;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.protobuf.StatusProto;
import java.util.Map;

/**
 * How a call failed, as a program reads it.
 *
 * @param reason empty if no node made the error
 * @param details what else the node said of it
 */
public record CallFailure(
    Status.Code code, String reason, Map<String, String> details, String message) {

  /** Reads the parts of an error. */
  public static CallFailure of(StatusRuntimeException error) {
    com.google.rpc.Status status = StatusProto.fromThrowable(error);
    String message = String.valueOf(error.getMessage());
    if (status != null) {
      for (Any detail : status.getDetailsList()) {
        if (detail.is(ErrorInfo.class)) {
          ErrorInfo info = unpacked(detail);
          return new CallFailure(
              error.getStatus().getCode(), info.getReason(), info.getMetadataMap(), message);
        }
      }
    }
    return new CallFailure(error.getStatus().getCode(), "", Map.of(), message);
  }

  private static ErrorInfo unpacked(Any detail) {
    try {
      return detail.unpack(ErrorInfo.class);
    } catch (InvalidProtocolBufferException e) {
      throw new AssertionError("an ErrorInfo that cannot be read", e);
    }
  }

  /** One of the numbers that the error carries; -1 if it carries none of that name. */
  public int number(String name) {
    return Integer.parseInt(details.getOrDefault(name, "-1"));
  }
}
