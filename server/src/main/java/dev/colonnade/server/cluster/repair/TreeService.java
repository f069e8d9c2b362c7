package dev.colonnade.server.cluster.repair;

import dev.colonnade.server.base.async.Claim;
import dev.colonnade.server.base.async.Errors;
import dev.colonnade.server.base.async.Places;
import dev.colonnade.server.base.async.Then;
import dev.colonnade.server.base.codec.CorruptDataException;
import dev.colonnade.server.base.env.HostPaths;
import dev.colonnade.server.base.env.Scheduler;
import dev.colonnade.server.cluster.net.PeerFailure;
import dev.colonnade.server.cluster.net.Request;
import dev.colonnade.server.storage.engine.MissingDataException;
import dev.colonnade.server.storage.engine.StorageEngine;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** Hashes this node's rows for others. Thread-safe. */
final class TreeService {

  private final StorageEngine engine;
  private final Scheduler scheduler;
  private final RepairSettings settings;
  private final Places trees;

  TreeService(StorageEngine engine, Scheduler scheduler, RepairSettings settings) {
    this.engine = engine;
    this.scheduler = scheduler;
    this.settings = settings;
    this.trees = new Places(settings.treesMax());
  }

  CompletableFuture<byte[]> handle(Request request) {
    TreeMessage message;
    try {
      message = MerkleTreeCodec.decodeRequest(request.body());
    } catch (CorruptDataException e) {
      return CompletableFuture.failedFuture(
          new PeerFailure(
              PeerFailure.Code.PROTOCOL, "a request for a hash tree: " + e.getMessage(), e));
    }
    Claim place = trees.claim();
    if (place == null) {
      return CompletableFuture.failedFuture(
          new PeerFailure(
              PeerFailure.Code.OVERLOADED,
              "this node hashes "
                  + settings.treesMax()
                  + " ranges for repairs already; try again later"));
    }
    CompletableFuture<byte[]> answer = new CompletableFuture<>();
    Then.whenDone(answer, (bytes, failure) -> place.close());
    Then.onBehalfOf(answer, () -> hash(message, answer));
    return answer;
  }

  private void hash(TreeMessage message, CompletableFuture<byte[]> answer) {
    MerkleBuilder hashing =
        MerkleBuilder.start(
            engine, scheduler, message.family(), message.cuts(), message.nowSeconds());
    Then.whenDone(
        hashing.answer(),
        answer,
        (tree, failure) -> {
          if (tree == null) {
            answer.completeExceptionally(failed(failure));
          } else {
            answer.complete(MerkleTreeCodec.encode(tree));
          }
        });
    // The requester may give up, which cancels the answer.
    Then.whenDone(
        answer,
        (bytes, failure) -> {
          if (failure != null) {
            hashing.answer().cancel(false);
          }
        });
  }

  private static Throwable failed(@Nullable Throwable failure) {
    Throwable cause = failure == null ? null : Errors.unwrap(failure);
    String words = cause == null ? "hashing was abandoned" : HostPaths.without(cause);
    return cause instanceof MissingDataException
        ? new PeerFailure(PeerFailure.Code.CORRUPT, words, cause)
        : new PeerFailure(PeerFailure.Code.REFUSED, words);
  }
}
