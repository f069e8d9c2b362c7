package dev.colonnade.server.coordinator;

import dev.colonnade.server.engine.StorageEngine;
import dev.colonnade.server.net.Messenger;
import dev.colonnade.server.net.Verb;

/** What this node does for other coordinators, with the rows that it has copies of. Thread-safe. */
public final class ReplicaService {

  private final ReplicaWrites writes;
  private final ReplicaReads reads;

  /** Works on this node's store. */
  public ReplicaService(StorageEngine engine, SchemaStore schema) {
    this.writes = new ReplicaWrites(engine, schema);
    this.reads = new ReplicaReads(engine, schema);
  }

  /** Takes requests, once the messenger starts. */
  public void register(Messenger messenger) {
    messenger.handle(Verb.MUTATION, writes::apply);
    messenger.handle(Verb.READ_REPAIR, writes::apply);
    messenger.handle(Verb.READ_ROW, reads::row);
    messenger.handle(Verb.READ_DIGEST, reads::digest);
    messenger.handle(Verb.READ_RANGE, reads::range);
  }
}
