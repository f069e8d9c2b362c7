package dev.colonnade.server.service.rpc;

import dev.colonnade.server.base.env.RandomSource;
import dev.colonnade.server.base.model.FamilyId;
import dev.colonnade.server.base.schema.ColumnFamily;
import dev.colonnade.server.base.schema.ComparatorResolver;
import dev.colonnade.server.base.schema.FamilyDefinition;
import dev.colonnade.server.base.schema.KeyspaceDefinition;
import dev.colonnade.server.base.schema.Schema;
import dev.colonnade.server.base.schema.SchemaChange;
import dev.colonnade.server.base.schema.SchemaException;
import dev.colonnade.server.node.platform.SeededRandom;
import dev.colonnade.server.service.consistency.SchemaStore;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

/** A schema in memory whose changes take effect at once. */
final class TestSchemas implements SchemaStore {

  volatile long lastDeadlineNanos;

  private final RandomSource random = new SeededRandom(7);
  private final Consumer<FamilyId> truncated;
  private Schema schema = Schema.empty(ComparatorResolver.builtIns());
  private long timestamps = 1;

  TestSchemas(Consumer<FamilyId> truncated) {
    this.truncated = truncated;
  }

  private interface Change {
    SchemaChange apply(Schema schema, long timestampMicros) throws SchemaException;
  }

  private CompletableFuture<String> change(Change change) {
    try {
      schema = change.apply(schema, timestamps++).after();
      return CompletableFuture.completedFuture(schema.version());
    } catch (SchemaException e) {
      return CompletableFuture.failedFuture(e);
    }
  }

  @Override
  public Schema current() {
    return schema;
  }

  @Override
  public CompletableFuture<String> createKeyspace(KeyspaceDefinition keyspace) {
    return change((s, t) -> s.createKeyspace(keyspace, random, t));
  }

  @Override
  public CompletableFuture<String> updateKeyspace(
      KeyspaceDefinition keyspace, List<String> maskPaths) {
    return change((s, t) -> s.updateKeyspace(keyspace, Set.copyOf(maskPaths), t));
  }

  @Override
  public CompletableFuture<String> dropKeyspace(String name) {
    return change((s, t) -> s.dropKeyspace(name, t));
  }

  @Override
  public CompletableFuture<String> createFamily(FamilyDefinition family) {
    return change((s, t) -> s.createFamily(family, random, t));
  }

  @Override
  public CompletableFuture<String> updateFamily(FamilyDefinition family, List<String> maskPaths) {
    return change((s, t) -> s.updateFamily(family, Set.copyOf(maskPaths), t));
  }

  @Override
  public CompletableFuture<String> dropFamily(String keyspace, String name) {
    return change((s, t) -> s.dropFamily(keyspace, name, t));
  }

  @Override
  public CompletableFuture<Void> truncate(ColumnFamily family, long deadlineNanos) {
    truncated.accept(family.id());
    return CompletableFuture.completedFuture(null);
  }

  @Override
  public CompletableFuture<String> truncateHere(FamilyId family, long number) {
    truncated.accept(family);
    return CompletableFuture.completedFuture(current().version());
  }

  @Override
  public CompletableFuture<String> inTime(CompletableFuture<String> change, long deadlineNanos) {
    lastDeadlineNanos = deadlineNanos;
    return change;
  }
}
