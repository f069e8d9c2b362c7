package dev.colonnade.server.coordinator;

import dev.colonnade.server.codec.CorruptFileException;
import dev.colonnade.server.engine.MissingDataException;
import dev.colonnade.server.engine.OverloadedException;
import dev.colonnade.server.engine.StoreStoppedException;
import java.io.IOException;
import java.util.concurrent.CompletionException;

/** Says what a failure of the local store means to the caller of a request. */
final class StorageFailures {

  private StorageFailures() {}

  /** The failure as services know it; our own bugs pass as they are. */
  static Throwable translate(Throwable failure) {
    Throwable cause =
        failure instanceof CompletionException && failure.getCause() != null
            ? failure.getCause()
            : failure;
    if (cause instanceof CorruptFileException corrupt) {
      return new CoordinationException.Corrupt(corrupt.path(), corrupt.offset(), corrupt);
    }
    if (cause instanceof MissingDataException missing) {
      return new CoordinationException.Corrupt(
          missing.path(), missing.offset(), String.valueOf(missing.getMessage()), missing);
    }
    if (cause instanceof IOException) {
      return new CoordinationException.StorageFailed(
          "the node's disk failed: " + cause.getMessage(), cause);
    }
    if (cause instanceof OverloadedException overloaded) {
      return new CoordinationException.Overloaded(overloaded.limit());
    }
    if (cause instanceof StoreStoppedException) {
      return new CoordinationException.NodeNotReady(String.valueOf(cause.getMessage()));
    }
    return cause;
  }
}
