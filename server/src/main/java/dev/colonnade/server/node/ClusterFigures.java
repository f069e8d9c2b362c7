package dev.colonnade.server.node;

import dev.colonnade.server.base.env.Scheduler;
import dev.colonnade.server.base.env.Stage;
import dev.colonnade.server.cluster.gossip.ApplicationState;
import dev.colonnade.server.cluster.gossip.Member;
import dev.colonnade.server.cluster.gossip.NodeStatus;
import dev.colonnade.server.cluster.hints.HintFigures;
import dev.colonnade.server.service.admin.LiveOperations;
import dev.colonnade.server.service.admin.MemberFigures;
import java.util.List;
import java.util.Locale;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.DoubleSupplier;

/** The other nodes' figures, from gossip. Thread-safe. */
final class ClusterFigures implements LiveOperations.Others {

  /** The fraction of the conviction threshold at which a node is reported as suspect. */
  private static final double SUSPECT_FRACTION = 0.5;

  private final LiveCluster cluster;
  private final HintedHandoff hints;
  private final Scheduler scheduler;
  private final DoubleSupplier phiThreshold;

  ClusterFigures(
      LiveCluster cluster, HintedHandoff hints, Scheduler scheduler, DoubleSupplier phiThreshold) {
    this.cluster = cluster;
    this.hints = hints;
    this.scheduler = scheduler;
    this.phiThreshold = phiThreshold;
  }

  @Override
  public List<MemberFigures> members() {
    return cluster.members().all().stream().map(this::figures).toList();
  }

  private MemberFigures figures(Member member) {
    SortedMap<String, String> states = new TreeMap<>();
    member
        .states()
        .forEach((state, value) -> states.put(state.name().toLowerCase(Locale.ROOT), value));
    return new MemberFigures(
        member.id(),
        member.peer().address().host(),
        member.peer().address().port(),
        member.generation(),
        member.version(),
        states,
        liveness(member),
        member.status().map(NodeStatus::departed).orElse(false),
        member.phi(),
        number(member.state(ApplicationState.LOAD).orElse("")),
        member.state(ApplicationState.SCHEMA).orElse(""));
  }

  private MemberFigures.Liveness liveness(Member member) {
    if (!member.alive()) {
      return MemberFigures.Liveness.DOWN;
    }
    return member.phi() > phiThreshold.getAsDouble() * SUSPECT_FRACTION
        ? MemberFigures.Liveness.SUSPECT
        : MemberFigures.Liveness.UP;
  }

  /** Parses a number of another node, which may be malformed. */
  private static long number(String text) {
    try {
      return text.isEmpty() ? 0 : Math.max(0, Long.parseLong(text));
    } catch (NumberFormatException notANumber) {
      return 0;
    }
  }

  @Override
  public List<HintFigures> hints() {
    return hints.figures();
  }

  @Override
  public void announceShutdown() {
    if (!scheduler.submit(Stage.CONTROL, cluster::leave)) {
      cluster.leave();
    }
  }
}
