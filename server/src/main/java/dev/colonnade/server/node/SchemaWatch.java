package dev.colonnade.server.node;

import dev.colonnade.server.coordinator.ClusterSchema;
import dev.colonnade.server.gossip.ApplicationState;
import dev.colonnade.server.gossip.Member;
import dev.colonnade.server.gossip.MemberListener;

/** Tells the schema which versions gossip hears of. */
final class SchemaWatch implements MemberListener {

  private final ClusterSchema schema;

  SchemaWatch(ClusterSchema schema) {
    this.schema = schema;
  }

  @Override
  public void alive(Member member) {
    member.state(ApplicationState.SCHEMA).ifPresent(version -> schema.seen(member.id(), version));
  }

  @Override
  public void changed(Member member, ApplicationState key) {
    if (key == ApplicationState.SCHEMA && member.alive()) {
      alive(member);
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
