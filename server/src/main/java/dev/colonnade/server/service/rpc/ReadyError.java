package dev.colonnade.server.service.rpc;

import io.grpc.Metadata;
import io.grpc.Status;

/**
 * An error whose details are encoded already, for refusals that are answered by the thousand. It
 * has no stack trace. Immutable.
 */
final class ReadyError {

  /** The key of {@code google.rpc.Status}, as every library of gRPC knows it. */
  private static final Metadata.Key<byte[]> DETAILS =
      Metadata.Key.of("grpc-status-details-bin", Metadata.BINARY_BYTE_MARSHALLER);

  private final Status status;
  private final byte[] details;

  /** Encodes an error. */
  ReadyError(com.google.rpc.Status error) {
    this.status = Status.fromCodeValue(error.getCode()).withDescription(error.getMessage());
    this.details = error.toByteArray();
  }

  Status status() {
    return status;
  }

  /** The encoded {@code google.rpc.Status}; not to be changed. */
  byte[] details() {
    return details;
  }

  /** Returns new trailers, since the transport adds to them. */
  Metadata trailers() {
    Metadata trailers = new Metadata();
    trailers.put(DETAILS, details);
    return trailers;
  }
}
