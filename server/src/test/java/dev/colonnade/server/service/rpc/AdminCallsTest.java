package dev.colonnade.server.service.rpc;

import static dev.colonnade.server.service.rpc.Service.KS;
import static dev.colonnade.server.service.rpc.Service.bytes;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.ByteString;
import com.google.protobuf.Duration;
import com.google.protobuf.FieldMask;
import dev.colonnade.admin.v1.AcceptLossRequest;
import dev.colonnade.admin.v1.ApplySetAsideRequest;
import dev.colonnade.admin.v1.ClusterServiceGrpc;
import dev.colonnade.admin.v1.ColumnFamilyDef;
import dev.colonnade.admin.v1.ColumnFamilyStats;
import dev.colonnade.admin.v1.ColumnType;
import dev.colonnade.admin.v1.ColumnValueType;
import dev.colonnade.admin.v1.CompactRequest;
import dev.colonnade.admin.v1.CompactResponse;
import dev.colonnade.admin.v1.CreateColumnFamilyRequest;
import dev.colonnade.admin.v1.CreateKeyspaceRequest;
import dev.colonnade.admin.v1.DescribeRingRequest;
import dev.colonnade.admin.v1.DescribeRingResponse;
import dev.colonnade.admin.v1.DescribeSchemaVersionsRequest;
import dev.colonnade.admin.v1.DropColumnFamilyRequest;
import dev.colonnade.admin.v1.DropKeyspaceRequest;
import dev.colonnade.admin.v1.FlushRequest;
import dev.colonnade.admin.v1.GetEndpointsRequest;
import dev.colonnade.admin.v1.GetInfoRequest;
import dev.colonnade.admin.v1.GetKeyspaceRequest;
import dev.colonnade.admin.v1.GetStatsRequest;
import dev.colonnade.admin.v1.GetStatsResponse;
import dev.colonnade.admin.v1.KeyspaceDef;
import dev.colonnade.admin.v1.ListKeyspacesRequest;
import dev.colonnade.admin.v1.NodeServiceGrpc;
import dev.colonnade.admin.v1.QuarantineContents;
import dev.colonnade.admin.v1.QuarantinedFile;
import dev.colonnade.admin.v1.ScrubRequest;
import dev.colonnade.admin.v1.TruncateColumnFamilyRequest;
import dev.colonnade.admin.v1.UpdateColumnFamilyRequest;
import dev.colonnade.server.storage.engine.FamilyFigure;
import dev.colonnade.v1.GetCountRequest;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.health.v1.HealthCheckRequest;
import io.grpc.health.v1.HealthCheckResponse.ServingStatus;
import io.grpc.health.v1.HealthGrpc;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;

/** Schema, cluster and node calls. */
final class AdminCallsTest {

  private final List<String> metered = new ArrayList<>();
  private final Service service =
      Service.start((method, code, keyspace, family, nanos) -> metered.add(method + " " + code));

  @AfterEach
  void stop() {
    service.close();
  }

  private static ColumnFamilyDef.Builder family(String name) {
    return ColumnFamilyDef.newBuilder().setKeyspace(KS).setName(name);
  }

  private ColumnFamilyDef find(String name) {
    return service
        .schema()
        .getKeyspace(GetKeyspaceRequest.newBuilder().setName(KS).build())
        .getKeyspace()
        .getColumnFamiliesList()
        .stream()
        .filter(family -> family.getName().equals(name))
        .findFirst()
        .orElseThrow();
  }

  private static void assertFails(Status.Code code, String reason, String field, Executable call) {
    StatusRuntimeException error = assertThrows(StatusRuntimeException.class, call);
    assertEquals(code, error.getStatus().getCode());
    assertEquals(reason, Service.reason(error));
    assertEquals(field, Service.field(error));
  }

  @Test
  void aCallThatCannotBeCountedIsAnswered() {
    try (Service broken =
        Service.start(
            (method, code, keyspace, family, nanos) -> {
              throw new IllegalStateException("no room for another series");
            })) {
      ListKeyspacesRequest list = ListKeyspacesRequest.getDefaultInstance();
      assertFalse(broken.schema().listKeyspaces(list).getKeyspacesList().isEmpty());
      assertFalse(broken.schema().listKeyspaces(list).getKeyspacesList().isEmpty());
      DropKeyspaceRequest drop = DropKeyspaceRequest.newBuilder().setName("Absent").build();
      assertFails(
          Status.Code.NOT_FOUND,
          "KEYSPACE_NOT_FOUND",
          "name",
          () -> broken.schema().dropKeyspace(drop));
    }
  }

  @Test
  void aSchemaChangeIsAnsweredBeforeItsCallerGivesUp() {
    DropKeyspaceRequest drop = DropKeyspaceRequest.newBuilder().setName(KS).build();
    var dropped = service.schema().withDeadlineAfter(3, TimeUnit.SECONDS).dropKeyspace(drop);
    long deadlineNanos = service.rows.lastDeadlineNanos - service.clock.monotonicNanos();
    assertTrue(deadlineNanos <= 2_750_000_000L, "" + deadlineNanos);
    assertFalse(dropped.getSchemaVersion().isEmpty());
    CreateKeyspaceRequest create =
        CreateKeyspaceRequest.newBuilder()
            .setKeyspace(KeyspaceDef.newBuilder().setName(KS))
            .build();
    assertFalse(dropped.getSchemaVersion().isEmpty());
    var created = service.schema().createKeyspace(create);
    assertEquals(Long.MAX_VALUE, service.rows.lastDeadlineNanos);
    assertFalse(created.getSchemaVersion().isEmpty());
  }

  @Test
  void familiesAreMadeChangedAndDropped() {
    var created =
        service
            .schema()
            .createColumnFamily(
                CreateColumnFamilyRequest.newBuilder()
                    .setColumnFamily(
                        family("F")
                            .setColumnType(ColumnType.COLUMN_TYPE_SUPER)
                            .setCompareSubcolumnsWith("org.apache.cassandra.db.marshal.LongType")
                            .setGcGrace(Duration.newBuilder().setSeconds(60)))
                    .build());
    assertEquals(service.rows.current().version(), created.getSchemaVersion());
    assertEquals("BytesType", find("F").getCompareWith());
    assertEquals("LongType", find("F").getCompareSubcolumnsWith());
    assertEquals(60, find("F").getGcGrace().getSeconds());
    var changed =
        service
            .schema()
            .updateColumnFamily(
                UpdateColumnFamilyRequest.newBuilder()
                    .setColumnFamily(family("F").setComment("hello").setKeysCached("10"))
                    .setUpdateMask(FieldMask.newBuilder().addPaths("comment").addPaths("gc_grace"))
                    .build());
    assertTrue(!changed.getSchemaVersion().equals(created.getSchemaVersion()));
    assertEquals("hello", find("F").getComment());
    assertEquals("200000", find("F").getKeysCached());
    assertEquals(864_000, find("F").getGcGrace().getSeconds());
    assertFails(
        Status.Code.FAILED_PRECONDITION,
        "COMPARATOR_CANNOT_CHANGE",
        "column_family.compare_with",
        () ->
            service
                .schema()
                .updateColumnFamily(
                    UpdateColumnFamilyRequest.newBuilder()
                        .setColumnFamily(family("F").setCompareWith("LongType"))
                        .build()));
    assertFails(
        Status.Code.INVALID_ARGUMENT,
        "INVALID_REQUEST",
        "update_mask",
        () ->
            service
                .schema()
                .updateColumnFamily(
                    UpdateColumnFamilyRequest.newBuilder()
                        .setColumnFamily(family("F"))
                        .setUpdateMask(FieldMask.newBuilder().addPaths("name"))
                        .build()));
    var dropped =
        service
            .schema()
            .dropColumnFamily(
                DropColumnFamilyRequest.newBuilder().setKeyspace(KS).setName("F").build());
    assertTrue(!dropped.getSchemaVersion().isEmpty());
    assertFails(
        Status.Code.NOT_FOUND,
        "COLUMN_FAMILY_NOT_FOUND",
        "name",
        () ->
            service
                .schema()
                .truncateColumnFamily(
                    TruncateColumnFamilyRequest.newBuilder().setKeyspace(KS).setName("F").build()));
  }

  @Test
  void typesForPeopleAreKeptAndTakenBackAndNeverCheckData() {
    ColumnValueType visits = columnType("visits", "LongType");
    ColumnValueType age = columnType("age", "com.acme.Years");
    create(
        family("F")
            .setKeyType("UTF8Type")
            .setValueType("LongType")
            .addColumnValueTypes(visits)
            .addColumnValueTypes(age));
    assertEquals("UTF8Type", find("F").getKeyType());
    assertEquals("LongType", find("F").getValueType());
    assertEquals(List.of(age, visits), find("F").getColumnValueTypesList());

    update(family("F").setComment("other"), "comment");
    assertEquals(List.of(age, visits), find("F").getColumnValueTypesList());
    update(family("F").addColumnValueTypes(visits), "column_value_types", "key_type");
    assertEquals(List.of(visits), find("F").getColumnValueTypesList());
    assertEquals("", find("F").getKeyType());
    update(family("F"), "column_value_types");
    assertEquals(List.of(), find("F").getColumnValueTypesList());
    assertEquals("LongType", find("F").getValueType());
  }

  @Test
  void typesForPeopleThatAreNoNamesAreRefused() {
    assertRefused("column_family.key_type", family("G").setKeyType("Long Type"));
    assertRefused("column_family.value_type", family("G").setValueType("x".repeat(201)));
    assertRefused(
        "column_family.column_value_types",
        family("G").addColumnValueTypes(columnType("", "LongType")));
    assertRefused(
        "column_family.column_value_types", family("G").addColumnValueTypes(columnType("age", "")));
    assertRefused(
        "column_family.column_value_types",
        family("G").addColumnValueTypes(columnType("age", "a=b,c")));
    assertRefused(
        "column_family.column_value_types",
        family("G").addColumnValueTypes(columnType("age", "LongType,ff=UTF8Type")));
    assertRefused(
        "column_family.column_value_types[1].name",
        family("G")
            .addColumnValueTypes(columnType("age", "LongType"))
            .addColumnValueTypes(columnType("age", "UTF8Type")));
    ColumnFamilyDef.Builder many = family("G");
    for (int i = 0; i <= 1_000; i++) {
      many.addColumnValueTypes(columnType("c" + i, "T"));
    }
    assertRefused("column_family.column_value_types", many);
    assertRefused(
        "column_family.column_value_types",
        family("G").addColumnValueTypes(columnType("n".repeat(40_000), "T")));
  }

  private static ColumnValueType columnType(String name, String type) {
    return ColumnValueType.newBuilder()
        .setName(ByteString.copyFromUtf8(name))
        .setType(type)
        .build();
  }

  private void assertRefused(String field, ColumnFamilyDef.Builder family) {
    assertFails(Status.Code.INVALID_ARGUMENT, "INVALID_REQUEST", field, () -> create(family));
  }

  private void create(ColumnFamilyDef.Builder family) {
    var unused =
        service
            .schema()
            .createColumnFamily(
                CreateColumnFamilyRequest.newBuilder().setColumnFamily(family).build());
  }

  private void update(ColumnFamilyDef.Builder family, String... mask) {
    var unused =
        service
            .schema()
            .updateColumnFamily(
                UpdateColumnFamilyRequest.newBuilder()
                    .setColumnFamily(family)
                    .setUpdateMask(FieldMask.newBuilder().addAllPaths(List.of(mask)))
                    .build());
  }

  @Test
  void namesThatExistAndKeyspacesOfTheNodeAreRefused() {
    assertFails(
        Status.Code.ALREADY_EXISTS,
        "KEYSPACE_EXISTS",
        "keyspace.name",
        () ->
            service
                .schema()
                .createKeyspace(
                    CreateKeyspaceRequest.newBuilder()
                        .setKeyspace(KeyspaceDef.newBuilder().setName(KS))
                        .build()));
    assertFails(
        Status.Code.INVALID_ARGUMENT,
        "SYSTEM_KEYSPACE_READ_ONLY",
        "keyspace",
        () ->
            service
                .schema()
                .truncateColumnFamily(
                    TruncateColumnFamilyRequest.newBuilder()
                        .setKeyspace("system")
                        .setName("Schema")
                        .build()));
  }

  @Test
  void truncateForgetsRows() {
    service.insert("k", "Standard1", "c", "v", 1);
    var unused =
        service
            .schema()
            .truncateColumnFamily(
                TruncateColumnFamilyRequest.newBuilder()
                    .setKeyspace(KS)
                    .setName("Standard1")
                    .build());
    assertEquals(
        0,
        service
            .stub()
            .getCount(
                GetCountRequest.newBuilder()
                    .setKeyspace(KS)
                    .setKey(bytes("k"))
                    .setColumnParent(Service.parent("Standard1"))
                    .setPredicate(Service.all())
                    .build())
            .getCount());
    assertTrue(metered.contains("colonnade.v1.ColumnStoreService/Insert OK"), metered.toString());
  }

  @Test
  void aRingOfOneIsOneRangeFromItsTokenToTheSame() {
    ClusterServiceGrpc.ClusterServiceBlockingStub cluster =
        ClusterServiceGrpc.newBlockingStub(service.channel);
    DescribeRingResponse ring =
        cluster.describeRing(DescribeRingRequest.newBuilder().setKeyspace(KS).build());
    assertEquals(1, ring.getRangesCount());
    assertEquals(ring.getRanges(0).getStartToken(), ring.getRanges(0).getEndToken());
    assertEquals("n1", ring.getRanges(0).getEndpoints(0).getNodeId());
    assertEquals(1.0, ring.getNodes(0).getOwns());
    assertEquals(
        "n1",
        cluster
            .getEndpoints(
                GetEndpointsRequest.newBuilder().setKeyspace(KS).setKey(bytes("k")).build())
            .getEndpoints(0)
            .getNodeId());
    assertFails(
        Status.Code.INVALID_ARGUMENT,
        "INVALID_REQUEST",
        "keyspace",
        () -> cluster.describeRing(DescribeRingRequest.newBuilder().setKeyspace("system").build()));
    assertTrue(
        service
            .schema()
            .describeSchemaVersions(DescribeSchemaVersionsRequest.getDefaultInstance())
            .getAgreed());
  }

  @Test
  void theNodeShowsItsFiguresAndDoesWhatItIsAsked() {
    NodeServiceGrpc.NodeServiceBlockingStub node = NodeServiceGrpc.newBlockingStub(service.channel);
    assertEquals(1, node.getInfo(GetInfoRequest.getDefaultInstance()).getUptime().getSeconds());
    ColumnFamilyStats stats =
        node.getStats(GetStatsRequest.getDefaultInstance()).getColumnFamilies(0);
    for (FamilyFigure figure : FamilyFigure.values()) {
      Object shown =
          stats.getField(ColumnFamilyStats.getDescriptor().findFieldByName(figure.figureName()));
      double wanted = TestNode.figureOf(figure);
      assertEquals(
          shown instanceof Double ? wanted : Math.floor(wanted),
          ((Number) shown).doubleValue(),
          figure.figureName());
    }
    assertEquals(
        List.of("file-1"),
        node.flush(FlushRequest.newBuilder().setKeyspace(KS).addColumnFamilies("Standard1").build())
            .getFilesList());
    assertEquals(List.of(KS + ".Standard1"), service.node.flushed);
    List<CompactResponse> progress = new ArrayList<>();
    node.compact(CompactRequest.newBuilder().setKeyspace(KS).build())
        .forEachRemaining(progress::add);
    assertEquals("done", progress.get(progress.size() - 1).getProgress().getPhase());
  }

  @Test
  void aScrubTellsHowFarItIsAndWhatItFound() {
    NodeServiceGrpc.NodeServiceBlockingStub node = NodeServiceGrpc.newBlockingStub(service.channel);
    List<String> told = new ArrayList<>();
    node.scrub(ScrubRequest.newBuilder().setKeyspace(KS).addColumnFamilies("Standard1").build())
        .forEachRemaining(
            each ->
                told.add(
                    each.getProgress().getPhase()
                        + " "
                        + each.getProgress().getDone()
                        + " of "
                        + each.getProgress().getTotal()
                        + ", "
                        + each.getProgress().getDetail()));
    assertEquals("done 3 of 3, 9 blocks", told.get(told.size() - 1));
    StatusRuntimeException refused =
        assertThrows(
            StatusRuntimeException.class,
            () ->
                node.scrub(ScrubRequest.newBuilder().setKeyspace("Absent").build())
                    .forEachRemaining(each -> {}));
    assertEquals(Status.Code.NOT_FOUND, refused.getStatus().getCode());
  }

  @Test
  void damagedFilesAreListedAndTheirLossIsAccepted() {
    NodeServiceGrpc.NodeServiceBlockingStub node = NodeServiceGrpc.newBlockingStub(service.channel);
    GetStatsResponse stats = node.getStats(GetStatsRequest.getDefaultInstance());
    QuarantinedFile file = stats.getQuarantinedFiles(0);
    assertEquals("Keyspace1.Standard1", file.getKeyspace() + "." + file.getColumnFamily());
    assertEquals(27, file.getNumber());
    assertEquals("q/27-Data.db", file.getPath());
    assertEquals(28, file.getOffset());
    assertEquals("rot", file.getReason());
    assertEquals(29, file.getSinceSeconds());
    assertTrue(file.getRowsKnown());
    assertEquals(QuarantineContents.QUARANTINE_CONTENTS_LOGGED_RECORDS, file.getContents());
    assertEquals(30, file.getRecords());
    AcceptLossRequest request =
        AcceptLossRequest.newBuilder()
            .setKeyspace(KS)
            .setColumnFamily("Standard1")
            .setNumber(27)
            .build();
    var unused = node.acceptLoss(request);
    StatusRuntimeException refused =
        assertThrows(
            StatusRuntimeException.class,
            () -> node.acceptLoss(request.toBuilder().setNumber(1).build()));
    assertEquals(Status.Code.INVALID_ARGUMENT, refused.getStatus().getCode());
  }

  @Test
  void setAsideRecordsAreAppliedOrTheCallerIsToldWhatKeepsThem() {
    NodeServiceGrpc.NodeServiceBlockingStub node = NodeServiceGrpc.newBlockingStub(service.channel);
    ApplySetAsideRequest request =
        ApplySetAsideRequest.newBuilder()
            .setKeyspace(KS)
            .setColumnFamily("Standard1")
            .setNumber(27)
            .build();
    assertEquals(30, node.applySetAside(request).getApplied());
    StatusRuntimeException none =
        assertThrows(
            StatusRuntimeException.class,
            () -> node.applySetAside(request.toBuilder().setNumber(1).build()));
    assertEquals(Status.Code.INVALID_ARGUMENT, none.getStatus().getCode());
    StatusRuntimeException poison =
        assertThrows(
            StatusRuntimeException.class,
            () -> node.applySetAside(request.toBuilder().setNumber(28).build()));
    assertEquals("RECORDS_NOT_APPLIED", Service.reason(poison));
    assertTrue(String.valueOf(poison.getMessage()).contains("cannot order b"));
  }

  @Test
  void healthFollowsTheNode() {
    HealthGrpc.HealthBlockingStub health = HealthGrpc.newBlockingStub(service.channel);
    HealthCheckRequest request =
        HealthCheckRequest.newBuilder().setService("colonnade.v1.ColumnStoreService").build();
    assertEquals(ServingStatus.NOT_SERVING, health.check(request).getStatus());
    service.services.serving(() -> true);
    assertEquals(ServingStatus.SERVING, health.check(request).getStatus());
    service.services.stop();
    assertEquals(ServingStatus.NOT_SERVING, health.check(request).getStatus());
  }
}
