package dev.colonnade.server.node;

import dev.colonnade.server.base.env.Clock;
import dev.colonnade.server.base.model.Cell;
import dev.colonnade.server.base.model.RowKey;
import dev.colonnade.server.base.model.RowUpdate;
import dev.colonnade.server.base.schema.SystemKeyspace;
import dev.colonnade.server.cluster.ring.InvalidKeyException;
import dev.colonnade.server.cluster.ring.Partitioner;
import dev.colonnade.server.service.accounts.AccountFact;
import dev.colonnade.server.service.accounts.Accounts;
import dev.colonnade.server.storage.engine.StorageEngine;
import dev.colonnade.server.storage.engine.SystemRow;
import dev.colonnade.server.storage.mutation.Mutation;
import dev.colonnade.server.storage.snapshot.SnapshotAccountField;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

/**
 * Saves accounts in {@code system.Accounts}: a row for each, a column for each field, with the
 * version of the fact as its timestamp. Thread-safe; never blocks.
 */
final class SystemAccounts implements Accounts.Storage {

  private final StorageEngine engine;
  private final Partitioner partitioner;
  private final Clock clock;

  SystemAccounts(StorageEngine engine, Partitioner partitioner, Clock clock) {
    this.engine = engine;
    this.partitioner = partitioner;
    this.clock = clock;
  }

  /**
   * What an earlier run saved.
   *
   * @param rows of {@code system.Accounts}
   */
  static List<AccountFact> facts(List<SystemRow> rows) {
    List<AccountFact> facts = new ArrayList<>();
    for (SystemRow row : rows) {
      for (Cell cell : row.cells()) {
        facts.add(
            new AccountFact(
                text(row.key().key()), text(cell.top()), cell.timestamp(), cell.value()));
      }
    }
    return facts;
  }

  /** What a snapshot keeps. */
  static List<SnapshotAccountField> snapshot(Accounts accounts) {
    return accounts.kept().stream()
        .map(
            fact ->
                new SnapshotAccountField(
                    fact.account(), fact.field(), fact.version(), text(fact.value())))
        .toList();
  }

  @Override
  public CompletableFuture<Void> save(List<AccountFact> facts) {
    Map<String, RowUpdate.Builder> rows = new LinkedHashMap<>();
    for (AccountFact fact : facts) {
      rows.computeIfAbsent(
              fact.account(), name -> RowUpdate.builder(SystemKeyspace.ACCOUNTS.order()))
          .add(Cell.live(bytes(fact.field()), null, fact.value(), fact.version()));
    }
    List<CompletableFuture<Void>> writes = new ArrayList<>();
    rows.forEach((account, row) -> writes.add(write(account, row.build())));
    return CompletableFuture.allOf(writes.toArray(new CompletableFuture<?>[0]));
  }

  /** Uses the disk reserve: where a disk is full, permissions can be revoked all the same. */
  private CompletableFuture<Void> write(String account, RowUpdate update) {
    RowKey key;
    try {
      key = partitioner.rowKey(bytes(account));
    } catch (InvalidKeyException e) {
      return CompletableFuture.failedFuture(e);
    }
    Mutation mutation =
        new Mutation(
            key,
            List.of(new Mutation.FamilyMutation(SystemKeyspace.ACCOUNTS.id(), update)),
            clock.wallSeconds());
    return engine.writeUsingReserve(mutation, true);
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  private static String text(byte[] bytes) {
    return new String(bytes, StandardCharsets.UTF_8);
  }
}
