package dev.colonnade.server.service.rpc;

import static dev.colonnade.server.service.rpc.Service.KS;
import static dev.colonnade.server.service.rpc.Service.all;
import static dev.colonnade.server.service.rpc.Service.bytes;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.ByteString;
import com.google.protobuf.Message;
import dev.colonnade.v1.BatchMutateRequest;
import dev.colonnade.v1.Column;
import dev.colonnade.v1.ColumnOrSuperColumn;
import dev.colonnade.v1.ColumnParent;
import dev.colonnade.v1.ColumnStoreServiceGrpc.ColumnStoreServiceBlockingStub;
import dev.colonnade.v1.GetRangeSlicesRequest;
import dev.colonnade.v1.GetRangeSlicesResponse;
import dev.colonnade.v1.GetSliceRequest;
import dev.colonnade.v1.GetSliceResponse;
import dev.colonnade.v1.InsertRequest;
import dev.colonnade.v1.KeyBounds;
import dev.colonnade.v1.KeyRange;
import dev.colonnade.v1.MultigetSliceRequest;
import dev.colonnade.v1.MultigetSliceResponse;
import dev.colonnade.v1.Mutation;
import dev.colonnade.v1.RowMutation;
import dev.colonnade.v1.StreamRangeSlicesRequest;
import dev.colonnade.v1.StreamSliceRequest;
import io.grpc.StatusRuntimeException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Values as long as a node is told to take, and the answers that have them. */
final class LongValuesTest {

  private static final int LONGEST_VALUE = 15 << 20;

  /** By the contract; what clients are made to take. */
  private static final int LONGEST_MESSAGE = 16 << 20;

  private static final int LONGEST_NAME = 65_535;

  /** Nearly a page. */
  private static final int BEFORE_BYTES = 1_900_000;

  private static Service taking(long valueBytes) {
    return Service.start(RpcSettings.defaults().withMaxValueBytes(valueBytes), store -> store);
  }

  private static Column.Builder column(int valueBytes) {
    return Column.newBuilder()
        .setName(bytes("c"))
        .setTimestamp(1)
        .setValue(ByteString.copyFrom(new byte[valueBytes]));
  }

  private static InsertRequest insert(String key, Column.Builder column) {
    return InsertRequest.newBuilder()
        .setKeyspace(KS)
        .setKey(bytes(key))
        .setColumnParent(Service.parent("Standard1"))
        .setColumn(column)
        .build();
  }

  @ParameterizedTest
  @ValueSource(ints = {1_024, 2 << 20, LONGEST_VALUE})
  void aValueOfTheBoundIsTakenAndOneByteMoreIsNot(int bound) {
    try (Service service = taking(bound)) {
      service.stub().insert(insert("k", column(bound)));
      StatusRuntimeException single =
          assertThrows(
              StatusRuntimeException.class,
              () -> service.stub().insert(insert("k", column(bound + 1))));
      assertEquals("REQUEST_TOO_LARGE", Service.reason(single));
      assertEquals("column.value", Service.field(single));
      String said = String.valueOf(single.getMessage());
      assertTrue(said.contains("at most " + bound + " bytes"), said);
      assertTrue(said.contains("max_value_bytes"), said);

      BatchMutateRequest batch =
          BatchMutateRequest.newBuilder()
              .setKeyspace(KS)
              .addRows(
                  RowMutation.newBuilder()
                      .setKey(bytes("k"))
                      .setColumnFamily("Standard1")
                      .addMutations(
                          Mutation.newBuilder()
                              .setColumnOrSuperColumn(
                                  ColumnOrSuperColumn.newBuilder().setColumn(column(bound + 1)))))
              .build();
      StatusRuntimeException inBatch =
          assertThrows(StatusRuntimeException.class, () -> service.stub().batchMutate(batch));
      assertEquals("REQUEST_TOO_LARGE", Service.reason(inBatch));
    }
  }

  /** The bound is the writer's: what is there already is read whatever it says. */
  @Test
  void aLongerValueIsReadWhereTheBoundIsLower() {
    try (Service before = taking(LONGEST_VALUE)) {
      before.stub().insert(insert("k", column(LONGEST_VALUE)));
      try (Service lowered =
          Service.start(RpcSettings.defaults().withMaxValueBytes(1_024), own -> before.rows)) {
        assertThrows(
            StatusRuntimeException.class, () -> lowered.stub().insert(insert("k", column(2_000))));
        List<Message> pages = slices(lowered.stub(), bytes("k"), Service.parent("Standard1"));
        assertEquals(1, pages.size());
        assertTrue(pages.get(0).getSerializedSize() > LONGEST_VALUE);
      }
    }
  }

  /**
   * The longest value under the longest key and names, behind nearly a page of other columns: in
   * each kind of answer it has a message of its own, which clients take.
   */
  @Test
  void noAnswerIsLongerThanTheContractSays() {
    try (Service service = taking(LONGEST_VALUE)) {
      ByteString key = name(1);
      ByteString first = name(1);
      ByteString second = name(2);
      ColumnParent.Builder top =
          ColumnParent.newBuilder().setColumnFamily("Super2").setSuperColumn(name(7));
      ColumnStoreServiceBlockingStub stub = service.stub();
      long written = 0;
      for (ByteString row : List.of(name(0), key)) {
        for (ByteString column : List.of(first, second)) {
          int length = column.equals(first) ? BEFORE_BYTES : LONGEST_VALUE;
          written += length;
          stub.insert(
              InsertRequest.newBuilder()
                  .setKeyspace(KS)
                  .setKey(row)
                  .setColumnParent(top)
                  .setColumn(column(length).setName(column))
                  .build());
        }
        stub.insert(
            InsertRequest.newBuilder()
                .setKeyspace(KS)
                .setKey(row)
                .setColumnParent(top)
                .setColumn(column(1).setName(name(3)))
                .build());
        written++;
      }
      ColumnParent family = Service.parent("Super2");
      requireAll(written / 2, slices(stub, key, family));
      requireAll(written, multigets(stub, List.of(name(0), key), family));
      requireAll(written, scans(stub, family));

      List<Message> chunks = new ArrayList<>();
      stub.streamSlice(
              StreamSliceRequest.newBuilder()
                  .setKeyspace(KS)
                  .setKey(key)
                  .setColumnParent(family)
                  .setPredicate(all())
                  .build())
          .forEachRemaining(chunks::add);
      requireAll(written / 2, chunks);
      List<Message> rows = new ArrayList<>();
      stub.streamRangeSlices(
              StreamRangeSlicesRequest.newBuilder()
                  .setKeyspace(KS)
                  .setColumnParent(family)
                  .setPredicate(all())
                  .setRange(KeyRange.newBuilder().setKeys(KeyBounds.getDefaultInstance()))
                  .build())
          .forEachRemaining(rows::add);
      requireAll(written, rows);
    }
  }

  private static ByteString name(int first) {
    byte[] name = new byte[LONGEST_NAME];
    name[0] = (byte) first;
    return ByteString.copyFrom(name);
  }

  /** All of the values are in the messages, and no message is too long for a client. */
  private static void requireAll(long valueBytes, List<Message> messages) {
    long all = 0;
    for (Message message : messages) {
      int size = message.getSerializedSize();
      assertTrue(size <= LONGEST_MESSAGE, "a message of " + size + " bytes");
      all += size;
    }
    assertTrue(all >= valueBytes, all + " bytes were read of " + valueBytes);
  }

  private static List<Message> slices(
      ColumnStoreServiceBlockingStub stub, ByteString key, ColumnParent parent) {
    List<Message> pages = new ArrayList<>();
    String token = "";
    do {
      GetSliceResponse page =
          stub.getSlice(
              GetSliceRequest.newBuilder()
                  .setKeyspace(KS)
                  .setKey(key)
                  .setColumnParent(parent)
                  .setPredicate(all())
                  .setPageBytes(2 << 20)
                  .setPageToken(token)
                  .build());
      pages.add(page);
      token = page.getNextPageToken();
    } while (!token.isEmpty());
    return pages;
  }

  private static List<Message> multigets(
      ColumnStoreServiceBlockingStub stub, List<ByteString> keys, ColumnParent parent) {
    List<Message> pages = new ArrayList<>();
    String token = "";
    do {
      MultigetSliceResponse page =
          stub.multigetSlice(
              MultigetSliceRequest.newBuilder()
                  .setKeyspace(KS)
                  .addAllKeys(keys)
                  .setColumnParent(parent)
                  .setPredicate(all())
                  .setPageBytes(2 << 20)
                  .setPageToken(token)
                  .build());
      pages.add(page);
      token = page.getNextPageToken();
    } while (!token.isEmpty());
    return pages;
  }

  private static List<Message> scans(ColumnStoreServiceBlockingStub stub, ColumnParent parent) {
    List<Message> pages = new ArrayList<>();
    String token = "";
    do {
      GetRangeSlicesResponse page =
          stub.getRangeSlices(
              GetRangeSlicesRequest.newBuilder()
                  .setKeyspace(KS)
                  .setColumnParent(parent)
                  .setPredicate(all())
                  .setRange(KeyRange.newBuilder().setKeys(KeyBounds.getDefaultInstance()))
                  .setPageBytes(2 << 20)
                  .setPageToken(token)
                  .build());
      pages.add(page);
      token = page.getNextPageToken();
    } while (!token.isEmpty());
    return pages;
  }
}
