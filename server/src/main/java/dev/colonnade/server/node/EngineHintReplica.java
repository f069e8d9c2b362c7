package dev.colonnade.server.node;

import dev.colonnade.server.base.model.FamilyId;
import dev.colonnade.server.base.schema.Schema;
import dev.colonnade.server.cluster.hints.HintReceiver;
import dev.colonnade.server.storage.engine.StorageEngine;
import dev.colonnade.server.storage.mutation.Mutation;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

/** Applies hints that other nodes deliver to this node's store. Thread-safe. */
record EngineHintReplica(StorageEngine engine, Supplier<Schema> schema)
    implements HintReceiver.Replica {

  @Override
  public boolean knows(FamilyId family) {
    return schema.get().families().containsKey(family);
  }

  @Override
  public CompletableFuture<Void> apply(Mutation mutation) {
    return engine.write(mutation, true);
  }

  @Override
  public CompletableFuture<Void> setAside(Mutation mutation, Throwable why) {
    return engine.setAside().keep(mutation, why);
  }
}
