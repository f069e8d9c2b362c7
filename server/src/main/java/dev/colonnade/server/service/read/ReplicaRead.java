package dev.colonnade.server.service.read;

import dev.colonnade.server.base.async.Errors;
import dev.colonnade.server.base.async.Futures;
import dev.colonnade.server.base.async.Then;
import dev.colonnade.server.base.codec.CorruptDataException;
import dev.colonnade.server.base.codec.Hash128;
import dev.colonnade.server.cluster.net.PeerFailure;
import dev.colonnade.server.cluster.ring.RingNode;
import dev.colonnade.server.service.consistency.AskedReplicas;
import dev.colonnade.server.service.consistency.CallCost;
import dev.colonnade.server.service.consistency.CallTrace;
import dev.colonnade.server.service.consistency.ReadAnswer;
import dev.colonnade.server.service.consistency.ReadPlan;
import dev.colonnade.server.service.consistency.ReplicaRequest;
import dev.colonnade.server.service.consistency.Replicas;
import dev.colonnade.server.service.replica.DigestMessage;
import dev.colonnade.server.storage.engine.ReadResponse;
import dev.colonnade.server.storage.mutation.Mutation;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Reads from as many replicas as a level requires, with blocking read repair.
 *
 * <p>The steps:
 *
 * <ul>
 *   <li>Ask the closest replica for data and the others for digests. A spare is asked for data.
 *   <li>If the digests agree, answer with the data.
 *   <li>Otherwise fetch the data of all of them, resolve it, and send each replica what it lacks.
 *       Answer when as many replicas as the level requires have the resolved data, so that a later
 *       read at the same level cannot return older data.
 * </ul>
 *
 * <p>Thread-safe. The steps follow one another; each runs on the thread that brought the last
 * answer of the step before.
 */
public final class ReplicaRead<F, T> {

  /** A replica's answer: its data, or only the digest of it. */
  private record Reply<F>(@Nullable ReadResponse<F> data, @Nullable Hash128 digest) {}

  private final Replicas replicas;
  private final ReadPlan plan;
  private final ReplicaReadCommand<?, F, T> command;
  private final boolean durable;
  private final long deadlineNanos;
  private final @Nullable CallTrace trace;
  private final CompletableFuture<ReadAnswer<T>> answer = new CompletableFuture<>();
  private volatile @Nullable CompletableFuture<?> current;

  /** Replicas asked by the steps so far. The steps run one at a time, so this needs no lock. */
  private AskedReplicas asked = AskedReplicas.NONE;

  /** Spares asked by the steps so far because others were late. */
  private int late;

  ReplicaRead(
      Replicas replicas,
      ReadPlan plan,
      ReplicaReadCommand<?, F, T> command,
      boolean durable,
      long deadlineNanos,
      @Nullable CallTrace trace) {
    this.replicas = replicas;
    this.plan = plan;
    this.command = command;
    this.durable = durable;
    this.deadlineNanos = deadlineNanos;
    this.trace = trace;
  }

  /** Starts the read; cancelling the answer cancels the requests in flight to other nodes. */
  CompletableFuture<ReadAnswer<T>> begin() {
    List<RingNode> asked = plan.asked();
    RingNode first = asked.get(0);
    ReplicaRequest<Reply<F>> ask =
        new ReplicaRequest<>(
            replicas.tools(),
            plan.consistency(),
            plan.requirement(),
            plan.spares(),
            (node, instead) -> asked(node, !instead && !node.id().equals(first.id()), instead),
            replies -> replies.stream().anyMatch(reply -> reply.value().data() != null));
    follow(ask.traced(trace).cancelling().begin(asked), this::compare);
    Then.whenDone(answer, (done, failure) -> cancel());
    return answer;
  }

  private void cancel() {
    CompletableFuture<?> step = current;
    if (answer.isCompletedExceptionally() && step != null) {
      step.cancel(false);
    }
  }

  /** Runs the next step on the result of this one, or fails the read. */
  private <S> void follow(CompletableFuture<S> step, Consumer<S> next) {
    current = step;
    if (answer.isDone()) {
      step.cancel(false);
      return;
    }
    Then.whenDone(
        step,
        (value, failure) -> {
          try {
            if (failure != null) {
              answer.completeExceptionally(Errors.unwrap(failure));
            } else {
              next.accept(value);
            }
          } catch (RuntimeException | Error bug) {
            // Errors are caught as well; otherwise the answer would never complete.
            answer.completeExceptionally(bug);
          }
        });
  }

  /** Asks a replica, and records that if the call is traced. */
  private CompletableFuture<Reply<F>> asked(RingNode node, boolean digestOnly, boolean instead) {
    CallTrace of = trace;
    if (of == null) {
      return request(node, digestOnly);
    }
    String what = digestOnly ? "digest" : "data";
    long askedNanos = of.asked(node.id(), instead ? what + ", in place of another one" : what);
    return of.ended(node.id(), askedNanos, request(node, digestOnly));
  }

  private CompletableFuture<Reply<F>> request(RingNode node, boolean digestOnly) {
    if (replicas.isSelf(node)) {
      return replicas
          .limited(
              command.here(trace == null ? null : trace.store()), plan.consistency(), deadlineNanos)
          .thenApply(read -> new Reply<>(read, null));
    }
    CompletableFuture<byte[]> sent =
        replicas.request(
            node, command.verb(digestOnly), command.body(digestOnly), deadlineNanos, trace);
    CompletableFuture<Reply<F>> reply = new CompletableFuture<>();
    Futures.cancelWith(reply, sent);
    Then.whenDone(
        sent,
        reply,
        (body, failure) -> {
          if (failure != null) {
            reply.completeExceptionally(failure);
          } else {
            read(node, body, digestOnly, reply);
          }
        });
    return reply;
  }

  private void read(
      RingNode node, byte[] body, boolean digestOnly, CompletableFuture<Reply<F>> reply) {
    try {
      reply.complete(
          digestOnly
              ? new Reply<>(null, DigestMessage.decode(body))
              : new Reply<>(command.decode(body), null));
    } catch (CorruptDataException | RuntimeException | Error e) {
      reply.completeExceptionally(
          new PeerFailure(
              PeerFailure.Code.PROTOCOL, "an answer of " + node.id() + " cannot be read: " + e, e));
    }
  }

  private void compare(ReplicaRequest.ReplicaAnswers<Reply<F>> answers) {
    asked = answers.replicas();
    late = answers.late();
    List<ReplicaRequest.ReplicaAnswer<Reply<F>>> replies = answers.all();
    ReadResponse<F> data = null;
    Hash128 agreed = null;
    boolean agree = true;
    for (ReplicaRequest.ReplicaAnswer<Reply<F>> reply : replies) {
      ReadResponse<F> read = reply.value().data();
      if (read != null && data == null) {
        data = read;
      }
      if (replies.size() > 1) {
        Hash128 digest = read == null ? reply.value().digest() : command.digest(read.result());
        agree &= agreed == null || agreed.equals(digest);
        agreed = digest;
      }
    }
    if (data != null && agree) {
      T page = command.resolve(List.of(data.result())).page();
      answer.complete(new ReadAnswer<>(page, cost(data)));
    } else {
      fetch(replies);
    }
  }

  private CallCost cost(ReadResponse<F> data) {
    CallCost read = CallCost.of(asked, data.figures(), data.tombstones());
    return late == 0 ? read : read.with(late, 0, 0);
  }

  /** Fetches the data of the replicas that sent only a digest. */
  private void fetch(List<ReplicaRequest.ReplicaAnswer<Reply<F>>> replies) {
    replicas.tools().counters().mismatches.increment();
    if (trace != null) {
      trace.add(CallTrace.Step.DIGESTS_DIFFER, "", "");
    }
    Map<String, ReadResponse<F>> known = new LinkedHashMap<>();
    List<RingNode> nodes = new ArrayList<>();
    for (ReplicaRequest.ReplicaAnswer<Reply<F>> reply : replies) {
      nodes.add(reply.node());
      ReadResponse<F> data = reply.value().data();
      if (data != null) {
        known.put(reply.node().id(), data);
      }
    }
    ReplicaRequest<ReadResponse<F>> ask =
        new ReplicaRequest<>(
            replicas.tools(),
            plan.consistency(),
            plan.requirement(),
            plan.othersThan(nodes),
            (node, instead) -> {
              ReadResponse<F> data = known.get(node.id());
              return data != null
                  ? CompletableFuture.completedFuture(data)
                  : asked(node, false, instead)
                      .thenApply(reply -> Objects.requireNonNull(reply.data()));
            },
            reads -> true);
    follow(ask.traced(trace).cancelling().begin(nodes), this::readRepair);
  }

  private void readRepair(ReplicaRequest.ReplicaAnswers<ReadResponse<F>> answers) {
    asked = asked.plus(answers.replicas());
    late += answers.late();
    List<ReplicaRequest.ReplicaAnswer<ReadResponse<F>>> reads = answers.all();
    List<F> fragments = new ArrayList<>(reads.size() + 1);
    List<RingNode> nodes = new ArrayList<>(reads.size());
    CallCost spent = CallCost.NONE;
    for (ReplicaRequest.ReplicaAnswer<ReadResponse<F>> read : reads) {
      fragments.add(read.value().result());
      nodes.add(read.node());
      spent = spent.plus(CallCost.of(asked, read.value().figures(), read.value().tombstones()));
    }
    // The last answer is empty, so its correction is the whole result. A spare that replaces a slow
    // replica is sent that.
    fragments.add(command.nothing());
    ReplicaReadCommand.Resolved<T> resolved = command.resolve(fragments);
    Map<String, List<Mutation>> corrections = new LinkedHashMap<>();
    for (int i = 0; i < nodes.size(); i++) {
      corrections.put(nodes.get(i).id(), resolved.corrections().get(i));
    }
    List<Mutation> everything = resolved.corrections().get(nodes.size());
    ReplicaRequest<Boolean> ask =
        new ReplicaRequest<>(
            replicas.tools(),
            plan.consistency(),
            plan.requirement(),
            plan.othersThan(nodes),
            (node, instead) ->
                replicas.correct(
                    node,
                    corrections.getOrDefault(node.id(), everything),
                    durable,
                    plan.consistency(),
                    deadlineNanos,
                    trace),
            taken -> true);
    CallCost cost = spent;
    long lacking = corrections.values().stream().filter(parts -> !parts.isEmpty()).count();
    follow(
        ask.traced(trace).begin(nodes),
        taken ->
            answer.complete(
                new ReadAnswer<>(
                    resolved.page(),
                    cost.plus(CallCost.of(taken.replicas()))
                        .with(late + taken.late(), 1, lacking))));
  }
}
