package dev.colonnade.server.coordinator;

import dev.colonnade.server.net.PeerFailure;
import java.util.concurrent.CompletionException;

/** Says what a failure of this node's store means to another node that asked for its work. */
final class PeerFailures {

  private PeerFailures() {}

  /** The failure as it travels; our own bugs pass as they are. */
  static Throwable translate(Throwable failure) {
    Throwable cause = StorageFailures.translate(failure);
    if (!(cause instanceof CoordinationException known)) {
      return cause;
    }
    return new PeerFailure(code(known), String.valueOf(known.getMessage()), known);
  }

  private static PeerFailure.Code code(CoordinationException failure) {
    if (failure instanceof CoordinationException.Overloaded) {
      return PeerFailure.Code.OVERLOADED;
    }
    if (failure instanceof CoordinationException.NodeNotReady) {
      return PeerFailure.Code.NOT_READY;
    }
    if (failure instanceof CoordinationException.Corrupt) {
      return PeerFailure.Code.CORRUPT;
    }
    if (failure instanceof CoordinationException.DiskFull
        || failure instanceof CoordinationException.StorageFailed) {
      return PeerFailure.Code.STORAGE;
    }
    if (failure instanceof CoordinationException.ReplicaTimeout) {
      return PeerFailure.Code.TIMED_OUT;
    }
    return PeerFailure.Code.REFUSED;
  }

  /** What a future failed with, without its wrapping. */
  static Throwable cause(Throwable failure) {
    return failure instanceof CompletionException && failure.getCause() != null
        ? failure.getCause()
        : failure;
  }

  static boolean isTimeout(Throwable failure) {
    return cause(failure) instanceof PeerFailure peer && peer.code() == PeerFailure.Code.TIMED_OUT;
  }
}
