package dev.colonnade.server.service.replica;

import dev.colonnade.server.base.async.Futures;
import dev.colonnade.server.base.async.Then;
import dev.colonnade.server.base.codec.CorruptDataException;
import dev.colonnade.server.base.env.Clock;
import dev.colonnade.server.base.schema.ColumnFamily;
import dev.colonnade.server.cluster.net.PeerFailure;
import dev.colonnade.server.cluster.net.Request;
import dev.colonnade.server.service.consistency.CallTrace;
import dev.colonnade.server.service.consistency.PeerFailures;
import dev.colonnade.server.service.consistency.SchemaStore;
import dev.colonnade.server.storage.engine.StorageEngine;
import java.util.concurrent.CompletableFuture;

/** Loads rows into this node's caches for other coordinators. Thread-safe. */
final class ReplicaTouches {

  private final StorageEngine engine;
  private final SchemaStore schema;
  private final Clock clock;

  ReplicaTouches(StorageEngine engine, SchemaStore schema, Clock clock) {
    this.engine = engine;
    this.schema = schema;
    this.clock = clock;
  }

  CompletableFuture<byte[]> touch(Request request) {
    TouchMessage message;
    try {
      message = TouchMessage.decode(request.body());
    } catch (CorruptDataException e) {
      return CompletableFuture.failedFuture(
          new PeerFailure(PeerFailure.Code.PROTOCOL, "a touch that cannot be read: " + e, e));
    }
    ColumnFamily family = schema.current().family(message.family()).orElse(null);
    if (family == null) {
      return CompletableFuture.failedFuture(
          new PeerFailure(
              PeerFailure.Code.UNKNOWN_FAMILY,
              "the column family " + message.family() + " is not known here, or was dropped"));
    }
    PagedTouch turns =
        new PagedTouch(
            engine,
            clock,
            new TouchRead(
                family,
                message.keys(),
                message.loadData(),
                request.deadlineNanos(),
                CallTrace.of(request, clock)));
    turns.begin();
    CompletableFuture<byte[]> answer = new CompletableFuture<>();
    Futures.cancelWith(answer, turns.answer());
    Then.whenDone(
        turns.answer(),
        answer,
        (found, failure) -> {
          if (failure == null) {
            answer.complete(TouchMessage.encodeAnswer(found, message.keys().size()));
          } else {
            answer.completeExceptionally(PeerFailures.translate(failure));
          }
        });
    return answer;
  }
}
