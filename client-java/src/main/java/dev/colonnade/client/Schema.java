package dev.colonnade.client;

import dev.colonnade.admin.v1.CreateColumnFamilyRequest;
import dev.colonnade.admin.v1.CreateKeyspaceRequest;
import dev.colonnade.admin.v1.DropColumnFamilyRequest;
import dev.colonnade.admin.v1.DropKeyspaceRequest;
import dev.colonnade.admin.v1.GetKeyspaceRequest;
import dev.colonnade.admin.v1.ListKeyspacesRequest;
import dev.colonnade.admin.v1.SchemaServiceGrpc;
import dev.colonnade.admin.v1.UpdateKeyspaceRequest;
import io.grpc.MethodDescriptor;
import java.util.List;

/**
 * Defines keyspaces and column families while the cluster runs. Methods wait, at most for the
 * client's deadline, and throw {@link ColonnadeException}: {@link AlreadyExistsException}, {@link
 * NotFoundException}, {@link InvalidRequestException}, {@link PreconditionFailedException} for a
 * change that data on disk forbids. Thread-safe.
 */
public final class Schema {

  private final Transport transport;
  private final CallOptions options;

  Schema(Transport transport, CallOptions options) {
    this.transport = transport;
    this.options = options;
  }

  /** The same, called with other options. */
  public Schema with(CallOptions other) {
    return new Schema(transport, other);
  }

  /** All keyspaces by name, {@code system} included. */
  public List<KeyspaceDefinition> keyspaces() {
    ListKeyspacesRequest request = ListKeyspacesRequest.getDefaultInstance();
    return call(SchemaServiceGrpc.getListKeyspacesMethod(), request, Applied.NO)
        .getKeyspacesList()
        .stream()
        .map(KeyspaceDefinition::of)
        .toList();
  }

  /**
   * One keyspace, with every setting.
   *
   * @throws NotFoundException if there is none of that name
   */
  public KeyspaceDefinition keyspace(String name) {
    GetKeyspaceRequest request = GetKeyspaceRequest.newBuilder().setName(name).build();
    return KeyspaceDefinition.of(
        call(SchemaServiceGrpc.getGetKeyspaceMethod(), request, Applied.NO).getKeyspace());
  }

  /** Creates a keyspace with its families. */
  public void create(KeyspaceDefinition keyspace) {
    change(
        SchemaServiceGrpc.getCreateKeyspaceMethod(),
        CreateKeyspaceRequest.newBuilder().setKeyspace(keyspace.message()).build());
  }

  /** Changes the settings of a keyspace that the definition has; families stay as they are. */
  public void update(KeyspaceDefinition keyspace) {
    change(
        SchemaServiceGrpc.getUpdateKeyspaceMethod(),
        UpdateKeyspaceRequest.newBuilder()
            .setKeyspace(keyspace.message().toBuilder().clearColumnFamilies())
            .build());
  }

  /** Drops a keyspace with its families and all their data. */
  public void dropKeyspace(String name) {
    change(
        SchemaServiceGrpc.getDropKeyspaceMethod(),
        DropKeyspaceRequest.newBuilder().setName(name).build());
  }

  /** Creates a column family. */
  public void create(String keyspace, ColumnFamilyDefinition family) {
    change(
        SchemaServiceGrpc.getCreateColumnFamilyMethod(),
        CreateColumnFamilyRequest.newBuilder().setColumnFamily(family.in(keyspace)).build());
  }

  /**
   * Changes the settings of a family that the definition has, and no others: {@link
   * ColumnFamilyDefinition#changesOf} begins one that knows neither type nor comparators. Those
   * cannot change.
   */
  public void update(String keyspace, ColumnFamilyDefinition family) {
    change(SchemaServiceGrpc.getUpdateColumnFamilyMethod(), family.update(keyspace));
  }

  /** Drops a column family with all its data. */
  public void dropColumnFamily(String keyspace, String name) {
    change(
        SchemaServiceGrpc.getDropColumnFamilyMethod(),
        DropColumnFamilyRequest.newBuilder().setKeyspace(keyspace).setName(name).build());
  }

  private <Q, R> void change(MethodDescriptor<Q, R> method, Q request) {
    R unused = call(method, request, Applied.UNKNOWN);
  }

  private <Q, R> R call(MethodDescriptor<Q, R> method, Q request, Applied ifUnstated) {
    return Transport.await(transport.call(method, request, Place.deadline(options), ifUnstated));
  }
}
