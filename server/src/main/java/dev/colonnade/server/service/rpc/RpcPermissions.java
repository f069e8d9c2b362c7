package dev.colonnade.server.service.rpc;

import static dev.colonnade.server.service.accounts.Permission.ADMIN;
import static dev.colonnade.server.service.accounts.Permission.AUTHORIZE;
import static dev.colonnade.server.service.accounts.Permission.MONITOR;
import static dev.colonnade.server.service.accounts.Permission.READ;
import static dev.colonnade.server.service.accounts.Permission.SCHEMA;
import static dev.colonnade.server.service.accounts.Permission.TRUNCATE;
import static dev.colonnade.server.service.accounts.Permission.WRITE;

import dev.colonnade.admin.v1.AccountServiceGrpc;
import dev.colonnade.admin.v1.AlterUserRequest;
import dev.colonnade.admin.v1.BulkLoadServiceGrpc;
import dev.colonnade.admin.v1.ClusterServiceGrpc;
import dev.colonnade.admin.v1.CreateRoleRequest;
import dev.colonnade.admin.v1.CreateUserRequest;
import dev.colonnade.admin.v1.DropAccountRequest;
import dev.colonnade.admin.v1.Grant;
import dev.colonnade.admin.v1.NodeServiceGrpc;
import dev.colonnade.admin.v1.SchemaServiceGrpc;
import dev.colonnade.search.v1.SearchServiceGrpc;
import dev.colonnade.server.service.accounts.Permission;
import dev.colonnade.v1.BatchMutateRequest;
import dev.colonnade.v1.ColumnStoreServiceGrpc;
import dev.colonnade.v1.RowMutation;
import io.grpc.MethodDescriptor;
import io.grpc.health.v1.HealthGrpc;
import io.grpc.reflection.v1.ServerReflectionGrpc;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.function.BiConsumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Which permissions each method needs: one row for each. A method without a row is refused to all,
 * and {@code RpcPermissionsTest} fails while a method of the contract has none.
 */
final class RpcPermissions {

  /** What a request needs; a rule states it. */
  interface Demands {

    /** The caller needs a permission; empty names stand for the whole cluster or keyspace. */
    void needs(Permission permission, String keyspace, String family);

    /** The caller needs any permission within a keyspace. */
    void sees(String keyspace);

    /** What the call is about, for the audit log, where no need says it. */
    void about(String subject);
  }

  /**
   * A row of the table.
   *
   * @param open whether the method is for everyone, without credentials
   * @param change whether it changes more than data, so that the audit log always has it
   * @param parts whether the requests of its stream are decided on one by one by its handler, since
   *     one that is refused must not end the others
   * @param demands states what a request needs beyond that its caller is known
   */
  record Rule(boolean open, boolean change, boolean parts, BiConsumer<Object, Demands> demands) {}

  private static final Map<String, Rule> RULES = new HashMap<>();

  static {
    data();
    bulkLoad();
    search();
    schema();
    cluster();
    node();
    accounts();
    // Probes have no credentials, and health says no more than whether the node serves.
    open(HealthGrpc.getCheckMethod());
    open(HealthGrpc.getWatchMethod());
    // Describes the contract, which strangers need not know that this is.
    everyone(ServerReflectionGrpc.getServerReflectionInfoMethod());
    // gRPC's own service hands out requests of the newer version here, too.
    everyone(io.grpc.reflection.v1alpha.ServerReflectionGrpc.getServerReflectionInfoMethod());
  }

  private RpcPermissions() {}

  private static void data() {
    row(
        ColumnStoreServiceGrpc.getGetMethod(),
        (q, d) -> d.needs(READ, q.getKeyspace(), q.getColumnPath().getColumnFamily()));
    row(
        ColumnStoreServiceGrpc.getGetSliceMethod(),
        (q, d) -> d.needs(READ, q.getKeyspace(), q.getColumnParent().getColumnFamily()));
    row(
        ColumnStoreServiceGrpc.getMultigetSliceMethod(),
        (q, d) -> d.needs(READ, q.getKeyspace(), q.getColumnParent().getColumnFamily()));
    row(
        ColumnStoreServiceGrpc.getGetCountMethod(),
        (q, d) -> d.needs(READ, q.getKeyspace(), q.getColumnParent().getColumnFamily()));
    row(
        ColumnStoreServiceGrpc.getMultigetCountMethod(),
        (q, d) -> d.needs(READ, q.getKeyspace(), q.getColumnParent().getColumnFamily()));
    row(
        ColumnStoreServiceGrpc.getGetRangeSlicesMethod(),
        (q, d) -> d.needs(READ, q.getKeyspace(), q.getColumnParent().getColumnFamily()));
    row(
        ColumnStoreServiceGrpc.getStreamSliceMethod(),
        (q, d) -> d.needs(READ, q.getKeyspace(), q.getColumnParent().getColumnFamily()));
    row(
        ColumnStoreServiceGrpc.getStreamRangeSlicesMethod(),
        (q, d) -> d.needs(READ, q.getKeyspace(), q.getColumnParent().getColumnFamily()));
    row(
        ColumnStoreServiceGrpc.getTouchMethod(),
        (q, d) -> d.needs(READ, q.getKeyspace(), q.getColumnFamily()));
    row(
        ColumnStoreServiceGrpc.getInsertMethod(),
        (q, d) -> d.needs(WRITE, q.getKeyspace(), q.getColumnParent().getColumnFamily()));
    row(
        ColumnStoreServiceGrpc.getRemoveMethod(),
        (q, d) -> d.needs(WRITE, q.getKeyspace(), q.getColumnPath().getColumnFamily()));
    row(ColumnStoreServiceGrpc.getBatchMutateMethod(), RpcPermissions::batch);
    parts(ColumnStoreServiceGrpc.getStreamMutateMethod(), (q, d) -> batch(q.getBatch(), d));
    // Each call on it has the row of its unary method.
    parts(ColumnStoreServiceGrpc.getSessionMethod(), (q, d) -> {});
  }

  /** Each family of a batch; the whole batch is refused if one of them is. */
  private static void batch(BatchMutateRequest batch, Demands demands) {
    if (batch.getRowsCount() == 0) {
      demands.sees(batch.getKeyspace());
    }
    String last = null;
    for (RowMutation row : batch.getRowsList()) {
      if (!row.getColumnFamily().equals(last)) {
        last = row.getColumnFamily();
        demands.needs(WRITE, batch.getKeyspace(), last);
      }
    }
  }

  /** An index is a column family: to search it is to read it. */
  private static void search() {
    change(
        SearchServiceGrpc.getCreateIndexMethod(),
        (q, d) -> d.needs(SCHEMA, q.getKeyspace(), q.getName()));
    row(
        SearchServiceGrpc.getIndexDocumentMethod(),
        (q, d) -> d.needs(WRITE, q.getKeyspace(), q.getIndex()));
    row(
        SearchServiceGrpc.getDeleteDocumentMethod(),
        (q, d) -> {
          d.needs(READ, q.getKeyspace(), q.getIndex());
          d.needs(WRITE, q.getKeyspace(), q.getIndex());
        });
    row(
        SearchServiceGrpc.getSearchTermsMethod(),
        (q, d) -> d.needs(READ, q.getKeyspace(), q.getIndex()));
    row(
        SearchServiceGrpc.getStreamSearchTermsMethod(),
        (q, d) -> d.needs(READ, q.getKeyspace(), q.getIndex()));
    row(
        SearchServiceGrpc.getSearchInteractionsMethod(),
        (q, d) -> d.needs(READ, q.getKeyspace(), q.getIndex()));
    row(
        SearchServiceGrpc.getStreamSearchInteractionsMethod(),
        (q, d) -> d.needs(READ, q.getKeyspace(), q.getIndex()));
  }

  /** Its first message says what is loaded; the service refuses rows that come before it. */
  private static void bulkLoad() {
    row(
        BulkLoadServiceGrpc.getDescribeLoadMethod(),
        (q, d) -> d.needs(WRITE, q.getKeyspace(), q.getColumnFamily()));
    row(
        BulkLoadServiceGrpc.getLoadRowsMethod(),
        (q, d) -> {
          if (q.hasHeader()) {
            d.needs(WRITE, q.getHeader().getKeyspace(), q.getHeader().getColumnFamily());
          }
        });
    row(
        BulkLoadServiceGrpc.getScheduleRepairMethod(),
        (q, d) -> d.needs(WRITE, q.getKeyspace(), q.getColumnFamily()));
  }

  private static void schema() {
    // Lists only the keyspaces that the caller sees.
    row(SchemaServiceGrpc.getListKeyspacesMethod(), (q, d) -> {});
    row(SchemaServiceGrpc.getGetKeyspaceMethod(), (q, d) -> d.sees(q.getName()));
    row(SchemaServiceGrpc.getDescribeSchemaVersionsMethod(), (q, d) -> {});
    change(
        SchemaServiceGrpc.getCreateKeyspaceMethod(),
        (q, d) -> d.needs(SCHEMA, q.getKeyspace().getName(), ""));
    change(
        SchemaServiceGrpc.getUpdateKeyspaceMethod(),
        (q, d) -> d.needs(SCHEMA, q.getKeyspace().getName(), ""));
    change(SchemaServiceGrpc.getDropKeyspaceMethod(), (q, d) -> d.needs(SCHEMA, q.getName(), ""));
    change(
        SchemaServiceGrpc.getCreateColumnFamilyMethod(),
        (q, d) ->
            d.needs(SCHEMA, q.getColumnFamily().getKeyspace(), q.getColumnFamily().getName()));
    change(
        SchemaServiceGrpc.getUpdateColumnFamilyMethod(),
        (q, d) ->
            d.needs(SCHEMA, q.getColumnFamily().getKeyspace(), q.getColumnFamily().getName()));
    change(
        SchemaServiceGrpc.getDropColumnFamilyMethod(),
        (q, d) -> d.needs(SCHEMA, q.getKeyspace(), q.getName()));
    change(
        SchemaServiceGrpc.getTruncateColumnFamilyMethod(),
        (q, d) -> d.needs(TRUNCATE, q.getKeyspace(), q.getName()));
  }

  /** What clients must know to find the nodes that hold a row. */
  private static void cluster() {
    row(ClusterServiceGrpc.getDescribeClusterMethod(), (q, d) -> {});
    row(ClusterServiceGrpc.getDescribeRingMethod(), (q, d) -> sees(q.getKeyspace(), d));
    row(ClusterServiceGrpc.getGetEndpointsMethod(), (q, d) -> sees(q.getKeyspace(), d));
    row(
        ClusterServiceGrpc.getDescribeSplitsMethod(),
        (q, d) -> d.needs(READ, q.getKeyspace(), q.getColumnFamily()));
    row(ClusterServiceGrpc.getWatchRingMethod(), (q, d) -> {});
  }

  private static void sees(String keyspace, Demands demands) {
    if (!keyspace.isEmpty()) {
      demands.sees(keyspace);
    }
  }

  private static void node() {
    monitor(NodeServiceGrpc.getGetInfoMethod());
    monitor(NodeServiceGrpc.getGetStatsMethod());
    monitor(NodeServiceGrpc.getListHintsMethod());
    monitor(NodeServiceGrpc.getGetGossipStateMethod());
    monitor(NodeServiceGrpc.getListSnapshotsMethod());
    monitor(NodeServiceGrpc.getListLogLevelsMethod());
    monitor(NodeServiceGrpc.getListSettingsMethod());
    admin(NodeServiceGrpc.getFlushMethod());
    admin(NodeServiceGrpc.getCompactMethod());
    admin(NodeServiceGrpc.getScrubMethod());
    admin(NodeServiceGrpc.getAcceptLossMethod());
    admin(NodeServiceGrpc.getApplySetAsideMethod());
    admin(NodeServiceGrpc.getDrainMethod());
    admin(NodeServiceGrpc.getRepairMethod());
    admin(NodeServiceGrpc.getDecommissionMethod());
    admin(NodeServiceGrpc.getMoveMethod());
    admin(NodeServiceGrpc.getLoadBalanceMethod());
    admin(NodeServiceGrpc.getCleanupMethod());
    admin(NodeServiceGrpc.getRemoveTokenMethod());
    admin(NodeServiceGrpc.getCreateSnapshotMethod());
    admin(NodeServiceGrpc.getClearSnapshotMethod());
    admin(NodeServiceGrpc.getSetLogLevelMethod());
    change(
        NodeServiceGrpc.getChangeSettingMethod(),
        (q, d) -> {
          d.about(q.getName());
          d.needs(ADMIN, "", "");
        });
  }

  private static void accounts() {
    open(AccountServiceGrpc.getLoginMethod());
    row(AccountServiceGrpc.getGetCallerMethod(), (q, d) -> {});
    change(AccountServiceGrpc.getChangePasswordMethod(), (q, d) -> {});
    authorize(AccountServiceGrpc.getCreateUserMethod(), CreateUserRequest::getName);
    authorize(AccountServiceGrpc.getCreateRoleMethod(), CreateRoleRequest::getName);
    authorize(AccountServiceGrpc.getAlterUserMethod(), AlterUserRequest::getName);
    authorize(AccountServiceGrpc.getDropAccountMethod(), DropAccountRequest::getName);
    authorize(
        AccountServiceGrpc.getGrantMethod(),
        q -> change(q.getAccount(), "gets", q.getRole(), q.getGrant()));
    authorize(
        AccountServiceGrpc.getRevokeMethod(),
        q -> change(q.getAccount(), "loses", q.getRole(), q.getGrant()));
    authorize(AccountServiceGrpc.getRestoreAccountsMethod(), q -> "");
    row(AccountServiceGrpc.getListAccountsMethod(), (q, d) -> d.needs(AUTHORIZE, "", ""));
  }

  /** What an account gets or loses, for the audit log: a role, or a permission on something. */
  private static String change(String account, String verb, String role, Grant grant) {
    String permission = grant.getPermission().name().replace("PERMISSION_", "");
    return EchoedText.shortened(account)
        + (role.isEmpty()
            ? " "
                + verb
                + " "
                + permission
                + " on "
                + AccessChecks.place(grant.getKeyspace(), grant.getColumnFamily())
            : " " + verb + " the role " + EchoedText.quoted(role));
  }

  private static <Q> void authorize(MethodDescriptor<Q, ?> method, Function<Q, String> account) {
    change(
        method,
        (q, d) -> {
          d.about(account.apply(q));
          d.needs(AUTHORIZE, "", "");
        });
  }

  private static <Q> void monitor(MethodDescriptor<Q, ?> method) {
    row(method, (q, d) -> d.needs(MONITOR, "", ""));
  }

  private static <Q> void admin(MethodDescriptor<Q, ?> method) {
    change(method, (q, d) -> d.needs(ADMIN, "", ""));
  }

  private static void open(MethodDescriptor<?, ?> method) {
    put(method, new Rule(true, false, false, (q, d) -> {}));
  }

  /** For all who have an account, whatever they ask. */
  private static void everyone(MethodDescriptor<?, ?> method) {
    put(method, new Rule(false, false, false, (request, demands) -> {}));
  }

  private static <Q> void row(MethodDescriptor<Q, ?> method, BiConsumer<Q, Demands> demands) {
    put(method, new Rule(false, false, false, untyped(demands)));
  }

  private static <Q> void change(MethodDescriptor<Q, ?> method, BiConsumer<Q, Demands> demands) {
    put(method, new Rule(false, true, false, untyped(demands)));
  }

  private static <Q> void parts(MethodDescriptor<Q, ?> method, BiConsumer<Q, Demands> demands) {
    put(method, new Rule(false, false, true, untyped(demands)));
  }

  @SuppressWarnings("unchecked") // A method's requests are of its type.
  private static <Q> BiConsumer<Object, Demands> untyped(BiConsumer<Q, Demands> demands) {
    return (request, each) -> demands.accept((Q) request, each);
  }

  private static void put(MethodDescriptor<?, ?> method, Rule rule) {
    if (RULES.put(method.getFullMethodName(), rule) != null) {
      throw new IllegalStateException(method.getFullMethodName() + " has two rows");
    }
  }

  /** The row of a method; null if it has none, and is refused. */
  static @Nullable Rule of(String fullMethodName) {
    return RULES.get(fullMethodName);
  }

  /** The methods that have a row. */
  static Collection<String> methods() {
    return RULES.keySet();
  }
}
