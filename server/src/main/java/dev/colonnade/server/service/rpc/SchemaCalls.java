package dev.colonnade.server.service.rpc;

import com.google.protobuf.FieldMask;
import dev.colonnade.admin.v1.ColumnFamilyDef;
import dev.colonnade.admin.v1.CreateColumnFamilyRequest;
import dev.colonnade.admin.v1.CreateColumnFamilyResponse;
import dev.colonnade.admin.v1.CreateKeyspaceRequest;
import dev.colonnade.admin.v1.CreateKeyspaceResponse;
import dev.colonnade.admin.v1.DescribeSchemaVersionsRequest;
import dev.colonnade.admin.v1.DescribeSchemaVersionsResponse;
import dev.colonnade.admin.v1.DropColumnFamilyRequest;
import dev.colonnade.admin.v1.DropColumnFamilyResponse;
import dev.colonnade.admin.v1.DropKeyspaceRequest;
import dev.colonnade.admin.v1.DropKeyspaceResponse;
import dev.colonnade.admin.v1.GetKeyspaceRequest;
import dev.colonnade.admin.v1.GetKeyspaceResponse;
import dev.colonnade.admin.v1.KeyspaceDef;
import dev.colonnade.admin.v1.ListKeyspacesRequest;
import dev.colonnade.admin.v1.ListKeyspacesResponse;
import dev.colonnade.admin.v1.SchemaServiceGrpc;
import dev.colonnade.admin.v1.SchemaVersion;
import dev.colonnade.admin.v1.TruncateColumnFamilyRequest;
import dev.colonnade.admin.v1.TruncateColumnFamilyResponse;
import dev.colonnade.admin.v1.UpdateColumnFamilyRequest;
import dev.colonnade.admin.v1.UpdateColumnFamilyResponse;
import dev.colonnade.admin.v1.UpdateKeyspaceRequest;
import dev.colonnade.admin.v1.UpdateKeyspaceResponse;
import dev.colonnade.server.base.schema.ColumnFamily;
import dev.colonnade.server.base.schema.FamilyDefinition;
import dev.colonnade.server.base.schema.FamilyField;
import dev.colonnade.server.base.schema.Keyspace;
import dev.colonnade.server.base.schema.KeyspaceDefinition;
import dev.colonnade.server.service.admin.ClusterOperations;
import dev.colonnade.server.service.consistency.SchemaStore;
import dev.colonnade.server.service.search.Analyzers;
import io.grpc.stub.StreamObserver;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** Serves the calls that read and change keyspaces and column families. Thread-safe. */
final class SchemaCalls extends SchemaServiceGrpc.SchemaServiceImplBase {

  private final SchemaStore schemas;
  private final ClusterOperations operations;
  private final Analyzers analyzers;
  private final RpcContext rpc;
  private final Predicate<String> visible;
  private final EnoughNodes nodes;

  /**
   * Creates the service.
   *
   * @param visible whether the present caller may know of a keyspace
   * @param nodes refuses keyspaces that want more copies than there are nodes
   */
  SchemaCalls(
      SchemaStore schemas,
      ClusterOperations operations,
      Analyzers analyzers,
      RpcContext rpc,
      Predicate<String> visible,
      EnoughNodes nodes) {
    this.schemas = schemas;
    this.analyzers = analyzers;
    this.operations = operations;
    this.rpc = rpc;
    this.visible = visible;
    this.nodes = nodes;
  }

  @Override
  public void listKeyspaces(
      ListKeyspacesRequest request, StreamObserver<ListKeyspacesResponse> observer) {
    rpc.read(
        observer,
        () -> {
          AnswerPages page =
              AnswerPages.asked(
                  "ListKeyspaces",
                  ListKeyspacesRequest.getDefaultInstance(),
                  request.getPageSize(),
                  request.getPageToken());
          List<KeyspacePart> parts = new ArrayList<>();
          for (Keyspace keyspace : schemas.current().keyspaces().values()) {
            if (visible.test(keyspace.name())) {
              parts.addAll(KeyspacePart.of(keyspace));
            }
          }
          ListKeyspacesResponse.Builder response = ListKeyspacesResponse.newBuilder();
          List<KeyspaceDef.Builder> keyspaces = new ArrayList<>();
          response.setNextPageToken(
              page.fill(parts, KeyspacePart::key, part -> part.addTo(keyspaces)));
          keyspaces.forEach(response::addKeyspaces);
          return CompletableFuture.completedFuture(response.build());
        });
  }

  @Override
  public void getKeyspace(
      GetKeyspaceRequest request, StreamObserver<GetKeyspaceResponse> observer) {
    rpc.read(
        observer,
        () -> {
          Keyspace keyspace = rpc.rules().keyspace("name", request.getName());
          AnswerPages page =
              AnswerPages.asked(
                  "GetKeyspace",
                  GetKeyspaceRequest.newBuilder().setName(request.getName()).build(),
                  request.getPageSize(),
                  request.getPageToken());
          KeyspaceDef.Builder definition = SchemaProtos.withoutFamilies(keyspace);
          String next =
              page.fill(
                  keyspace.families().values(),
                  ColumnFamily::name,
                  family -> add(definition, family));
          return CompletableFuture.completedFuture(
              GetKeyspaceResponse.newBuilder()
                  .setKeyspace(definition)
                  .setNextPageToken(next)
                  .build());
        });
  }

  private static int add(KeyspaceDef.Builder keyspace, ColumnFamily family) {
    ColumnFamilyDef message = SchemaProtos.message(family);
    keyspace.addColumnFamilies(message);
    return message.getSerializedSize();
  }

  /** A family with its keyspace, or a keyspace that has none. */
  private record KeyspacePart(Keyspace keyspace, @Nullable ColumnFamily family) {

    static List<KeyspacePart> of(Keyspace keyspace) {
      return keyspace.families().isEmpty()
          ? List.of(new KeyspacePart(keyspace, null))
          : keyspace.families().values().stream()
              .map(family -> new KeyspacePart(keyspace, family))
              .toList();
    }

    String key() {
      return AnswerPages.key(keyspace.name(), family == null ? "" : family.name());
    }

    /** Adds it to the last keyspace of the answer, or to a new one; returns the bytes of that. */
    int addTo(List<KeyspaceDef.Builder> answer) {
      int bytes = 0;
      if (answer.isEmpty() || !answer.get(answer.size() - 1).getName().equals(keyspace.name())) {
        KeyspaceDef.Builder fresh = SchemaProtos.withoutFamilies(keyspace);
        answer.add(fresh);
        bytes += fresh.build().getSerializedSize();
      }
      return family == null ? bytes : bytes + add(answer.get(answer.size() - 1), family);
    }
  }

  @Override
  public void createKeyspace(
      CreateKeyspaceRequest request, StreamObserver<CreateKeyspaceResponse> observer) {
    rpc.write(
        observer,
        () -> {
          required(request.hasKeyspace(), "keyspace");
          KeyspaceDefinition keyspace = SchemaProtos.definition(request.getKeyspace(), "keyspace");
          if (!request.getForce()) {
            nodes.requireForNew(schemas.current(), keyspace);
          }
          long deadlineNanos = rpc.scope().callersDeadlineNanos();
          CompletableFuture<Void> known = CompletableFuture.completedFuture(null);
          for (int i = 0; i < keyspace.families().size(); i++) {
            String field = "keyspace.column_families[" + i + "]";
            FamilyDefinition family = keyspace.families().get(i);
            known = known.thenCompose(before -> knowsAnalyzer(family, field));
          }
          return known
              .thenCompose(all -> schemas.inTime(schemas.createKeyspace(keyspace), deadlineNanos))
              .thenApply(
                  version -> CreateKeyspaceResponse.newBuilder().setSchemaVersion(version).build());
        });
  }

  @Override
  public void updateKeyspace(
      UpdateKeyspaceRequest request, StreamObserver<UpdateKeyspaceResponse> observer) {
    rpc.write(
        observer,
        () -> {
          required(request.hasKeyspace(), "keyspace");
          KeyspaceDefinition keyspace = SchemaProtos.definition(request.getKeyspace(), "keyspace");
          List<String> mask = paths(request.getUpdateMask());
          if (!request.getForce()) {
            nodes.requireForChange(schemas.current(), keyspace, mask);
          }
          return inTime(schemas.updateKeyspace(keyspace, mask))
              .thenApply(
                  version -> UpdateKeyspaceResponse.newBuilder().setSchemaVersion(version).build());
        });
  }

  @Override
  public void dropKeyspace(
      DropKeyspaceRequest request, StreamObserver<DropKeyspaceResponse> observer) {
    rpc.write(
        observer,
        () -> {
          required(!request.getName().isEmpty(), "name");
          return inTime(schemas.dropKeyspace(request.getName()))
              .thenApply(
                  version -> DropKeyspaceResponse.newBuilder().setSchemaVersion(version).build());
        });
  }

  @Override
  public void createColumnFamily(
      CreateColumnFamilyRequest request, StreamObserver<CreateColumnFamilyResponse> observer) {
    rpc.write(
        observer,
        () -> {
          required(request.hasColumnFamily(), "column_family");
          FamilyDefinition family =
              SchemaProtos.definition(request.getColumnFamily(), "column_family");
          long deadlineNanos = rpc.scope().callersDeadlineNanos();
          return knowsAnalyzer(family, "column_family")
              .thenCompose(known -> schemas.inTime(schemas.createFamily(family), deadlineNanos))
              .thenApply(
                  version ->
                      CreateColumnFamilyResponse.newBuilder().setSchemaVersion(version).build());
        });
  }

  @Override
  public void updateColumnFamily(
      UpdateColumnFamilyRequest request, StreamObserver<UpdateColumnFamilyResponse> observer) {
    rpc.write(
        observer,
        () -> {
          required(request.hasColumnFamily(), "column_family");
          return inTime(
                  schemas.updateFamily(
                      SchemaProtos.definition(request.getColumnFamily(), "column_family"),
                      paths(request.getUpdateMask())))
              .thenApply(
                  version ->
                      UpdateColumnFamilyResponse.newBuilder().setSchemaVersion(version).build());
        });
  }

  @Override
  public void dropColumnFamily(
      DropColumnFamilyRequest request, StreamObserver<DropColumnFamilyResponse> observer) {
    rpc.write(
        observer,
        () -> {
          required(!request.getKeyspace().isEmpty(), "keyspace");
          required(!request.getName().isEmpty(), "name");
          return inTime(schemas.dropFamily(request.getKeyspace(), request.getName()))
              .thenApply(
                  version ->
                      DropColumnFamilyResponse.newBuilder().setSchemaVersion(version).build());
        });
  }

  @Override
  public void truncateColumnFamily(
      TruncateColumnFamilyRequest request, StreamObserver<TruncateColumnFamilyResponse> observer) {
    rpc.write(
        observer,
        () -> {
          Keyspace keyspace = rpc.rules().writableKeyspace(request.getKeyspace());
          ColumnFamily family = rpc.rules().family(keyspace, "name", request.getName());
          return schemas
              .truncate(family, rpc.scope().deadlineNanos())
              .thenApply(done -> TruncateColumnFamilyResponse.getDefaultInstance());
        });
  }

  @Override
  public void describeSchemaVersions(
      DescribeSchemaVersionsRequest request,
      StreamObserver<DescribeSchemaVersionsResponse> observer) {
    rpc.read(
        observer,
        () -> {
          DescribeSchemaVersionsResponse.Builder response =
              DescribeSchemaVersionsResponse.newBuilder();
          int different = 0;
          for (ClusterOperations.KnownSchema known : operations.schemaVersions()) {
            response.addVersions(
                SchemaVersion.newBuilder()
                    .setVersion(known.version())
                    .addAllNodeIds(known.nodeIds()));
            different += known.version().isEmpty() ? 0 : 1;
          }
          return CompletableFuture.completedFuture(response.setAgreed(different <= 1).build());
        });
  }

  /** Checks that this node has the analyzer of an index, so that a misspelled one is refused. */
  private CompletableFuture<Void> knowsAnalyzer(FamilyDefinition family, String field) {
    return family
        .value(FamilyField.ANALYZER)
        .map(name -> analyzers.check(name, field + "." + FamilyField.ANALYZER.path()))
        .orElse(CompletableFuture.completedFuture(null));
  }

  /** Limits a change by the caller's deadline, since a disk that hangs holds it up. */
  private CompletableFuture<String> inTime(CompletableFuture<String> change) {
    return schemas.inTime(change, rpc.scope().callersDeadlineNanos());
  }

  private static void required(boolean present, String field) {
    if (!present) {
      throw RequestRefusal.invalid(field, field + " is required");
    }
  }

  private static List<String> paths(FieldMask mask) {
    return List.copyOf(mask.getPathsList());
  }
}
