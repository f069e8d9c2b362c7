package dev.colonnade.server.cluster.repair;

import dev.colonnade.server.base.async.Then;
import dev.colonnade.server.base.codec.CorruptDataException;
import dev.colonnade.server.base.env.Stage;
import dev.colonnade.server.base.model.FamilyId;
import dev.colonnade.server.cluster.net.Peer;
import dev.colonnade.server.cluster.net.PeerAddress;
import dev.colonnade.server.cluster.net.PeerFailure;
import dev.colonnade.server.cluster.net.Verb;
import dev.colonnade.server.cluster.ring.RingNode;
import dev.colonnade.server.cluster.ring.TokenRange;
import dev.colonnade.server.cluster.streaming.StreamProgress;
import dev.colonnade.server.cluster.streaming.Transfer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * One run of anti-entropy repair, range after range:
 *
 * <ul>
 *   <li>it compares the hashes of all replicas with this node's;
 *   <li>it fetches what differs from the replicas where it differs;
 *   <li>this node then has everything, and sends it to all replicas that lacked a part of it.
 * </ul>
 *
 * <p>Repeating a run does no harm. One range at a time, on changing threads.
 */
final class RepairRun {

  /** A range of a family, and the other nodes with copies of it. */
  record RepairJob(FamilyId family, String name, TokenRange range, List<RingNode> others) {}

  private static final byte[] NO_ANSWER = {};

  private final Repairs.RepairContext parts;
  private final boolean isDry;
  private final Consumer<RepairProgress> listener;
  private final Deque<RepairJob> left = new ArrayDeque<>();
  private final CompletableFuture<RepairProgress> done = new CompletableFuture<>();
  private final int total;
  private int finished;
  private long mismatched;
  private long movedRows;
  private long skipped;
  private volatile @Nullable CompletableFuture<?> underWay;
  private volatile List<CompletableFuture<?>> hashing = List.of();
  private volatile @Nullable Transfer moving;

  private RepairRun(
      List<RepairJob> jobs,
      boolean isDry,
      Repairs.RepairContext parts,
      Consumer<RepairProgress> listener) {
    this.left.addAll(jobs);
    this.total = jobs.size();
    this.isDry = isDry;
    this.parts = parts;
    this.listener = listener;
  }

  static CompletableFuture<RepairProgress> begin(
      List<RepairJob> jobs,
      boolean isDry,
      Repairs.RepairContext parts,
      Consumer<RepairProgress> listener) {
    RepairRun run = new RepairRun(jobs, isDry, parts, listener);
    Then.whenDone(run.done, (result, failure) -> run.end());
    run.later();
    return run.done;
  }

  /** Ends the run, whether cancelled, failed or done: no part of it continues. */
  private void end() {
    CompletableFuture<?> step = underWay;
    if (step != null) {
      step.cancel(false);
    }
    // Futures derived from these do not pass their cancellation on to them.
    hashing.forEach(answer -> answer.cancel(false));
    Transfer transfer = moving;
    if (transfer != null) {
      transfer.cancel("the repair has ended");
    }
  }

  /** Goes through the stage, so that many ranges do not deepen the stack. */
  private void later() {
    Runnable next = () -> Then.onBehalfOf(done, this::next);
    if (!parts.scheduler().submit(Stage.COMPACTION, next)) {
      done.completeExceptionally(
          new IllegalStateException("the node is stopping, or too much background work waits"));
    }
  }

  private void next() {
    if (done.isDone()) {
      return;
    }
    RepairJob job = left.poll();
    if (job == null) {
      done.complete(progress("all ranges are compared"));
      return;
    }
    listener.accept(progress(job.name() + " " + job.range()));
    List<RingNode> alive =
        job.others().stream().filter(node -> parts.isAlive().test(node)).toList();
    skipped += job.others().size() - alive.size();
    follow(
        alive.isEmpty() ? CompletableFuture.completedFuture(null) : compare(job, alive),
        repaired -> {
          finished++;
          later();
        });
  }

  private RepairProgress progress(String detail) {
    return new RepairProgress(finished, total, mismatched, movedRows, skipped, detail);
  }

  private <T> void follow(CompletableFuture<T> step, Consumer<T> then) {
    underWay = step;
    Then.whenDone(
        step,
        done,
        (value, failure) -> {
          if (failure != null) {
            done.completeExceptionally(failure);
          } else if (!done.isDone()) {
            then.accept(value);
          }
        });
  }

  private CompletableFuture<Void> compare(RepairJob job, List<RingNode> others) {
    long nowSeconds = parts.clock().wallSeconds();
    return MerkleSplits.byRows(
            parts.engine(), job.family(), job.range(), parts.settings().rowsPerLeaf())
        .thenCompose(cuts -> trees(job, others, new TreeMessage(job.family(), nowSeconds, cuts)))
        .thenCompose(differences -> isDry ? nothing() : mend(job, differences));
  }

  private static CompletableFuture<Void> nothing() {
    return CompletableFuture.completedFuture(null);
  }

  /** Finds which ranges differ from this node's on which replica. */
  private CompletableFuture<Map<RingNode, List<TokenRange>>> trees(
      RepairJob job, List<RingNode> others, TreeMessage message) {
    MerkleBuilder own =
        MerkleBuilder.start(
            parts.engine(), parts.scheduler(), job.family(), message.cuts(), message.nowSeconds());
    byte[] body = MerkleTreeCodec.encode(message);
    long deadline = parts.clock().monotonicNanos() + parts.settings().treeTimeout().toNanos();
    Map<RingNode, CompletableFuture<byte[]>> asked = new LinkedHashMap<>();
    for (RingNode other : others) {
      asked.put(other, parts.messenger().request(peer(other), Verb.REPAIR_TREE, body, deadline));
    }
    List<CompletableFuture<?>> all = new ArrayList<>(asked.values());
    all.add(own.answer());
    hashing = all;
    if (done.isDone()) {
      all.forEach(answer -> answer.cancel(false));
    }
    CompletableFuture<Map<RingNode, List<TokenRange>>> compared =
        CompletableFuture.allOf(all.toArray(new CompletableFuture<?>[0]))
            .thenCompose(answered -> own.answer())
            .thenApply(mine -> differences(mine, asked));
    // If one fails, the hashing of all ends.
    return compared.whenComplete(
        (differences, failure) -> all.forEach(answer -> answer.cancel(false)));
  }

  private Map<RingNode, List<TokenRange>> differences(
      MerkleTree mine, Map<RingNode, CompletableFuture<byte[]>> answers) {
    Map<RingNode, List<TokenRange>> differences = new LinkedHashMap<>();
    answers.forEach(
        (node, answer) -> {
          MerkleTree other = decode(answer.getNow(NO_ANSWER), mine.cuts(), node);
          List<TokenRange> ranges = mine.differences(other);
          mismatched += ranges.size();
          differences.put(node, ranges);
        });
    return differences;
  }

  private static MerkleTree decode(byte[] answer, MerkleSplits cuts, RingNode node) {
    try {
      return MerkleTreeCodec.decodeTree(answer, cuts);
    } catch (CorruptDataException e) {
      throw new PeerFailure(
          PeerFailure.Code.PROTOCOL,
          "the hash tree of node " + node.id() + " cannot be read: " + e.getMessage(),
          e);
    }
  }

  private CompletableFuture<Void> mend(RepairJob job, Map<RingNode, List<TokenRange>> differences) {
    CompletableFuture<Void> mended = nothing();
    Set<TokenRange> all = new LinkedHashSet<>();
    for (Map.Entry<RingNode, List<TokenRange>> entry : differences.entrySet()) {
      if (!entry.getValue().isEmpty()) {
        all.addAll(entry.getValue());
        mended =
            mended.thenCompose(
                before ->
                    moved(
                        parts
                            .streams()
                            .request(
                                peer(entry.getKey()),
                                job.family(),
                                entry.getValue(),
                                "repair",
                                progress -> {})));
      }
    }
    if (all.isEmpty()) {
      return mended;
    }
    List<TokenRange> everything = List.copyOf(all);
    for (RingNode node : differences.keySet()) {
      mended =
          mended.thenCompose(
              before ->
                  moved(
                      parts
                          .streams()
                          .send(peer(node), job.family(), everything, "repair", progress -> {})));
    }
    return mended;
  }

  private CompletableFuture<Void> moved(Transfer transfer) {
    moving = transfer;
    return transfer.done().thenAccept(this::count);
  }

  private void count(StreamProgress stream) {
    movedRows += stream.rows();
  }

  private static Peer peer(RingNode node) {
    return new Peer(node.id(), new PeerAddress(node.address(), node.peerPort()));
  }
}
