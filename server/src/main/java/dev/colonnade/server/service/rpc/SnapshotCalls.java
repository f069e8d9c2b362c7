package dev.colonnade.server.service.rpc;

import dev.colonnade.admin.v1.ClearSnapshotRequest;
import dev.colonnade.admin.v1.ClearSnapshotResponse;
import dev.colonnade.admin.v1.CreateSnapshotRequest;
import dev.colonnade.admin.v1.CreateSnapshotResponse;
import dev.colonnade.admin.v1.ListSnapshotsRequest;
import dev.colonnade.admin.v1.ListSnapshotsResponse;
import dev.colonnade.admin.v1.NodeFailure;
import dev.colonnade.admin.v1.Snapshot;
import dev.colonnade.server.base.async.Errors;
import dev.colonnade.server.base.async.Then;
import dev.colonnade.server.base.model.FamilyId;
import dev.colonnade.server.base.schema.ColumnFamily;
import dev.colonnade.server.base.schema.Keyspace;
import dev.colonnade.server.base.schema.Schema;
import dev.colonnade.server.service.admin.NodeOperations.WorkProgress;
import dev.colonnade.server.service.backup.NodeSnapshot;
import dev.colonnade.server.service.backup.SnapshotAnswers;
import dev.colonnade.server.service.backup.SnapshotOperations;
import dev.colonnade.server.storage.snapshot.SnapshotRefusedException;
import io.grpc.stub.StreamObserver;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;

/** Serves the calls about snapshots. Thread-safe. */
final class SnapshotCalls {

  private final SnapshotOperations snapshots;
  private final Supplier<Schema> schema;
  private final RpcContext rpc;

  SnapshotCalls(SnapshotOperations snapshots, Supplier<Schema> schema, RpcContext rpc) {
    this.snapshots = snapshots;
    this.schema = schema;
    this.rpc = rpc;
  }

  void create(CreateSnapshotRequest request, StreamObserver<CreateSnapshotResponse> observer) {
    AtomicReference<SnapshotAnswers> taken =
        new AtomicReference<>(new SnapshotAnswers(List.of(), List.of()));
    ProgressStream.start(
        observer,
        progress ->
            CreateSnapshotResponse.newBuilder()
                .setProgress(progress)
                .addAllSnapshots(messages(Objects.requireNonNull(taken.get())))
                .addAllFailed(failures(Objects.requireNonNull(taken.get())))
                .build(),
        rpc.errors(),
        progress -> {
          CompletableFuture<SnapshotAnswers> work =
              snapshots.take(
                  request.getName(), families(request), request.getClusterWide(), progress);
          CompletableFuture<Void> done =
              refusing(work)
                  .thenAccept(
                      answers -> {
                        taken.set(answers);
                        progress.accept(
                            new WorkProgress(
                                "done",
                                answers.snapshots().size(),
                                answers.snapshots().size() + answers.failed().size(),
                                request.getName()));
                      });
          Then.whenDone(done, (ended, failure) -> work.cancel(false));
          return done;
        });
  }

  void list(ListSnapshotsRequest request, StreamObserver<ListSnapshotsResponse> observer) {
    rpc.read(
        observer,
        () -> {
          AnswerPages page =
              AnswerPages.asked(
                  "ListSnapshots",
                  request.toBuilder().clearPageSize().clearPageToken().build(),
                  request.getPageSize(),
                  request.getPageToken());
          return refusing(snapshots.list(request.getClusterWide()))
              .thenApply(answers -> listed(page, answers));
        });
  }

  private static ListSnapshotsResponse listed(AnswerPages page, SnapshotAnswers answers) {
    ListSnapshotsResponse.Builder response =
        ListSnapshotsResponse.newBuilder().addAllFailed(failures(answers));
    List<Snapshot> sorted = new ArrayList<>(messages(answers));
    sorted.sort(Comparator.comparing(SnapshotCalls::key));
    String next =
        page.fill(
            sorted,
            SnapshotCalls::key,
            each -> {
              response.addSnapshots(each);
              return each.getSerializedSize();
            });
    return response.setNextPageToken(next).build();
  }

  /** By nodes, and those of a node by age. */
  private static String key(Snapshot snapshot) {
    String age = String.format(Locale.ROOT, "%020d", Math.max(0, snapshot.getCreatedMicros()));
    return AnswerPages.key(snapshot.getNodeId(), AnswerPages.key(age, snapshot.getName()));
  }

  void clear(ClearSnapshotRequest request, StreamObserver<ClearSnapshotResponse> observer) {
    rpc.write(
        observer,
        () ->
            refusing(snapshots.clear(request.getName(), request.getClusterWide()))
                .thenApply(
                    answers ->
                        ClearSnapshotResponse.newBuilder()
                            .addAllSnapshots(messages(answers))
                            .addAllFailed(failures(answers))
                            .build()));
  }

  private static <T> CompletableFuture<T> refusing(CompletableFuture<T> work) {
    return work.exceptionallyCompose(
        failure -> {
          Throwable cause = Errors.unwrap(failure);
          return CompletableFuture.failedFuture(
              cause instanceof SnapshotRefusedException
                  ? RequestRefusal.invalid("name", String.valueOf(cause.getMessage()))
                  : cause);
        });
  }

  private List<FamilyId> families(CreateSnapshotRequest request) {
    List<Keyspace> keyspaces = new ArrayList<>();
    for (String name : request.getKeyspacesList()) {
      keyspaces.add(rpc.rules().keyspace(name));
    }
    List<FamilyId> families = new ArrayList<>();
    if (request.getColumnFamiliesCount() > 0) {
      if (keyspaces.size() != 1) {
        throw RequestRefusal.invalid(
            "column_families", "column families are named together with one keyspace");
      }
      for (int i = 0; i < request.getColumnFamiliesCount(); i++) {
        families.add(
            rpc.rules()
                .family(
                    keyspaces.get(0), "column_families[" + i + "]", request.getColumnFamilies(i))
                .id());
      }
      return families;
    }
    if (keyspaces.isEmpty()) {
      keyspaces.addAll(schema.get().keyspaces().values());
    }
    for (Keyspace keyspace : keyspaces) {
      if (!keyspace.isSystem()) {
        keyspace.families().values().stream().map(ColumnFamily::id).forEach(families::add);
      }
    }
    return families;
  }

  private static List<Snapshot> messages(SnapshotAnswers answers) {
    List<Snapshot> messages = new ArrayList<>();
    for (SnapshotAnswers.OfNode each : answers.snapshots()) {
      NodeSnapshot snapshot = each.snapshot();
      messages.add(
          Snapshot.newBuilder()
              .setName(snapshot.name())
              .setNodeId(each.node().id())
              .setAddress(each.node().address())
              .setClientPort(each.node().clientPort())
              .setCreatedMicros(snapshot.createdMicros())
              .setColumnFamilies(count(snapshot.families()))
              .setFiles(count(snapshot.files()))
              .setSizeBytes(snapshot.bytes())
              .setNewBytes(snapshot.newBytes())
              .setFreedBytes(snapshot.freedBytes())
              .setMissingFiles(count(snapshot.missingFiles()))
              .setDirectory(snapshot.directory())
              .build());
    }
    return messages;
  }

  private static int count(long count) {
    return (int) Math.min(Integer.MAX_VALUE, count);
  }

  private static List<NodeFailure> failures(SnapshotAnswers answers) {
    return answers.failed().stream()
        .map(
            each ->
                NodeFailure.newBuilder()
                    .setNodeId(each.node().id())
                    .setAddress(each.node().address())
                    .setClientPort(each.node().clientPort())
                    .setReason(each.reason())
                    .build())
        .toList();
  }
}
