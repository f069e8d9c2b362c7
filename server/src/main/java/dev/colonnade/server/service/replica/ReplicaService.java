package dev.colonnade.server.service.replica;

import dev.colonnade.server.base.env.Clock;
import dev.colonnade.server.cluster.net.Messenger;
import dev.colonnade.server.cluster.net.RequestHandler;
import dev.colonnade.server.cluster.net.Verb;
import dev.colonnade.server.service.consistency.SchemaStore;
import dev.colonnade.server.storage.engine.StorageEngine;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * Handles the requests of other coordinators for rows that this node has copies of. Thread-safe.
 */
public final class ReplicaService {

  private final ReplicaWrites writes;
  private final ReplicaReads reads;
  private final ReplicaTouches touches;

  private final Supplier<Optional<String>> refusal;

  /**
   * Creates the service over this node's store.
   *
   * @param refusal why the node serves no other nodes now; empty if it does
   */
  public ReplicaService(
      StorageEngine engine, SchemaStore schema, Clock clock, Supplier<Optional<String>> refusal) {
    this.refusal = refusal;
    this.writes = new ReplicaWrites(engine, schema, clock);
    this.reads = new ReplicaReads(engine, schema, clock);
    this.touches = new ReplicaTouches(engine, schema, clock);
  }

  /** Registers the handlers; call before the messenger starts. */
  public void register(Messenger messenger) {
    messenger.handle(Verb.MUTATION, serving(writes::apply));
    messenger.handle(Verb.READ_REPAIR, serving(writes::apply));
    messenger.handle(Verb.READ_ROW, serving(reads::row));
    messenger.handle(Verb.READ_DIGEST, serving(reads::digest));
    messenger.handle(Verb.READ_RANGE, serving(reads::range));
    messenger.handle(Verb.TOUCH, serving(touches::touch));
  }

  /** Refuses requests of coordinators that do not know yet that this node has stopped serving. */
  private RequestHandler serving(RequestHandler handler) {
    return handler.unless(refusal);
  }
}
