package dev.colonnade.server.node;

import dev.colonnade.server.cluster.gossip.ApplicationState;
import dev.colonnade.server.cluster.gossip.Member;
import dev.colonnade.server.cluster.gossip.MemberListener;
import dev.colonnade.server.service.schemasync.ClusterSchema;

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
  }

  /** It may have changed its schema before it could announce that. */
  @Override
  public void restarted(Member member) {
    isNews = true;
  }

  @Override
  public void changed(Member member, ApplicationState key) {
    isNews |= key == ApplicationState.SCHEMA;
  }

  /** By now the topology contains the member just heard of, so it can be asked. */
  @Override
  public void onBatchEnd() {
    if (isNews) {
      isNews = false;
      schema.compare();
    }
  }
}
