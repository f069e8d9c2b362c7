package dev.colonnade.server.service.rpc;

import static dev.colonnade.server.service.rpc.Service.KS;
import static dev.colonnade.server.service.rpc.Service.all;
import static dev.colonnade.server.service.rpc.Service.bytes;
import static dev.colonnade.server.service.rpc.Service.column;
import static dev.colonnade.server.service.rpc.Service.parent;
import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.colonnade.server.service.consistency.AskedReplicas;
import dev.colonnade.server.service.consistency.Consistency;
import dev.colonnade.server.service.coordinator.RowStore;
import dev.colonnade.server.service.read.RangePage;
import dev.colonnade.server.service.read.RangeRead;
import dev.colonnade.server.service.read.SlicePage;
import dev.colonnade.server.service.read.SliceRead;
import dev.colonnade.server.service.write.RowMutation;
import dev.colonnade.v1.BatchMutateRequest;
import dev.colonnade.v1.Column;
import dev.colonnade.v1.ColumnOrSuperColumn;
import dev.colonnade.v1.GetSliceRequest;
import dev.colonnade.v1.Mutation;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/** The writes that a batch makes to the store. */
@ParameterizedClass
@EnumSource(Service.Way.class)
final class BatchCallsTest {

  /** As text, one line for each mutation. */
  private final List<String> written = new ArrayList<>();

  private final Service service;

  BatchCallsTest(Service.Way way) {
    service = Service.start(RpcSettings.defaults(), Recorded::new).over(way);
  }

  /** Notes what is written. */
  private final class Recorded implements RowStore {
    private final RowStore inner;

    Recorded(RowStore inner) {
      this.inner = inner;
    }

    @Override
    public CompletableFuture<SlicePage> read(SliceRead read) {
      return inner.read(read);
    }

    @Override
    public CompletableFuture<RangePage> readRange(RangeRead read) {
      return inner.readRange(read);
    }

    @Override
    public CompletableFuture<AskedReplicas> write(
        List<RowMutation> mutations, boolean durable, Consistency level, long deadlineNanos) {
      for (RowMutation mutation : mutations) {
        StringBuilder words =
            new StringBuilder(new String(mutation.key().key(), StandardCharsets.UTF_8));
        for (RowMutation.FamilyUpdate update : mutation.updates()) {
          words.append(' ').append(update.family().name());
          update.update().cells().forEach(cell -> words.append('/').append(text(cell.top())));
        }
        written.add(words.toString());
      }
      return inner.write(mutations, durable, level, deadlineNanos);
    }
  }

  private static String text(byte[] bytes) {
    return new String(bytes, StandardCharsets.UTF_8);
  }

  private static dev.colonnade.v1.RowMutation row(String key, String family, String name) {
    return dev.colonnade.v1.RowMutation.newBuilder()
        .setKey(bytes(key))
        .setColumnFamily(family)
        .addMutations(
            Mutation.newBuilder()
                .setColumnOrSuperColumn(
                    ColumnOrSuperColumn.newBuilder().setColumn(column(name, "v", 1))))
        .build();
  }

  /**
   * What another client wrote in between stands after a batch whose answer was lost is repeated.
   */
  @Test
  void aBatchThatIsRepeatedWithItsTimestampIsAppliedOnce() {
    try (service) {
      BatchMutateRequest batch =
          BatchMutateRequest.newBuilder()
              .setKeyspace(KS)
              .setTimestamp(5)
              .addRows(
                  dev.colonnade.v1.RowMutation.newBuilder()
                      .setKey(bytes("k"))
                      .setColumnFamily("Standard1")
                      .addMutations(plain("a"))
                      .addMutations(plain("b")))
              .addRows(row("k", "Standard1", "own"))
              .build();
      assertEquals(5, service.stub().batchMutate(batch).getTimestamp());
      service.insert("k", "Standard1", "a", "of another", 6);
      assertEquals(5, service.stub().batchMutate(batch).getTimestamp());
      assertEquals(
          List.of("a=of another@6", "b=v@5", "own=v@1"),
          service
              .stub()
              .getSlice(
                  GetSliceRequest.newBuilder()
                      .setKeyspace(KS)
                      .setKey(bytes("k"))
                      .setColumnParent(parent("Standard1"))
                      .setPredicate(all())
                      .build())
              .getColumnsList()
              .stream()
              .map(each -> each.getColumn())
              .map(
                  each ->
                      each.getName().toStringUtf8()
                          + "="
                          + each.getValue().toStringUtf8()
                          + "@"
                          + each.getTimestamp())
              .toList());
    }
  }

  private static Mutation plain(String name) {
    return Mutation.newBuilder()
        .setColumnOrSuperColumn(
            ColumnOrSuperColumn.newBuilder()
                .setColumn(Column.newBuilder().setName(bytes(name)).setValue(bytes("v"))))
        .build();
  }

  /** One mutation is one record of the log, applied as a whole or not at all. */
  @Test
  void theChangesOfOneKeyAreOneMutationInWhateverFamiliesAndOrderTheyCome() {
    try (service) {
      var unused =
          service
              .stub()
              .batchMutate(
                  BatchMutateRequest.newBuilder()
                      .setKeyspace(KS)
                      .addRows(row("k", "Standard1", "a"))
                      .addRows(row("other", "Standard1", "x"))
                      .addRows(row("k", "Long1", "12345678"))
                      .addRows(row("k", "Standard1", "b"))
                      .build());
      assertEquals(List.of("k Standard1/a/b Long1/12345678", "other Standard1/x"), written);
    }
  }
}
