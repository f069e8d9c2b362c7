package dev.colonnade.server.service.rpc;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.Message;
import dev.colonnade.admin.v1.AccountServiceGrpc;
import dev.colonnade.admin.v1.BulkLoadServiceGrpc;
import dev.colonnade.admin.v1.ClusterServiceGrpc;
import dev.colonnade.admin.v1.LoadRowsRequest;
import dev.colonnade.admin.v1.LoadRowsResponse;
import dev.colonnade.admin.v1.NodeServiceGrpc;
import dev.colonnade.admin.v1.SchemaServiceGrpc;
import dev.colonnade.search.v1.SearchServiceGrpc;
import dev.colonnade.server.service.accounts.Grant;
import dev.colonnade.server.service.accounts.Permission;
import dev.colonnade.server.service.accounts.Resource;
import dev.colonnade.server.sim.SimClock;
import dev.colonnade.v1.BatchMutateRequest;
import dev.colonnade.v1.ColumnOrSuperColumn;
import dev.colonnade.v1.ColumnPath;
import dev.colonnade.v1.ColumnStoreServiceGrpc;
import dev.colonnade.v1.GetRequest;
import dev.colonnade.v1.GetSliceRequest;
import dev.colonnade.v1.InsertRequest;
import dev.colonnade.v1.Mutation;
import dev.colonnade.v1.RowMutation;
import dev.colonnade.v1.SessionCall;
import io.grpc.BindableService;
import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.ClientCall;
import io.grpc.ClientInterceptors;
import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.MethodDescriptor.PrototypeMarshaller;
import io.grpc.Server;
import io.grpc.ServerMethodDefinition;
import io.grpc.Status;
import io.grpc.inprocess.InProcessChannelBuilder;
import io.grpc.inprocess.InProcessServerBuilder;
import io.grpc.stub.MetadataUtils;
import io.grpc.stub.StreamObserver;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/**
 * An adversary with one valid credential: what an account reaches that has a single right, over
 * every method of the contract. The table below is the claim; it does not come from the code.
 */
final class OneRightTest {

  private static final String K = Service.KS;
  private static final String F = "Standard1";

  /** What a method needs: a permission on the family, the keyspace or the cluster, or less. */
  private static final String TABLE =
      """
      READ family: ColumnStoreService/Get GetSlice MultigetSlice GetCount MultigetCount
      READ family: ColumnStoreService/GetRangeSlices StreamSlice StreamRangeSlices Touch
      WRITE family: ColumnStoreService/Insert Remove BatchMutate
      none parts: ColumnStoreService/StreamMutate Session
      WRITE family: BulkLoadService/DescribeLoad LoadRows ScheduleRepair
      SCHEMA family: SearchService/CreateIndex
      WRITE family: SearchService/IndexDocument
      READ+WRITE family: SearchService/DeleteDocument
      READ family: SearchService/SearchTerms StreamSearchTerms
      READ family: SearchService/SearchInteractions StreamSearchInteractions
      none account: SchemaService/ListKeyspaces DescribeSchemaVersions
      any keyspace: SchemaService/GetKeyspace
      SCHEMA keyspace: SchemaService/CreateKeyspace UpdateKeyspace DropKeyspace
      SCHEMA family: SchemaService/CreateColumnFamily UpdateColumnFamily DropColumnFamily
      TRUNCATE family: SchemaService/TruncateColumnFamily
      none account: ClusterService/DescribeCluster WatchRing
      any keyspace: ClusterService/DescribeRing GetEndpoints
      READ family: ClusterService/DescribeSplits
      MONITOR cluster: NodeService/GetInfo GetStats ListHints GetGossipState ListSnapshots
      MONITOR cluster: NodeService/ListLogLevels ListSettings
      ADMIN cluster: NodeService/Flush Compact Scrub AcceptLoss ApplySetAside Drain Repair
      ADMIN cluster: NodeService/Decommission Move LoadBalance Cleanup RemoveToken
      ADMIN cluster: NodeService/CreateSnapshot ClearSnapshot SetLogLevel ChangeSetting
      none open: AccountService/Login
      none account: AccountService/GetCaller ChangePassword
      AUTHORIZE cluster: AccountService/CreateUser CreateRole AlterUser DropAccount Grant Revoke
      AUTHORIZE cluster: AccountService/ListAccounts RestoreAccounts
      """;

  private static final List<Resource> SCOPES =
      List.of(
          new Resource(K, F),
          new Resource(K, ""),
          new Resource(K, "Another"),
          new Resource("Elsewhere", ""),
          new Resource("Elsewhere", F),
          new Resource("system", ""),
          Resource.CLUSTER);

  /** A row of the table. */
  private record Need(Set<String> permissions, String where) {

    boolean isMetBy(Grant grant) {
      Resource on = grant.resource();
      return switch (where) {
        case "open", "account", "parts" -> true;
        case "keyspace", "family" -> {
          boolean within = on.isCluster() || on.keyspace().equals(K);
          if (permissions.equals(Set.of("any"))) {
            yield within;
          }
          boolean covers =
              on.isCluster()
                  || (on.keyspace().equals(K)
                      && (on.family().isEmpty()
                          || (where.equals("family") && on.family().equals(F))));
          yield covers && permissions.equals(Set.of(grant.permission().name()));
        }
        default -> on.isCluster() && permissions.equals(Set.of(grant.permission().name()));
      };
    }
  }

  private static Map<String, Need> needs() {
    Map<String, Need> needs = new TreeMap<>();
    for (String line : TABLE.lines().toList()) {
      String[] sides = line.split(": ", 2);
      String[] need = sides[0].split(" ", 2);
      String service = sides[1].substring(0, sides[1].indexOf('/'));
      for (String method : sides[1].substring(service.length() + 1).split(" ", -1)) {
        needs.put(
            service + "/" + method, new Need(new TreeSet<>(Set.of(need[0].split("\\+"))), need[1]));
      }
    }
    return needs;
  }

  private static String shortName(MethodDescriptor<?, ?> method) {
    String full = method.getFullMethodName();
    return full.substring(full.lastIndexOf('.') + 1);
  }

  /** Everything allowed ends here. */
  private static List<BindableService> services() {
    return List.of(
        new ColumnStoreServiceGrpc.ColumnStoreServiceImplBase() {},
        new BulkLoadServiceGrpc.BulkLoadServiceImplBase() {
          // Ends with the client's requests, which are checked before.
          @Override
          public StreamObserver<LoadRowsRequest> loadRows(
              StreamObserver<LoadRowsResponse> observer) {
            return new StreamObserver<>() {
              @Override
              public void onNext(LoadRowsRequest request) {}

              @Override
              public void onError(Throwable failure) {}

              @Override
              public void onCompleted() {
                observer.onError(Status.UNIMPLEMENTED.asRuntimeException());
              }
            };
          }
        },
        new SearchServiceGrpc.SearchServiceImplBase() {},
        new SchemaServiceGrpc.SchemaServiceImplBase() {},
        new ClusterServiceGrpc.ClusterServiceImplBase() {},
        new NodeServiceGrpc.NodeServiceImplBase() {},
        new AccountServiceGrpc.AccountServiceImplBase() {});
  }

  private static Metadata header(String name) {
    Metadata header = new Metadata();
    header.put(
        CallIdentity.AUTHORIZATION,
        "Basic "
            + Base64.getEncoder()
                .encodeToString(
                    (name + ":" + name + " password").getBytes(StandardCharsets.UTF_8)));
    return header;
  }

  private static void user(ClientAccess access, String name) {
    access
        .authenticator()
        .hash(name + " password")
        .thenCompose(hash -> access.accounts().createUser(name, hash, false))
        .join();
  }

  private static List<Grant> grants() {
    List<Grant> grants = new ArrayList<>();
    for (Permission permission : Permission.values()) {
      for (Resource scope : SCOPES) {
        if (!permission.isClusterOnly() || scope.isCluster()) {
          grants.add(new Grant(permission, scope));
        }
      }
    }
    return grants;
  }

  @Test
  void aSingleRightReachesWhatTheTableSaysAndNothingElse() throws Exception {
    SimClock clock = new SimClock();
    ClientAccess access = TestAccess.required(clock, new DirectScheduler());
    user(access, "nobody");
    AccessGate gate = new AccessGate(access, new StatusErrors("node"));
    InProcessServerBuilder builder = InProcessServerBuilder.forName("one-right").directExecutor();
    gate.addTo(builder);
    List<MethodDescriptor<?, ?>> methods = new ArrayList<>();
    for (BindableService service : services()) {
      builder.addService(gate.guard(service));
      for (ServerMethodDefinition<?, ?> method : service.bindService().getMethods()) {
        methods.add(method.getMethodDescriptor());
      }
    }
    Map<String, Need> needs = needs();
    Server server = builder.build().start();
    ManagedChannel channel = InProcessChannelBuilder.forName("one-right").directExecutor().build();
    try {
      for (MethodDescriptor<?, ?> method : methods) {
        Need need =
            Objects.requireNonNull(
                needs.remove(shortName(method)), () -> "no row for " + shortName(method));
        assertEquals(
            need.where().equals("open") ? Status.Code.UNIMPLEMENTED : Status.Code.UNAUTHENTICATED,
            call(channel, method),
            shortName(method) + " by a stranger");
        assertEquals(
            need.permissions().equals(Set.of("none")),
            call(as(channel, "nobody"), method) == Status.Code.UNIMPLEMENTED,
            shortName(method) + " by a user without rights");
        for (Grant grant : grants()) {
          var given = access.accounts().setGrant("nobody", grant, true).join();
          assertEquals(
              need.isMetBy(grant) ? Status.Code.UNIMPLEMENTED : Status.Code.PERMISSION_DENIED,
              call(as(channel, "nobody"), method),
              shortName(method) + " with " + grant + " " + given);
          var taken = access.accounts().setGrant("nobody", grant, false).join();
          assertEquals(List.of(), taken);
        }
        assertEquals(
            need.permissions().equals(Set.of("none")),
            call(as(channel, "nobody"), method) == Status.Code.UNIMPLEMENTED,
            shortName(method) + " after the last right was revoked");
      }
      assertEquals(Set.of(), needs.keySet(), "rows of methods that are gone");
    } finally {
      channel.shutdownNow();
      server.shutdownNow();
    }
  }

  private static Channel as(Channel channel, String name) {
    return ClientInterceptors.intercept(
        channel, MetadataUtils.newAttachHeadersInterceptor(header(name)));
  }

  /** How a call of any kind with one request ends. */
  @SuppressWarnings("unchecked") // A method's marshaller has the message of its requests.
  private static <Q, R> Status.Code call(Channel channel, MethodDescriptor<Q, R> method) {
    Message prototype =
        (Message) ((PrototypeMarshaller<Q>) method.getRequestMarshaller()).getMessagePrototype();
    CompletableFuture<Status.Code> ended = new CompletableFuture<>();
    ClientCall<Q, R> call = channel.newCall(method, CallOptions.DEFAULT);
    call.start(
        new ClientCall.Listener<>() {
          @Override
          public void onClose(Status status, Metadata trailers) {
            ended.complete(status.getCode());
          }
        },
        new Metadata());
    call.request(1);
    call.sendMessage((Q) filled(prototype));
    call.halfClose();
    return ended.join();
  }

  /** A request about the family {@link #F}, wherever its message has the names for that. */
  private static Message filled(Message prototype) {
    Message.Builder builder = prototype.newBuilderForType();
    boolean ofKeyspace = prototype.getDescriptorForType().findFieldByName("keyspace") != null;
    for (FieldDescriptor field : prototype.getDescriptorForType().getFields()) {
      boolean text = field.getJavaType() == FieldDescriptor.JavaType.STRING && !field.isRepeated();
      switch (field.getName()) {
        case "keyspace", "column_family", "column_parent", "column_path", "header", "batch" -> {
          if (text) {
            builder.setField(field, field.getName().equals("keyspace") ? K : F);
          } else if (!field.isRepeated()) {
            builder.setField(field, filled(builder.newBuilderForField(field).build()));
          }
        }
        case "index" -> builder.setField(field, F);
        case "name" -> {
          if (text) {
            builder.setField(field, ofKeyspace ? F : K);
          }
        }
        case "rows" -> {
          if (field.isRepeated()) {
            builder.addRepeatedField(field, filled(builder.newBuilderForField(field).build()));
          }
        }
        default -> {}
      }
    }
    return builder.build();
  }

  /** Calls in a session are decided one by one, and one that is refused does not end it. */
  @Test
  void inASessionASingleRightReachesTheSame() {
    try (Service service = Service.withAuthentication()) {
      user(service.access, "nobody");
      SessionFixture.Client session = new SessionFixture.Client(true);
      ColumnStoreServiceGrpc.newStub(as(service.channel, "nobody")).session(session);
      long id = 0;
      for (Grant grant : grants()) {
        if (grant.permission().isClusterOnly() && grant.permission() != Permission.MONITOR) {
          // The cluster's own permissions are all alike to calls on data.
          continue;
        }
        var given = service.access.accounts().setGrant("nobody", grant, true).join();
        for (SessionCall call : dataCalls(id)) {
          session.send(call);
          id = call.getId();
          String needs = call.hasInsert() || call.hasBatchMutate() ? "WRITE" : "READ";
          boolean allowed = new Need(Set.of(needs), "family").isMetBy(grant);
          assertEquals(
              allowed,
              !ErrorReasons.PERMISSION_DENIED.equals(reason(session, id)),
              call.getRequestCase() + " with " + grant + " " + given);
        }
        var taken = service.access.accounts().setGrant("nobody", grant, false).join();
        assertEquals(List.of(), taken);
      }
      for (SessionCall call : dataCalls(id)) {
        session.send(call);
        assertEquals(
            ErrorReasons.PERMISSION_DENIED,
            reason(session, call.getId()),
            call.getRequestCase() + " after all rights were revoked");
      }
      session.call().onCompleted();
      assertTrue(session.completed);
    }
  }

  private static String reason(SessionFixture.Client session, long id) {
    var answer = session.answer(id);
    return answer.hasError() ? Service.reason(SessionFixture.error(answer)) : "";
  }

  private static List<SessionCall> dataCalls(long last) {
    SessionCall.Builder call = SessionCall.newBuilder();
    return List.of(
        call.setId(last + 1)
            .setGet(
                GetRequest.newBuilder()
                    .setKeyspace(K)
                    .setKey(Service.bytes("k"))
                    .setColumnPath(
                        ColumnPath.newBuilder().setColumnFamily(F).setColumn(Service.bytes("c"))))
            .build(),
        call.setId(last + 2)
            .setGetSlice(
                GetSliceRequest.newBuilder()
                    .setKeyspace(K)
                    .setKey(Service.bytes("k"))
                    .setColumnParent(Service.parent(F))
                    .setPredicate(Service.all()))
            .build(),
        call.setId(last + 3)
            .setInsert(
                InsertRequest.newBuilder()
                    .setKeyspace(K)
                    .setKey(Service.bytes("k"))
                    .setColumnParent(Service.parent(F))
                    .setColumn(Service.column("c", "v", 1)))
            .build(),
        call.setId(last + 4)
            .setBatchMutate(
                BatchMutateRequest.newBuilder()
                    .setKeyspace(K)
                    .addRows(
                        RowMutation.newBuilder()
                            .setKey(Service.bytes("k"))
                            .setColumnFamily(F)
                            .addMutations(
                                Mutation.newBuilder()
                                    .setColumnOrSuperColumn(
                                        ColumnOrSuperColumn.newBuilder()
                                            .setColumn(Service.column("c", "v", 1))))))
            .build());
  }
}
