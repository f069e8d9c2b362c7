package dev.colonnade.server.service.backup;

import dev.colonnade.server.base.async.Then;
import dev.colonnade.server.base.model.FamilyId;
import dev.colonnade.server.base.schema.ColumnFamily;
import dev.colonnade.server.base.schema.Schema;
import dev.colonnade.server.base.schema.SchemaRow;
import dev.colonnade.server.base.schema.SystemKeyspace;
import dev.colonnade.server.service.admin.NodeOperations.WorkProgress;
import dev.colonnade.server.service.consistency.ClusterView;
import dev.colonnade.server.storage.engine.Snapshots;
import dev.colonnade.server.storage.snapshot.SnapshotAccountField;
import dev.colonnade.server.storage.snapshot.SnapshotDirectory;
import dev.colonnade.server.storage.snapshot.SnapshotManifest;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * The snapshots of this node, with what a manifest says of the cluster. Thread-safe; never blocks.
 * Futures fail as those of {@link Snapshots}.
 */
final class SnapshotService {

  private final Snapshots snapshots;
  private final Supplier<Schema> schema;
  private final Supplier<List<SnapshotAccountField>> accounts;
  private final ClusterView cluster;

  SnapshotService(
      Snapshots snapshots,
      Supplier<Schema> schema,
      Supplier<List<SnapshotAccountField>> accounts,
      ClusterView cluster) {
    this.snapshots = snapshots;
    this.schema = schema;
    this.accounts = accounts;
    this.cluster = cluster;
  }

  /** Takes a snapshot of these families; those of the keyspace {@code system} are left out. */
  CompletableFuture<NodeSnapshot> take(
      String name, long createdMicros, List<FamilyId> families, Consumer<WorkProgress> progress) {
    Schema current = schema.get();
    List<FamilyId> chosen = new ArrayList<>();
    Set<String> keyspaces = new TreeSet<>();
    for (FamilyId id : families) {
      ColumnFamily family = current.family(id).orElse(null);
      if (family != null && !family.keyspace().equals(SystemKeyspace.NAME)) {
        chosen.add(id);
        keyspaces.add(family.keyspace());
      }
    }
    List<SchemaRow> rows = keyspaces.stream().map(current::row).toList();
    SnapshotManifest described =
        new SnapshotManifest(
            name,
            createdMicros,
            cluster.clusterName(),
            cluster.nodeId(),
            cluster.partitioner().name(),
            cluster.self().tokens(),
            rows,
            List.of(),
            accounts.get(),
            Optional.empty());
    CompletableFuture<SnapshotManifest> taken =
        snapshots.take(
            described,
            chosen,
            step ->
                progress.accept(
                    new WorkProgress(step.phase(), step.bytesDone(), step.bytesTotal(), name)));
    CompletableFuture<NodeSnapshot> answer =
        taken.thenCompose(
            manifest ->
                list()
                    .thenApply(
                        all ->
                            all.stream()
                                .filter(each -> each.name().equals(name))
                                .findFirst()
                                .orElseGet(
                                    () ->
                                        described(new SnapshotDirectory.Listed(manifest, 0, 0)))));
    // Who cancels the answer cancels the work.
    Then.whenDone(answer, (done, failure) -> taken.cancel(false));
    return answer;
  }

  /** All snapshots, oldest first. */
  CompletableFuture<List<NodeSnapshot>> list() {
    return snapshots.list().thenApply(all -> all.stream().map(this::described).toList());
  }

  /** Deletes a snapshot. */
  CompletableFuture<NodeSnapshot> clear(String name) {
    return snapshots.clear(name).thenApply(this::described);
  }

  private NodeSnapshot described(SnapshotDirectory.Listed listed) {
    SnapshotManifest manifest = listed.manifest();
    return new NodeSnapshot(
        manifest.name(),
        manifest.createdMicros(),
        manifest.families().size(),
        manifest.files(),
        manifest.bytes(),
        listed.newBytes(),
        listed.freedBytes(),
        manifest.missing(),
        snapshots.describe(manifest.name()));
  }
}
