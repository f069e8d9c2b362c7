package dev.colonnade.server.service.consistency;

import dev.colonnade.server.base.async.Errors;
import dev.colonnade.server.base.async.Then;
import dev.colonnade.server.base.codec.CorruptFileException;
import dev.colonnade.server.base.env.HostPaths;
import dev.colonnade.server.base.env.NoBufferException;
import dev.colonnade.server.base.env.NoSpaceException;
import dev.colonnade.server.storage.commitlog.LogRefusedException;
import dev.colonnade.server.storage.engine.MissingDataException;
import dev.colonnade.server.storage.mutation.DiskFullException;
import dev.colonnade.server.storage.mutation.MutationTooLargeException;
import dev.colonnade.server.storage.mutation.OverloadedException;
import dev.colonnade.server.storage.mutation.StoreStoppedException;
import dev.colonnade.server.storage.mutation.TruncationPendingException;
import java.io.IOException;
import java.util.concurrent.CompletableFuture;

/** Translates failures of the local store for the caller of a request. */
public final class StorageFailures {

  private StorageFailures() {}

  /** The failure as services expect it; our own bugs pass unchanged. */
  public static Throwable translate(Throwable failure) {
    Throwable cause = Errors.unwrap(failure);
    if (cause instanceof CorruptFileException corrupt) {
      return new CoordinationException.Corrupt(
          HostPaths.without(corrupt.path()), corrupt.offset(), corrupt);
    }
    if (cause instanceof MissingDataException missing) {
      return new CoordinationException.Corrupt(
          HostPaths.without(missing.path()), missing.offset(), HostPaths.without(missing), missing);
    }
    if (cause instanceof DiskFullException) {
      return new CoordinationException.DiskFull(HostPaths.without(cause), cause);
    }
    if (Errors.isOverload(cause) || isNoBuffer(cause)) {
      return new CoordinationException.Overloaded("memory outside of the heap");
    }
    if (Errors.isFaultOfMappedMemory(cause)) {
      return new CoordinationException.StorageFailed(
          "the node's disk failed: a page of a mapped file cannot be read", cause);
    }
    if (cause instanceof NoSpaceException
        || (cause instanceof LogRefusedException && cause.getCause() instanceof NoSpaceException)) {
      return new CoordinationException.DiskFull(
          "the disk is full (" + HostPaths.without(cause) + "); free some room", cause);
    }
    if (cause instanceof MutationTooLargeException) {
      return new CoordinationException.TooLarge(String.valueOf(cause.getMessage()), cause);
    }
    if (cause instanceof IOException) {
      return new CoordinationException.StorageFailed(
          "the node's disk failed: " + HostPaths.without(cause), cause);
    }
    if (cause instanceof OverloadedException overloaded) {
      return new CoordinationException.Overloaded(overloaded.limit());
    }
    if (cause instanceof StoreStoppedException || cause instanceof TruncationPendingException) {
      return new CoordinationException.NodeNotReady(HostPaths.without(cause));
    }
    return cause;
  }

  private static boolean isNoBuffer(Throwable cause) {
    return cause instanceof NoBufferException
        || (cause instanceof LogRefusedException && cause.getCause() instanceof NoBufferException);
  }

  /** The future with its failure translated. */
  static <T> CompletableFuture<T> translated(CompletableFuture<T> future) {
    if (future.isDone() && !future.isCompletedExceptionally()) {
      return future;
    }
    CompletableFuture<T> translated = new CompletableFuture<>();
    Then.whenDone(
        future,
        translated,
        (value, failure) -> {
          if (failure == null) {
            translated.complete(value);
          } else {
            translated.completeExceptionally(translate(failure));
          }
        });
    return translated;
  }
}
