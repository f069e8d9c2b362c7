package dev.colonnade.server.service.rpc;

import static dev.colonnade.server.service.rpc.Service.KS;
import static dev.colonnade.server.service.rpc.Service.all;
import static dev.colonnade.server.service.rpc.Service.bytes;
import static dev.colonnade.server.service.rpc.Service.column;
import static dev.colonnade.server.service.rpc.Service.names;
import static dev.colonnade.server.service.rpc.Service.number;
import static dev.colonnade.server.service.rpc.Service.parent;
import static dev.colonnade.server.service.rpc.Service.range;
import static dev.colonnade.server.service.rpc.Service.show;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.colonnade.server.cluster.ring.Partitioners;
import dev.colonnade.v1.BatchMutateRequest;
import dev.colonnade.v1.BatchMutateResponse;
import dev.colonnade.v1.ColumnOrSuperColumn;
import dev.colonnade.v1.ColumnParent;
import dev.colonnade.v1.ColumnPath;
import dev.colonnade.v1.Deletion;
import dev.colonnade.v1.GetCountRequest;
import dev.colonnade.v1.GetRequest;
import dev.colonnade.v1.GetSliceRequest;
import dev.colonnade.v1.GetSliceResponse;
import dev.colonnade.v1.InsertRequest;
import dev.colonnade.v1.KeyBounds;
import dev.colonnade.v1.MultigetSliceRequest;
import dev.colonnade.v1.Mutation;
import dev.colonnade.v1.ReadOptions;
import dev.colonnade.v1.RemoveRequest;
import dev.colonnade.v1.RowMutation;
import dev.colonnade.v1.SlicePredicate;
import dev.colonnade.v1.SliceRange;
import dev.colonnade.v1.SuperColumn;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/** The calls on one row, one claim each. */
@ParameterizedClass
@EnumSource(Service.Way.class)
final class CallsTest {

  private final Service service;

  CallsTest(Service.Way way) {
    service = Service.start(Partitioners.BYTE_ORDERED).over(way);
  }

  @AfterEach
  void stop() {
    service.close();
  }

  private List<ColumnOrSuperColumn> slice(
      String key, ColumnParent parent, SlicePredicate predicate) {
    return service
        .stub()
        .getSlice(
            GetSliceRequest.newBuilder()
                .setKeyspace(KS)
                .setKey(bytes(key))
                .setColumnParent(parent)
                .setPredicate(predicate)
                .build())
        .getColumnsList();
  }

  private void writeLetters(String key) {
    for (String letter : List.of("a", "b", "c", "d", "e")) {
      service.insert(key, "Standard1", letter, letter, 1);
    }
  }

  private static SliceRange.Builder between(String start, String finish) {
    return SliceRange.newBuilder().setStart(bytes(start)).setFinish(bytes(finish));
  }

  @Test
  void sliceEndsAreInclusiveUnlessSaidOtherwise() {
    writeLetters("k");
    ColumnParent family = parent("Standard1");
    assertEquals("b=b c=c d=d", show(slice("k", family, range(between("b", "d")))));
    assertEquals(
        "c=c d=d", show(slice("k", family, range(between("b", "d").setStartExclusive(true)))));
    assertEquals(
        "b=b c=c", show(slice("k", family, range(between("b", "d").setFinishExclusive(true)))));
    assertEquals(
        "d=d c=c",
        show(
            slice(
                "k", family, range(between("d", "b").setReversed(true).setFinishExclusive(true)))));
    assertEquals("", show(slice("k", family, range(between("b", "b").setStartExclusive(true)))));
    assertEquals(
        "e=e d=d", show(slice("k", family, range(between("", "").setReversed(true).setCount(2)))));
    assertEquals("", show(slice("k", family, range(between("", "").setCount(0)))));
  }

  @Test
  void namesComeInOrderOnceAndOnlyWhatExists() {
    writeLetters("k");
    assertEquals("a=a c=c", show(slice("k", parent("Standard1"), names("c", "x", "a", "c"))));
    assertEquals("", show(slice("k", parent("Standard1"), names())));
  }

  @Test
  void superColumnsComeBackwardsWithTheirColumnsForwards() {
    for (String top : List.of("s", "t")) {
      service.insertSuper("k", "Super1", top, number(2), "2");
      service.insertSuper("k", "Super1", top, number(1), "1");
    }
    assertEquals(
        "t{1=1 2=2} s{1=1 2=2}",
        show(slice("k", parent("Super1"), range(between("", "").setReversed(true)))));
    assertEquals(
        "2=2 1=1",
        show(slice("k", parent("Super1", "t"), range(between("", "").setReversed(true)))));
    assertEquals("s{1=1 2=2}", show(slice("k", parent("Super1"), names("s"))));
  }

  @Test
  void getFindsOneColumnOrOneSuperColumnOrSaysWhatIsMissing() {
    service.insertSuper("k", "Super1", "s", number(1), "v");
    ColumnPath.Builder path =
        ColumnPath.newBuilder().setColumnFamily("Super1").setSuperColumn(bytes("s"));
    GetRequest.Builder request = GetRequest.newBuilder().setKeyspace(KS).setKey(bytes("k"));
    assertEquals(
        "s{1=v}",
        show(
            List.of(
                service.stub().get(request.setColumnPath(path).build()).getColumnOrSuperColumn())));
    assertEquals(
        "1=v",
        show(
            List.of(
                service
                    .stub()
                    .get(request.setColumnPath(path.setColumn(number(1))).build())
                    .getColumnOrSuperColumn())));
    StatusRuntimeException error =
        assertThrows(
            StatusRuntimeException.class,
            () -> service.stub().get(request.setColumnPath(path.setColumn(number(9))).build()));
    assertEquals(Status.Code.NOT_FOUND, error.getStatus().getCode());
    assertEquals("COLUMN_NOT_FOUND", Service.reason(error));
  }

  @Test
  void getOfASuperColumnOverTheLimitNamesGetSlice() {
    String value = "x".repeat(1 << 20);
    for (int i = 0; i < 3; i++) {
      service.insertSuper("k", "Super1", "s", number(i), value);
    }
    StatusRuntimeException error =
        assertThrows(
            StatusRuntimeException.class,
            () ->
                service
                    .stub()
                    .get(
                        GetRequest.newBuilder()
                            .setKeyspace(KS)
                            .setKey(bytes("k"))
                            .setColumnPath(
                                ColumnPath.newBuilder()
                                    .setColumnFamily("Super1")
                                    .setSuperColumn(bytes("s")))
                            .build()));
    assertEquals(Status.Code.FAILED_PRECONDITION, error.getStatus().getCode());
    assertEquals("RESPONSE_TOO_LARGE", Service.reason(error));
    assertTrue(String.valueOf(error.getMessage()).contains("GetSlice"));
  }

  @Test
  void absentTimestampsAreFilledInAndComeBack() {
    InsertRequest.Builder insert =
        InsertRequest.newBuilder()
            .setKeyspace(KS)
            .setKey(bytes("k"))
            .setColumnParent(parent("Standard1"))
            .setColumn(column("c", "v", 1).clearTimestamp());
    long first = service.stub().insert(insert.build()).getTimestamp();
    long second = service.stub().insert(insert.build()).getTimestamp();
    assertTrue(second > first, "the clock stood still, the timestamps must not");
    assertEquals(service.clock.wallMicros(), first);
    assertEquals(second, slice("k", parent("Standard1"), all()).get(0).getColumn().getTimestamp());
    long removed =
        service
            .stub()
            .remove(
                RemoveRequest.newBuilder()
                    .setKeyspace(KS)
                    .setKey(bytes("k"))
                    .setColumnPath(ColumnPath.newBuilder().setColumnFamily("Standard1"))
                    .build())
            .getTimestamp();
    assertTrue(removed > second);
    assertEquals("", show(slice("k", parent("Standard1"), all())));
  }

  private static RowMutation.Builder row(String key, String family, Mutation.Builder... all) {
    RowMutation.Builder row = RowMutation.newBuilder().setKey(bytes(key)).setColumnFamily(family);
    for (Mutation.Builder mutation : all) {
      row.addMutations(mutation);
    }
    return row;
  }

  private static Mutation.Builder put(String name, String value) {
    return Mutation.newBuilder()
        .setColumnOrSuperColumn(
            ColumnOrSuperColumn.newBuilder().setColumn(column(name, value, 1).clearTimestamp()));
  }

  @Test
  void allPartsOfABatchWithoutATimestampGetTheSame() {
    BatchMutateResponse response =
        service
            .stub()
            .batchMutate(
                BatchMutateRequest.newBuilder()
                    .setKeyspace(KS)
                    .addRows(row("k", "Standard1", put("a", "1"), put("b", "2")))
                    .addRows(row("l", "Standard1", put("a", "3")))
                    .addRows(row("k", "Standard1", put("c", "4")))
                    .build());
    assertTrue(response.hasTimestamp());
    for (String key : List.of("k", "l")) {
      for (ColumnOrSuperColumn one : slice(key, parent("Standard1"), all())) {
        assertEquals(response.getTimestamp(), one.getColumn().getTimestamp());
      }
    }
    assertEquals("a=1 b=2 c=4", show(slice("k", parent("Standard1"), all())));
  }

  @Test
  void aBatchWithOneBadMutationChangesNothing() {
    assertThrows(
        StatusRuntimeException.class,
        () ->
            service
                .stub()
                .batchMutate(
                    BatchMutateRequest.newBuilder()
                        .setKeyspace(KS)
                        .addRows(row("k", "Standard1", put("a", "1")))
                        .addRows(row("k", "Super1", put("a", "1")))
                        .build()));
    assertEquals("", show(slice("k", parent("Standard1"), all())));
  }

  @Test
  void emptyBatchesAndEmptySuperColumnsDoNothing() {
    BatchMutateResponse response =
        service
            .stub()
            .batchMutate(
                BatchMutateRequest.newBuilder()
                    .setKeyspace(KS)
                    .addRows(row("k", "Standard1"))
                    .addRows(
                        row(
                            "k",
                            "Standard1",
                            Mutation.newBuilder()
                                .setColumnOrSuperColumn(
                                    ColumnOrSuperColumn.newBuilder()
                                        .setSuperColumn(SuperColumn.getDefaultInstance())),
                            Mutation.newBuilder()
                                .setDeletion(Deletion.newBuilder().setPredicate(names()))))
                    .build());
    assertFalse(response.hasTimestamp());
    assertEquals(List.of(), RowRangeCallsTest.rows(service, KeyBounds.getDefaultInstance(), true));
  }

  @Test
  void aRepeatedKeyCountsOnceAgainstTheLimits() {
    int many = 10_001;
    BatchMutateRequest.Builder batch = BatchMutateRequest.newBuilder().setKeyspace(KS);
    MultigetSliceRequest.Builder keys =
        MultigetSliceRequest.newBuilder()
            .setKeyspace(KS)
            .setColumnParent(parent("Standard1"))
            .setPredicate(all());
    for (int i = 0; i < many; i++) {
      Mutation.Builder written =
          Mutation.newBuilder()
              .setColumnOrSuperColumn(
                  ColumnOrSuperColumn.newBuilder().setColumn(column("c", "v" + i, i)));
      batch.addRows(row("k", "Standard1", written));
      keys.addKeys(bytes("k"));
    }
    var unused = service.stub().batchMutate(batch.build());
    var answer = service.stub().multigetSlice(keys.build());
    assertEquals(1, answer.getRowsCount());
    assertEquals("c=v10000", show(answer.getRows(0).getColumnsList()));
  }

  @Test
  void theSmallestTimestampDeletesNoRowsSuperColumnsAndIntervals() {
    writeLetters("k");
    service.insertSuper("k", "Super1", "s", number(1), "1");
    Deletion.Builder none = Deletion.newBuilder().setTimestamp(Long.MIN_VALUE);
    service.insert("k", "Standard1", "z", "z", Long.MIN_VALUE);
    delete("k", "Standard1", none.clone());
    delete("k", "Standard1", none.clone().setPredicate(range(between("a", "e"))));
    delete("k", "Super1", none.clone().setSuperColumn(bytes("s")));
    assertEquals("a=a b=b c=c d=d e=e z=z", show(slice("k", parent("Standard1"), all())));
    assertEquals("s{1=1}", show(slice("k", parent("Super1"), all())));
    delete("k", "Standard1", none.clone().setPredicate(names("z")));
    assertEquals("a=a b=b c=c d=d e=e", show(slice("k", parent("Standard1"), all())));
  }

  private void delete(String key, String family, Deletion.Builder deletion) {
    var unused =
        service
            .stub()
            .batchMutate(
                BatchMutateRequest.newBuilder()
                    .setKeyspace(KS)
                    .addRows(row(key, family, Mutation.newBuilder().setDeletion(deletion)))
                    .build());
  }

  @Test
  void deletionsCoverRowsSuperColumnsNamesAndRanges() {
    writeLetters("k");
    delete(
        "k",
        "Standard1",
        Deletion.newBuilder()
            .setTimestamp(1)
            .setPredicate(range(between("b", "d").setFinishExclusive(true))));
    assertEquals("a=a d=d e=e", show(slice("k", parent("Standard1"), all())));
    delete("k", "Standard1", Deletion.newBuilder().setTimestamp(1).setPredicate(names("d")));
    assertEquals("a=a e=e", show(slice("k", parent("Standard1"), all())));
    delete("k", "Standard1", Deletion.newBuilder().setTimestamp(0).setPredicate(all()));
    assertEquals("a=a e=e", show(slice("k", parent("Standard1"), all())));
    delete("k", "Standard1", Deletion.newBuilder().setTimestamp(1).setPredicate(all()));
    assertEquals("", show(slice("k", parent("Standard1"), all())));

    for (String top : List.of("s", "t", "u")) {
      service.insertSuper("k", "Super1", top, number(1), "1");
      service.insertSuper("k", "Super1", top, number(2), "2");
    }
    delete(
        "k",
        "Super1",
        Deletion.newBuilder()
            .setTimestamp(1)
            .setSuperColumn(bytes("s"))
            .setPredicate(range(SliceRange.newBuilder().setFinish(number(1)))));
    delete("k", "Super1", Deletion.newBuilder().setTimestamp(1).setPredicate(names("t")));
    assertEquals("s{2=2} u{1=1 2=2}", show(slice("k", parent("Super1"), all())));
    delete("k", "Super1", Deletion.newBuilder().setTimestamp(1).setSuperColumn(bytes("s")));
    assertEquals("u{1=1 2=2}", show(slice("k", parent("Super1"), all())));
  }

  @Test
  void timeToLiveEndsAndComesBackUnchanged() {
    var unused =
        service
            .stub()
            .insert(
                InsertRequest.newBuilder()
                    .setKeyspace(KS)
                    .setKey(bytes("k"))
                    .setColumnParent(parent("Standard1"))
                    .setColumn(column("c", "v", 1).setTtlSeconds(2))
                    .build());
    assertEquals(2, slice("k", parent("Standard1"), all()).get(0).getColumn().getTtlSeconds());
    service.clock.advance(Duration.ofSeconds(2));
    assertEquals("", show(slice("k", parent("Standard1"), all())));
  }

  @Test
  void countsHaveNoLimitUnlessAsked() {
    for (int i = 0; i < 150; i++) {
      service.insert("k", "Standard1", "c" + i, "", 1);
    }
    GetCountRequest.Builder request =
        GetCountRequest.newBuilder()
            .setKeyspace(KS)
            .setKey(bytes("k"))
            .setColumnParent(parent("Standard1"))
            .setPredicate(all());
    assertEquals(150, service.stub().getCount(request.build()).getCount());
    request.setPredicate(range(SliceRange.newBuilder().setCount(100)));
    assertEquals(100, service.stub().getCount(request.build()).getCount());
  }

  @Test
  void statisticsComeWhenAsked() {
    service.insert("k", "Standard1", "x", "1", 1);
    delete("k", "Standard1", Deletion.newBuilder().setTimestamp(5).setPredicate(names("x")));
    GetSliceResponse response =
        service
            .stub()
            .getSlice(
                GetSliceRequest.newBuilder()
                    .setKeyspace(KS)
                    .setKey(bytes("k"))
                    .setColumnParent(parent("Standard1"))
                    .setPredicate(all())
                    .setOptions(ReadOptions.newBuilder().setIncludeStats(true))
                    .build());
    assertEquals("n1", response.getStats().getCoordinator());
    assertEquals(1, response.getStats().getTombstonesScanned());
  }
}
