package dev.colonnade.server.coordinator;

import dev.colonnade.server.engine.StorageEngine;
import dev.colonnade.server.env.Clock;
import dev.colonnade.server.net.Messenger;
import dev.colonnade.server.net.RequestHandler;
import dev.colonnade.server.net.Verb;
import java.util.Optional;
import java.util.function.Supplier;

/** What this node does for other coordinators, with the rows that it has copies of. Thread-safe. */
public final class ReplicaService {

  private final ReplicaWrites writes;
  private final ReplicaReads reads;
  private final ReplicaTouches touches;

  private final Supplier<Optional<String>> refusal;

  /**
   * Works on this node's store.
   *
   * @param refusal why the node does nothing for others now; empty if it does
   */
  public ReplicaService(
      StorageEngine engine, SchemaStore schema, Clock clock, Supplier<Optional<String>> refusal) {
    this.refusal = refusal;
    this.writes = new ReplicaWrites(engine, schema);
    this.reads = new ReplicaReads(engine, schema);
    this.touches = new ReplicaTouches(engine, schema, clock);
  }

  /** Takes requests, once the messenger starts. */
  public void register(Messenger messenger) {
    messenger.handle(Verb.MUTATION, serving(writes::apply));
    messenger.handle(Verb.READ_REPAIR, serving(writes::apply));
    messenger.handle(Verb.READ_ROW, serving(reads::row));
    messenger.handle(Verb.READ_DIGEST, serving(reads::digest));
    messenger.handle(Verb.READ_RANGE, serving(reads::range));
    messenger.handle(Verb.TOUCH, serving(touches::touch));
  }

  /** A coordinator may not have heard yet that this node serves no more. */
  private RequestHandler serving(RequestHandler handler) {
    return handler.unless(refusal);
  }
}
