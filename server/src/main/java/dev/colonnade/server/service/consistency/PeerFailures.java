package dev.colonnade.server.service.consistency;

import dev.colonnade.server.cluster.net.PeerFailure;

/** Translates failures of this node's store for another node that asked for the work. */
public final class PeerFailures {

  private PeerFailures() {}

  /** The failure as it is sent; our own bugs pass unchanged. */
  public static Throwable translate(Throwable failure) {
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
}
