package dev.colonnade.server.node;

import dev.colonnade.server.cluster.gossip.ApplicationState;
import dev.colonnade.server.cluster.gossip.Member;
import dev.colonnade.server.cluster.gossip.MemberListener;
import dev.colonnade.server.service.coordinator.ClusterSchema;

/** Passes the schema versions known by gossip to the schema. */
final class SchemaVersionListener implements MemberListener {

  private final ClusterSchema schema;
  private boolean isNews;

  SchemaVersionListener(ClusterSchema schema) {
    this.schema = schema;
  }

  @Override
  public void alive(Member member) {
    isNews = true;
    member.state(ApplicationState.SCHEMA).ifPresent(version -> schema.seen(member.id(), version));
  }

  @Override
  public void changed(Member member, ApplicationState key) {
    if (key == ApplicationState.SCHEMA && member.alive()) {
      alive(member);
    }
  }

  /** By now the topology contains the member just heard of, so it can be asked. */
  @Override
  public void onBatchEnd() {
    if (isNews) {
      isNews = false;
      schema.compare();
    }
  }

  @Override
  public void departed(Member member) {
    schema.gone(member.id());
  }

  @Override
  public void removed(Member member) {
    schema.gone(member.id());
  }
}
