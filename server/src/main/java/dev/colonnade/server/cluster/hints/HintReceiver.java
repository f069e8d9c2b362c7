package dev.colonnade.server.cluster.hints;

import dev.colonnade.server.base.async.Errors;
import dev.colonnade.server.base.async.Then;
import dev.colonnade.server.base.codec.CorruptDataException;
import dev.colonnade.server.base.env.HostPaths;
import dev.colonnade.server.base.model.FamilyId;
import dev.colonnade.server.cluster.net.PeerFailure;
import dev.colonnade.server.cluster.net.Request;
import dev.colonnade.server.cluster.net.RequestHandler;
import dev.colonnade.server.storage.mutation.DiskFullException;
import dev.colonnade.server.storage.mutation.Mutation;
import dev.colonnade.server.storage.mutation.MutationTooLargeException;
import dev.colonnade.server.storage.mutation.OverloadedException;
import dev.colonnade.server.storage.mutation.StoreStoppedException;
import dev.colonnade.server.storage.mutation.TruncationPendingException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;

/**
 * Applies the hints that other nodes kept for this one: the handler of verb HINT. Answers when all
 * mutations of a message are applied like any other write. Thread-safe.
 */
public final class HintReceiver implements RequestHandler {
  private static final byte[] NOTHING = {};

  private final Replica replica;

  /** Applies hints to {@code replica}. */
  public HintReceiver(Replica replica) {
    this.replica = replica;
  }

  /** The node's own store. Thread-safe; does not block. */
  public interface Replica {
    /** Whether there is such a family here now. */
    boolean knows(FamilyId family);

    /** Applies a mutation as one of another node's coordinator. */
    CompletableFuture<Void> apply(Mutation mutation);

    /**
     * Sets aside, for an operator, a mutation that this node can never apply; durable when it
     * completes.
     *
     * @param why it cannot be applied
     */
    CompletableFuture<Void> setAside(Mutation mutation, Throwable why);
  }

  @Override
  public CompletableFuture<byte[]> handle(Request request) {
    return take(request.body());
  }

  /** Applies a message, also one that this node kept for itself while it accepted no writes. */
  public CompletableFuture<byte[]> take(byte[] message) {
    List<Mutation> mutations;
    try {
      mutations = HintMessage.decode(message);
    } catch (CorruptDataException e) {
      return CompletableFuture.failedFuture(
          new PeerFailure(PeerFailure.Code.PROTOCOL, "a message of hints: " + e.getMessage(), e));
    }
    for (Mutation mutation : mutations) {
      for (Mutation.FamilyMutation part : mutation.updates()) {
        if (!replica.knows(part.family())) {
          // This node may not have heard of the family yet; the sender tries again.
          return CompletableFuture.failedFuture(
              new PeerFailure(
                  PeerFailure.Code.UNKNOWN_FAMILY,
                  "column family " + part.family() + " is not known here"));
        }
      }
    }
    List<CompletableFuture<Void>> applied = new ArrayList<>(mutations.size());
    for (Mutation mutation : mutations) {
      applied.add(applyOrSetAside(mutation));
    }
    return CompletableFuture.allOf(applied.toArray(new CompletableFuture<?>[0]))
        .handle(
            (done, failure) -> {
              if (failure != null) {
                throw failed(failure);
              }
              return NOTHING;
            });
  }

  /**
   * A mutation that fails because of its content, such as names that the comparator cannot order,
   * would fail each time and hold up all later hints, so it is set aside.
   */
  private CompletableFuture<Void> applyOrSetAside(Mutation mutation) {
    return Then.called(() -> replica.apply(mutation))
        .exceptionallyCompose(
            failure -> {
              Throwable cause = Errors.unwrap(failure);
              if (isPassing(cause)) {
                return CompletableFuture.failedFuture(cause);
              }
              if (mutation.updates().size() == 1) {
                return replica.setAside(mutation, cause);
              }
              List<CompletableFuture<Void>> parts = new ArrayList<>();
              for (Mutation.FamilyMutation part : mutation.updates()) {
                parts.add(
                    applyOrSetAside(
                        new Mutation(mutation.key(), List.of(part), mutation.nowSeconds())));
              }
              return CompletableFuture.allOf(parts.toArray(new CompletableFuture<?>[0]));
            });
  }

  /** Whether the failure is temporary, or known to the sender as a refusal. */
  private static boolean isPassing(Throwable cause) {
    return cause instanceof PeerFailure
        || cause instanceof IOException
        || cause instanceof OverloadedException
        || cause instanceof MutationTooLargeException
        || cause instanceof StoreStoppedException
        || cause instanceof TruncationPendingException
        || cause instanceof CancellationException
        || cause instanceof VirtualMachineError;
  }

  private static RuntimeException failed(Throwable failure) {
    Throwable cause = Errors.unwrap(failure);
    if (cause instanceof PeerFailure already) {
      return already;
    }
    String message = HostPaths.without(cause);
    if (cause instanceof OverloadedException) {
      return new PeerFailure(PeerFailure.Code.OVERLOADED, message, cause);
    }
    if (cause instanceof MutationTooLargeException) {
      return new PeerFailure(PeerFailure.Code.REFUSED, message, cause);
    }
    if (cause instanceof DiskFullException) {
      return new PeerFailure(PeerFailure.Code.STORAGE, message, cause);
    }
    if (cause instanceof StoreStoppedException || cause instanceof TruncationPendingException) {
      return new PeerFailure(PeerFailure.Code.NOT_READY, message, cause);
    }
    return new CompletionException(cause);
  }
}
