package dev.colonnade.server.cluster.hints;

import dev.colonnade.server.base.codec.ByteWriter;
import dev.colonnade.server.cluster.hints.HintBatch.Hint;
import dev.colonnade.server.storage.mutation.Mutation;
import dev.colonnade.server.storage.mutation.MutationCodec;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;

/**
 * A batch of hints, with each part routed: to the target, to the current owners of the row, or
 * nowhere.
 *
 * @param toTarget encoded, in their order
 * @param toOwners parts that the target no longer owns
 * @param old dropped parts whose tombstones may have been purged already
 * @param gone dropped parts whose family is gone
 * @param truncated dropped parts whose family was truncated since
 */
record RoutedHints(
    List<byte[]> toTarget, List<Mutation> toOwners, int old, int gone, int truncated) {

  static RoutedHints of(HintBatch batch, String targetId, HintContext context, long nowSeconds) {
    Router sorter = new Router(targetId, context, nowSeconds);
    batch.hints().forEach(sorter::take);
    return new RoutedHints(
        sorter.toTarget, sorter.toOwners, sorter.old, sorter.gone, sorter.truncated);
  }

  /** Whether no part of it is to be delivered. */
  boolean isNothing() {
    return toTarget.isEmpty() && toOwners.isEmpty();
  }

  long bytes() {
    long bytes = 0;
    for (byte[] mutation : toTarget) {
      bytes += mutation.length;
    }
    for (Mutation mutation : toOwners) {
      bytes += mutation.payloadBytes();
    }
    return bytes;
  }

  /** Decides where each part goes. */
  private static final class Router {
    private final String targetId;
    private final HintContext context;
    private final long nowSeconds;
    private final List<byte[]> toTarget = new ArrayList<>();
    private final List<Mutation> toOwners = new ArrayList<>();
    private int old;
    private int gone;
    private int truncated;

    Router(String targetId, HintContext context, long nowSeconds) {
      this.targetId = targetId;
      this.context = context;
      this.nowSeconds = nowSeconds;
    }

    void take(Hint hint) {
      Mutation mutation = hint.mutation();
      boolean isGone = context.isGone(targetId);
      List<Mutation.FamilyMutation> its = new ArrayList<>();
      List<Mutation.FamilyMutation> others = new ArrayList<>();
      for (Mutation.FamilyMutation part : mutation.updates()) {
        if (isWanted(part, hint.ageSeconds(nowSeconds))) {
          boolean owns = !isGone && context.isReplica(targetId, part.family(), mutation.key());
          (owns ? its : others).add(part);
        }
      }
      if (its.size() == mutation.updates().size()) {
        toTarget.add(hint.encoded());
      } else if (!its.isEmpty()) {
        toTarget.add(encoded(with(mutation, its)));
      }
      if (!others.isEmpty()) {
        toOwners.add(with(mutation, others));
      }
    }

    private boolean isWanted(Mutation.FamilyMutation part, long ageSeconds) {
      OptionalLong grace = context.gcGraceSeconds(part.family());
      if (grace.isEmpty()) {
        gone++;
        return false;
      }
      if (part.truncation() < context.truncation(part.family())) {
        truncated++;
        return false;
      }
      if (ageSeconds >= grace.getAsLong()) {
        old++;
        return false;
      }
      return true;
    }

    private static Mutation with(Mutation mutation, List<Mutation.FamilyMutation> parts) {
      return new Mutation(mutation.key(), parts, mutation.nowSeconds());
    }

    private static byte[] encoded(Mutation mutation) {
      ByteWriter out = new ByteWriter(256);
      MutationCodec.writeStamped(mutation, out);
      return out.toByteArray();
    }
  }
}
