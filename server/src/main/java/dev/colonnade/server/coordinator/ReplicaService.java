package dev.colonnade.server.coordinator;

import dev.colonnade.server.engine.StorageEngine;
import dev.colonnade.server.env.Clock;
import dev.colonnade.server.net.Messenger;
import dev.colonnade.server.net.Verb;

/** What this node does for other coordinators, with the rows that it has copies of. Thread-safe. */
public final class ReplicaService {

  private final ReplicaWrites writes;
  private final ReplicaReads reads;
  private final ReplicaTouches touches;

  /** Works on this node's store. */
  public ReplicaService(StorageEngine engine, SchemaStore schema, Clock clock) {
    this.writes = new ReplicaWrites(engine, schema);
    this.reads = new ReplicaReads(engine, schema);
    this.touches = new ReplicaTouches(engine, schema, clock);
  }

  /** Takes requests, once the messenger starts. */
  public void register(Messenger messenger) {
    messenger.handle(Verb.MUTATION, writes::apply);
    messenger.handle(Verb.READ_REPAIR, writes::apply);
    messenger.handle(Verb.READ_ROW, reads::row);
    messenger.handle(Verb.READ_DIGEST, reads::digest);
    messenger.handle(Verb.READ_RANGE, reads::range);
    messenger.handle(Verb.TOUCH, touches::touch);
  }
}
