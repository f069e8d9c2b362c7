package dev.colonnade.server.node;

import dev.colonnade.server.cluster.gossip.ApplicationState;
import dev.colonnade.server.cluster.gossip.Member;
import dev.colonnade.server.cluster.gossip.MemberListener;
import dev.colonnade.server.cluster.gossip.NodeStatus;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Logs what happens to the nodes of the cluster, with their ids and addresses. */
final class MemberLog implements MemberListener {

  private static final Logger LOG = LoggerFactory.getLogger(MemberLog.class);

  @Override
  public void joined(Member member) {
    LOG.info("node {} is new to this node", member.peer());
  }

  @Override
  public void restarted(Member member) {
    LOG.info("node {} has restarted", member.peer());
  }

  @Override
  public void alive(Member member) {
    LOG.info("node {} is up", member.peer());
  }

  @Override
  public void dead(Member member) {
    LOG.info(
        "node {} is down: {}",
        member.peer(),
        member.shutDown() ? "it announced its shutdown" : "its heartbeats stay away");
  }

  @Override
  public void changed(Member member, ApplicationState key) {
    if (key == ApplicationState.STATUS) {
      member.status().ifPresent(status -> LOG.info("node {} {}", member.peer(), doing(status)));
    } else if (key == ApplicationState.ADDRESS) {
      LOG.info("node {} has another address than before", member.peer());
    }
  }

  private static String doing(NodeStatus status) {
    return switch (status.kind()) {
      case NORMAL ->
          status.otherId().isEmpty()
              ? "owns its tokens"
              : "owns its tokens, which were those of node " + status.otherId();
      case JOINING -> "is joining";
      case LEAVING -> "is leaving";
      case MOVING -> "is moving to other tokens";
      case REPLACING -> "is replacing node " + status.otherId();
      case LEFT -> "has left";
      case REMOVED -> "was removed";
    };
  }

  @Override
  public void departed(Member member) {
    LOG.info(
        "node {} {}",
        member.peer(),
        member.status().map(MemberLog::doing).orElse("is gone for good"));
  }

  @Override
  public void removed(Member member) {
    LOG.info("node {} is forgotten", member.peer());
  }
}
