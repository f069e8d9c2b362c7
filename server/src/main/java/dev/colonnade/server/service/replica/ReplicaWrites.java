package dev.colonnade.server.service.replica;

import dev.colonnade.server.base.async.Errors;
import dev.colonnade.server.base.async.Then;
import dev.colonnade.server.base.codec.CorruptDataException;
import dev.colonnade.server.base.env.Clock;
import dev.colonnade.server.base.model.FamilyId;
import dev.colonnade.server.base.schema.ColumnFamily;
import dev.colonnade.server.base.schema.SystemKeyspace;
import dev.colonnade.server.cluster.net.PeerFailure;
import dev.colonnade.server.cluster.net.Request;
import dev.colonnade.server.service.consistency.CallTrace;
import dev.colonnade.server.service.consistency.MutationMessage;
import dev.colonnade.server.service.consistency.PeerFailures;
import dev.colonnade.server.service.consistency.SchemaStore;
import dev.colonnade.server.storage.engine.StorageEngine;
import dev.colonnade.server.storage.engine.StoreTrace;
import dev.colonnade.server.storage.mutation.Mutation;
import dev.colonnade.server.storage.mutation.TruncationPendingException;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * Applies writes and read-repair corrections of other coordinators to this node's copies. Answers
 * once the store guarantees the same as for its own clients. Thread-safe.
 */
final class ReplicaWrites {

  private static final byte[] TAKEN = new byte[0];

  private final StorageEngine engine;
  private final SchemaStore schema;
  private final Clock clock;

  ReplicaWrites(StorageEngine engine, SchemaStore schema, Clock clock) {
    this.engine = engine;
    this.schema = schema;
    this.clock = clock;
  }

  CompletableFuture<byte[]> apply(Request request) {
    if (request.isCancelled()) {
      // The sender has stored a hint by now, so applying the write here as well would only add
      // load.
      return CompletableFuture.failedFuture(
          new PeerFailure(
              PeerFailure.Code.TIMED_OUT, "the write came too late and was not applied"));
    }
    MutationMessage message;
    try {
      message = MutationMessage.decode(request.body());
    } catch (CorruptDataException e) {
      return CompletableFuture.failedFuture(
          new PeerFailure(PeerFailure.Code.PROTOCOL, "a write that cannot be read: " + e, e));
    }
    for (Mutation.FamilyMutation part : message.mutation().updates()) {
      PeerFailure refusal = refusal(part.family());
      if (refusal != null) {
        return CompletableFuture.failedFuture(refusal);
      }
    }
    CompletableFuture<byte[]> answer = new CompletableFuture<>();
    CallTrace trace = CallTrace.of(request, clock);
    StoreTrace listener = trace == null ? null : trace.store();
    write(message, request.deadlineNanos(), true, listener, answer);
    return answer;
  }

  /**
   * Applies a mutation.
   *
   * @param deadlineNanos when the sender gives up
   * @param again whether to retry if the sender knows of a truncation that this node does not
   * @param trace of the call; null if it is not traced
   */
  private void write(
      MutationMessage message,
      long deadlineNanos,
      boolean again,
      @Nullable StoreTrace trace,
      CompletableFuture<byte[]> answer) {
    Then.whenDone(
        engine.write(message.mutation(), message.durable(), deadlineNanos, trace),
        answer,
        (done, failure) -> {
          if (failure == null) {
            answer.complete(TAKEN);
          } else if (again && Errors.unwrap(failure) instanceof TruncationPendingException early) {
            truncate(early, () -> write(message, deadlineNanos, false, trace, answer), answer);
          } else {
            answer.completeExceptionally(PeerFailures.translate(failure));
          }
        });
  }

  private void truncate(
      TruncationPendingException early, Runnable then, CompletableFuture<byte[]> answer) {
    Then.whenDone(
        schema.truncateHere(early.family(), early.truncation()),
        answer,
        (version, failure) -> {
          if (failure == null) {
            then.run();
          } else {
            answer.completeExceptionally(PeerFailures.translate(failure));
          }
        });
  }

  private @Nullable PeerFailure refusal(FamilyId id) {
    ColumnFamily family = schema.current().family(id).orElse(null);
    if (family == null) {
      return new PeerFailure(
          PeerFailure.Code.UNKNOWN_FAMILY,
          "the column family " + id + " is not known here, or was dropped");
    }
    return family.keyspace().equals(SystemKeyspace.NAME)
        ? new PeerFailure(
            PeerFailure.Code.REFUSED, "the keyspace system is each node's own; nothing was written")
        : null;
  }
}
