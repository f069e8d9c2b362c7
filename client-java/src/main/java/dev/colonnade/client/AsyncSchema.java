package dev.colonnade.client;

import dev.colonnade.admin.v1.CreateColumnFamilyRequest;
import dev.colonnade.admin.v1.CreateKeyspaceRequest;
import dev.colonnade.admin.v1.DropColumnFamilyRequest;
import dev.colonnade.admin.v1.DropKeyspaceRequest;
import dev.colonnade.admin.v1.GetKeyspaceRequest;
import dev.colonnade.admin.v1.GetKeyspaceResponse;
import dev.colonnade.admin.v1.KeyspaceDef;
import dev.colonnade.admin.v1.ListKeyspacesRequest;
import dev.colonnade.admin.v1.ListKeyspacesResponse;
import dev.colonnade.admin.v1.SchemaServiceGrpc;
import dev.colonnade.admin.v1.UpdateKeyspaceRequest;
import io.grpc.Deadline;
import io.grpc.MethodDescriptor;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * {@link Schema} with futures. They fail with the exceptions that the waiting methods throw, and
 * cancelling one ends its call, though not always the change. Thread-safe.
 */
public final class AsyncSchema {

  private final Transport transport;
  private final CallOptions options;

  AsyncSchema(Transport transport, CallOptions options) {
    this.transport = transport;
    this.options = options;
  }

  AsyncSchema with(CallOptions other) {
    return new AsyncSchema(transport, other);
  }

  /** As {@link Schema#keyspaces}. */
  public CompletableFuture<List<KeyspaceDefinition>> keyspaces() {
    Deadline deadline = ColumnParentRef.deadline(options);
    CompletableFuture<ListKeyspacesResponse> all =
        AnswerPages.all(
            token ->
                transport.look(
                    SchemaServiceGrpc.getListKeyspacesMethod(),
                    ListKeyspacesRequest.newBuilder()
                        .setPageSize(AnswerPages.SIZE)
                        .setPageToken(token)
                        .build(),
                    deadline),
            ListKeyspacesResponse::getNextPageToken,
            AsyncSchema::joined);
    return Transport.map(
        all, answer -> answer.getKeyspacesList().stream().map(KeyspaceDefinition::of).toList());
  }

  /** A page may begin with more families of the keyspace that the page before ended with. */
  private static ListKeyspacesResponse joined(
      ListKeyspacesResponse before, ListKeyspacesResponse page) {
    ListKeyspacesResponse.Builder joined = before.toBuilder();
    int last = joined.getKeyspacesCount() - 1;
    for (KeyspaceDef each : page.getKeyspacesList()) {
      if (last >= 0 && joined.getKeyspaces(last).getName().equals(each.getName())) {
        joined.getKeyspacesBuilder(last).addAllColumnFamilies(each.getColumnFamiliesList());
      } else {
        joined.addKeyspaces(each);
      }
    }
    return joined.build();
  }

  /** As {@link Schema#keyspace}. */
  public CompletableFuture<KeyspaceDefinition> keyspace(String name) {
    Deadline deadline = ColumnParentRef.deadline(options);
    CompletableFuture<GetKeyspaceResponse> all =
        AnswerPages.all(
            token ->
                transport.look(
                    SchemaServiceGrpc.getGetKeyspaceMethod(),
                    GetKeyspaceRequest.newBuilder()
                        .setName(name)
                        .setPageSize(AnswerPages.SIZE)
                        .setPageToken(token)
                        .build(),
                    deadline),
            GetKeyspaceResponse::getNextPageToken,
            AnswerPages::appended);
    return Transport.map(all, answer -> KeyspaceDefinition.of(answer.getKeyspace()));
  }

  /** As {@link Schema#create(KeyspaceDefinition)}. */
  public CompletableFuture<@Nullable Void> create(KeyspaceDefinition keyspace) {
    return create(keyspace, false);
  }

  /** As {@link Schema#create(KeyspaceDefinition, boolean)}. */
  public CompletableFuture<@Nullable Void> create(KeyspaceDefinition keyspace, boolean force) {
    return change(
        SchemaServiceGrpc.getCreateKeyspaceMethod(),
        CreateKeyspaceRequest.newBuilder().setKeyspace(keyspace.message()).setForce(force).build());
  }

  /** As {@link Schema#createIfAbsent(KeyspaceDefinition)}. */
  public CompletableFuture<Boolean> createIfAbsent(KeyspaceDefinition keyspace) {
    return unlessPresent(
        create(keyspace),
        () -> {
          CompletableFuture<Boolean> made = CompletableFuture.completedFuture(false);
          for (ColumnFamilyDefinition family : keyspace.columnFamilies()) {
            made =
                made.thenCompose(
                    before ->
                        createIfAbsent(keyspace.name(), family).thenApply(now -> before || now));
          }
          return made;
        });
  }

  /** As {@link Schema#createIfAbsent(String, ColumnFamilyDefinition)}. */
  public CompletableFuture<Boolean> createIfAbsent(String keyspace, ColumnFamilyDefinition family) {
    return unlessPresent(
        create(keyspace, family),
        () ->
            keyspace(keyspace)
                .thenApply(
                    found -> {
                      // None: it was dropped meanwhile, after it had been there.
                      found.columnFamily(family.name()).ifPresent(family::requireSameNames);
                      return false;
                    }));
  }

  /** Whether a change was made, or what holds if something of that name exists. */
  private static CompletableFuture<Boolean> unlessPresent(
      CompletableFuture<@Nullable Void> change, Supplier<CompletableFuture<Boolean>> otherwise) {
    return change
        .thenApply(made -> true)
        .exceptionallyCompose(
            failure -> {
              Throwable cause =
                  failure instanceof CompletionException ? failure.getCause() : failure;
              return cause instanceof AlreadyExistsException
                  ? otherwise.get()
                  : CompletableFuture.failedFuture(cause);
            });
  }

  /** As {@link Schema#update(KeyspaceDefinition)}. */
  public CompletableFuture<@Nullable Void> update(KeyspaceDefinition keyspace) {
    return update(keyspace, false);
  }

  /** As {@link Schema#update(KeyspaceDefinition, boolean)}. */
  public CompletableFuture<@Nullable Void> update(KeyspaceDefinition keyspace, boolean force) {
    return change(
        SchemaServiceGrpc.getUpdateKeyspaceMethod(),
        UpdateKeyspaceRequest.newBuilder()
            .setKeyspace(keyspace.message().toBuilder().clearColumnFamilies())
            .setForce(force)
            .build());
  }

  /** As {@link Schema#dropKeyspace}. */
  public CompletableFuture<@Nullable Void> dropKeyspace(String name) {
    return change(
        SchemaServiceGrpc.getDropKeyspaceMethod(),
        DropKeyspaceRequest.newBuilder().setName(name).build());
  }

  /** As {@link Schema#create(String, ColumnFamilyDefinition)}. */
  public CompletableFuture<@Nullable Void> create(String keyspace, ColumnFamilyDefinition family) {
    return change(
        SchemaServiceGrpc.getCreateColumnFamilyMethod(),
        CreateColumnFamilyRequest.newBuilder().setColumnFamily(family.in(keyspace)).build());
  }

  /** As {@link Schema#update(String, ColumnFamilyDefinition)}. */
  public CompletableFuture<@Nullable Void> update(String keyspace, ColumnFamilyDefinition family) {
    return change(SchemaServiceGrpc.getUpdateColumnFamilyMethod(), family.update(keyspace));
  }

  /** As {@link Schema#dropColumnFamily}. */
  public CompletableFuture<@Nullable Void> dropColumnFamily(String keyspace, String name) {
    return change(
        SchemaServiceGrpc.getDropColumnFamilyMethod(),
        DropColumnFamilyRequest.newBuilder().setKeyspace(keyspace).setName(name).build());
  }

  private <Q, R> CompletableFuture<@Nullable Void> change(
      MethodDescriptor<Q, R> method, Q request) {
    return Transport.<R, @Nullable Void>map(
        transport.call(method, request, ColumnParentRef.deadline(options), Applied.UNKNOWN),
        answer -> null);
  }
}
