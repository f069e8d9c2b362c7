package dev.colonnade.server.service.rpc;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.colonnade.server.base.async.Futures;
import dev.colonnade.server.base.model.Cell;
import dev.colonnade.server.base.model.RowUpdate;
import dev.colonnade.server.base.schema.ColumnFamily;
import dev.colonnade.server.base.schema.FamilyDefinition;
import dev.colonnade.server.base.schema.KeyspaceDefinition;
import dev.colonnade.server.base.schema.SchemaException;
import dev.colonnade.server.cluster.ring.Partitioners;
import dev.colonnade.server.service.consistency.AskedReplicas;
import dev.colonnade.server.service.consistency.Consistency;
import dev.colonnade.server.service.coordinator.RowStore;
import dev.colonnade.server.service.coordinator.SimulatedCluster;
import dev.colonnade.server.service.read.RangePage;
import dev.colonnade.server.service.read.RangeRead;
import dev.colonnade.server.service.read.SlicePage;
import dev.colonnade.server.service.read.SliceRead;
import dev.colonnade.server.service.write.RowMutation;
import dev.colonnade.v1.Column;
import dev.colonnade.v1.ColumnOrSuperColumn;
import dev.colonnade.v1.ColumnParent;
import dev.colonnade.v1.ColumnPath;
import dev.colonnade.v1.ColumnStoreServiceGrpc;
import dev.colonnade.v1.ColumnStoreServiceGrpc.ColumnStoreServiceStub;
import dev.colonnade.v1.ConsistencyLevel;
import dev.colonnade.v1.GetRangeSlicesRequest;
import dev.colonnade.v1.GetRangeSlicesResponse;
import dev.colonnade.v1.GetRequest;
import dev.colonnade.v1.GetResponse;
import dev.colonnade.v1.GetSliceRequest;
import dev.colonnade.v1.GetSliceResponse;
import dev.colonnade.v1.KeyBounds;
import dev.colonnade.v1.KeyRange;
import dev.colonnade.v1.KeySlice;
import dev.colonnade.v1.MultigetSliceRequest;
import dev.colonnade.v1.MultigetSliceResponse;
import dev.colonnade.v1.ReadOptions;
import dev.colonnade.v1.SlicePredicate;
import dev.colonnade.v1.SliceRange;
import dev.colonnade.v1.StreamRangeSlicesRequest;
import dev.colonnade.v1.StreamRangeSlicesResponse;
import dev.colonnade.v1.StreamSliceRequest;
import dev.colonnade.v1.StreamSliceResponse;
import io.grpc.stub.StreamObserver;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.BiConsumer;
import java.util.function.Function;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * What one answer, or one message of a stream, shows of a row is of one moment, over the engine of
 * one node and over three replicas at QUORUM. Each row has four columns, which are overwritten
 * together whenever the store has answered a page: by turns with large values and with small ones,
 * so that an answer that goes on with another page shows two versions.
 */
@ParameterizedClass
@MethodSource("cases")
final class OneMomentTest {

  private static final List<String> KEYS = List.of("d", "f", "h");
  private static final List<String> NAMES = List.of("c1", "c2", "c3", "c4");
  private static final String SUPER_COLUMN = "s";
  private static final int LARGE = 20_000;
  private static final int SMALL = 12;
  private static final ReadOptions QUORUM =
      ReadOptions.newBuilder()
          .setConsistencyLevel(ConsistencyLevel.CONSISTENCY_LEVEL_QUORUM)
          .build();

  private final SimulatedCluster cluster;
  private final Service service;
  private final ColumnStoreServiceStub stub;
  private long version;

  /** Whether rows are overwritten also while they are read. */
  private final boolean racing;

  /** By what the cases differ: the nodes, the way of the calls, and when rows are overwritten. */
  static Stream<Arguments> cases() {
    return Stream.of(
        Arguments.of(1, Service.Way.UNARY, false),
        Arguments.of(1, Service.Way.SESSION, false),
        Arguments.of(3, Service.Way.UNARY, false),
        Arguments.of(3, Service.Way.SESSION, false),
        Arguments.of(3, Service.Way.UNARY, true));
  }

  OneMomentTest(int nodes, Service.Way way, boolean racing) throws Exception {
    this.racing = racing;
    cluster = new SimulatedCluster(Partitioners.BYTE_ORDERED, nodes);
    cluster.await(
        cluster
            .node(0)
            .schema()
            .createKeyspace(KeyspaceDefinition.of(Service.KS).withReplicationFactor(nodes)));
    for (FamilyDefinition family :
        List.of(
            FamilyDefinition.standard(Service.KS, "Standard1", "BytesType"),
            FamilyDefinition.superFamily(Service.KS, "Super2", "BytesType", "BytesType"))) {
      cluster.await(cluster.node(0).schema().createFamily(family));
    }
    service = Service.start(RpcSettings.defaults(), naive -> new Overwritten()).over(way);
    stub = ColumnStoreServiceGrpc.newStub(service.stub().getChannel());
    for (String family : List.of("Standard1", "Super2")) {
      // The first read finds large values.
      do {
        cluster.await(overwrite(family, KEYS));
      } while (version % 2 == 0);
    }
  }

  @AfterEach
  void stop() {
    service.close();
  }

  /** The store of the first node, where the rows are overwritten after each page. */
  private final class Overwritten implements RowStore {

    @Override
    public CompletableFuture<SlicePage> read(SliceRead read) {
      String family = read.family().name();
      List<String> keys = List.of(new String(read.key().key(), StandardCharsets.UTF_8));
      race(family, keys);
      return coordinator()
          .read(
              new SliceRead(
                  family(family),
                  read.key(),
                  read.slice(),
                  read.from(),
                  read.pageBytes(),
                  read.countOnly(),
                  read.consistency(),
                  read.deadlineNanos(),
                  read.sinks()))
          .thenCompose(page -> overwrite(family, keys).thenApply(done -> page));
    }

    @Override
    public CompletableFuture<RangePage> readRange(RangeRead read) {
      String family = read.family().name();
      race(family, KEYS);
      return coordinator()
          .readRange(
              new RangeRead(
                  family(family),
                  read.ranges(),
                  read.slice(),
                  read.rowLimit(),
                  read.includeEmptyRows(),
                  read.keysOnly(),
                  read.from(),
                  read.pageBytes(),
                  read.consistency(),
                  read.deadlineNanos(),
                  read.sinks()))
          .thenCompose(page -> overwrite(family, KEYS).thenApply(done -> page));
    }

    @Override
    public CompletableFuture<AskedReplicas> write(
        List<RowMutation> mutations, boolean durable, Consistency consistency, long deadlineNanos) {
      throw new UnsupportedOperationException();
    }
  }

  /** Makes the replicas differ when the read reaches them: one of them has the next version. */
  private void race(String family, List<String> keys) {
    if (racing) {
      Futures.ignore(overwrite(cluster.node(1).coordinator(), family(family), keys));
    }
  }

  private RowStore coordinator() {
    return cluster.node(0).coordinator();
  }

  private ColumnFamily family(String name) {
    try {
      return cluster.node(0).family(Service.KS, name);
    } catch (SchemaException e) {
      throw new AssertionError(e);
    }
  }

  /** Writes the next version of all columns, each row in one mutation. */
  private CompletableFuture<?> overwrite(String family, List<String> keys) {
    return overwrite(coordinator(), family(family), keys);
  }

  private CompletableFuture<?> overwrite(RowStore through, ColumnFamily family, List<String> keys) {
    version++;
    String value = "v" + version + "-";
    value += "x".repeat((version % 2 == 1 ? LARGE : SMALL) - value.length());
    List<RowMutation> mutations = new ArrayList<>();
    for (String key : keys) {
      RowUpdate.Builder update = RowUpdate.builder(family.order());
      for (String name : NAMES) {
        update.add(
            family.isSuper()
                ? Cell.live(bytes(SUPER_COLUMN), bytes(name), bytes(value), version)
                : Cell.live(bytes(name), null, bytes(value), version));
      }
      mutations.add(
          new RowMutation(
              cluster.key(key), List.of(new RowMutation.FamilyUpdate(family, update.build()))));
    }
    return through.write(mutations, true, Consistency.QUORUM, Long.MAX_VALUE);
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  private static SlicePredicate range(boolean reversed) {
    return Service.range(SliceRange.newBuilder().setReversed(reversed));
  }

  /** All ways to ask for all columns of a row; where rows are overwritten most, one. */
  private List<SlicePredicate> predicates() {
    if (racing) {
      return List.of(range(false));
    }
    return List.of(
        range(false),
        range(true),
        Service.names(NAMES.toArray(String[]::new)),
        range(false).toBuilder().setMinTimestamp(1).build());
  }

  private static List<ColumnParent> parents() {
    return List.of(Service.parent("Standard1"), Service.parent("Super2", SUPER_COLUMN));
  }

  /** The answers of a call. */
  private <R> List<R> call(BiConsumer<ColumnStoreServiceStub, StreamObserver<R>> call) {
    List<R> answers = new ArrayList<>();
    CompletableFuture<Void> end = new CompletableFuture<>();
    call.accept(
        stub,
        new StreamObserver<>() {
          @Override
          public void onNext(R value) {
            answers.add(value);
          }

          @Override
          public void onError(Throwable t) {
            end.completeExceptionally(t);
          }

          @Override
          public void onCompleted() {
            end.complete(null);
          }
        });
    cluster.await(end);
    return answers;
  }

  /** The columns of rows that a reader has found so far, each answer of one moment. */
  private static final class Found {
    private final Map<String, Set<String>> rows = new LinkedHashMap<>();

    /** Checks what one answer has of a row. */
    void add(String key, List<ColumnOrSuperColumn> columns) {
      Set<String> names = rows.computeIfAbsent(key, none -> new HashSet<>());
      Set<String> versions = new HashSet<>();
      for (ColumnOrSuperColumn column : columns) {
        List<Column> parts =
            column.hasColumn()
                ? List.of(column.getColumn())
                : column.getSuperColumn().getColumnsList();
        for (Column part : parts) {
          assertTrue(names.add(part.getName().toStringUtf8()), () -> "twice: " + part.getName());
          String value = part.getValue().toStringUtf8();
          versions.add(value.substring(0, value.indexOf('-')));
        }
      }
      assertTrue(versions.size() < 2, () -> "one answer shows " + versions + " of row " + key);
    }

    void add(List<KeySlice> parts) {
      parts.forEach(row -> add(row.getKey().toStringUtf8(), row.getColumnsList()));
    }

    void expectAll(List<String> keys) {
      assertEquals(keys, List.copyOf(rows.keySet()));
      rows.values().forEach(names -> assertEquals(Set.copyOf(NAMES), names));
    }
  }

  /** Reads page by page, and checks each. */
  private <R> Found pages(
      Function<String, BiConsumer<ColumnStoreServiceStub, StreamObserver<R>>> page,
      BiConsumer<Found, R> add,
      Function<R, String> next) {
    Found found = new Found();
    String token = "";
    do {
      R answer = call(page.apply(token)).get(0);
      add.accept(found, answer);
      token = next.apply(answer);
    } while (!token.isEmpty());
    return found;
  }

  @Test
  void anAnswerOfGetSliceIsOfOneMoment() {
    for (ColumnParent parent : parents()) {
      for (SlicePredicate predicate : predicates()) {
        for (int pageBytes : new int[] {0, 30_000, 50_000}) {
          GetSliceRequest request =
              GetSliceRequest.newBuilder()
                  .setKeyspace(Service.KS)
                  .setKey(Service.bytes(KEYS.get(0)))
                  .setColumnParent(parent)
                  .setPredicate(predicate)
                  .setPageBytes(pageBytes)
                  .setOptions(QUORUM)
                  .build();
          Found found =
              pages(
                  token -> {
                    GetSliceRequest paged = request.toBuilder().setPageToken(token).build();
                    return (to, answer) -> to.getSlice(paged, answer);
                  },
                  (rows, answer) -> rows.add(KEYS.get(0), answer.getColumnsList()),
                  GetSliceResponse::getNextPageToken);
          found.expectAll(KEYS.subList(0, 1));
        }
      }
    }
  }

  @Test
  void anAnswerThatHasRoomForTheRowShowsAllOfIt() {
    for (int i = 0; i < 2; i++) {
      GetSliceResponse answer =
          this.<GetSliceResponse>call(
                  (to, answers) ->
                      to.getSlice(
                          GetSliceRequest.newBuilder()
                              .setKeyspace(Service.KS)
                              .setKey(Service.bytes(KEYS.get(0)))
                              .setColumnParent(parents().get(0))
                              .setPredicate(range(false))
                              .setOptions(QUORUM)
                              .build(),
                          answers))
              .get(0);
      assertEquals(NAMES.size(), answer.getColumnsCount());
      assertEquals("", answer.getNextPageToken());
      cluster.await(overwrite("Standard1", KEYS));
    }
  }

  @Test
  void aSuperColumnIsOfOneMoment() {
    GetResponse answer =
        this.<GetResponse>call(
                (to, answers) ->
                    to.get(
                        GetRequest.newBuilder()
                            .setKeyspace(Service.KS)
                            .setKey(Service.bytes(KEYS.get(0)))
                            .setColumnPath(
                                ColumnPath.newBuilder()
                                    .setColumnFamily("Super2")
                                    .setSuperColumn(Service.bytes(SUPER_COLUMN)))
                            .setOptions(QUORUM)
                            .build(),
                        answers))
            .get(0);
    Found found = new Found();
    found.add(KEYS.get(0), List.of(answer.getColumnOrSuperColumn()));
    found.expectAll(KEYS.subList(0, 1));
  }

  @Test
  void anAnswerOfMultigetSliceShowsEachRowAtOneMoment() {
    for (ColumnParent parent : parents()) {
      for (SlicePredicate predicate : predicates()) {
        for (int pageBytes : new int[] {0, 30_000, 100_000}) {
          MultigetSliceRequest.Builder request =
              MultigetSliceRequest.newBuilder()
                  .setKeyspace(Service.KS)
                  .setColumnParent(parent)
                  .setPredicate(predicate)
                  .setPageBytes(pageBytes)
                  .setOptions(QUORUM);
          KEYS.forEach(key -> request.addKeys(Service.bytes(key)));
          Found found =
              pages(
                  token -> {
                    MultigetSliceRequest paged = request.setPageToken(token).build();
                    return (to, answer) -> to.multigetSlice(paged, answer);
                  },
                  (rows, answer) -> rows.add(answer.getRowsList()),
                  MultigetSliceResponse::getNextPageToken);
          found.expectAll(KEYS);
        }
      }
    }
  }

  @Test
  void aRowThatFitsIntoAnAnswerOfMultigetSliceIsInOneAnswer() {
    MultigetSliceRequest.Builder request =
        MultigetSliceRequest.newBuilder()
            .setKeyspace(Service.KS)
            .setColumnParent(parents().get(0))
            .setPredicate(range(false))
            .setPageBytes(100_000)
            .setOptions(QUORUM);
    KEYS.forEach(key -> request.addKeys(Service.bytes(key)));
    Found found =
        pages(
            token -> {
              MultigetSliceRequest paged = request.setPageToken(token).build();
              return (to, answer) -> to.multigetSlice(paged, answer);
            },
            (rows, answer) -> {
              assertFalse(answer.getRowContinues());
              rows.add(answer.getRowsList());
            },
            MultigetSliceResponse::getNextPageToken);
    found.expectAll(KEYS);
  }

  private static KeyRange allRows() {
    return KeyRange.newBuilder().setKeys(KeyBounds.getDefaultInstance()).build();
  }

  @Test
  void anAnswerOfGetRangeSlicesShowsEachRowAtOneMoment() {
    for (ColumnParent parent : parents()) {
      for (SlicePredicate predicate : predicates()) {
        for (int pageBytes : new int[] {0, 30_000, 100_000}) {
          GetRangeSlicesRequest request =
              GetRangeSlicesRequest.newBuilder()
                  .setKeyspace(Service.KS)
                  .setColumnParent(parent)
                  .setPredicate(predicate)
                  .setRange(allRows())
                  .setPageBytes(pageBytes)
                  .setOptions(QUORUM)
                  .build();
          Found found =
              pages(
                  token -> {
                    GetRangeSlicesRequest paged = request.toBuilder().setPageToken(token).build();
                    return (to, answer) -> to.getRangeSlices(paged, answer);
                  },
                  (rows, answer) -> rows.add(answer.getRowsList()),
                  GetRangeSlicesResponse::getNextPageToken);
          found.expectAll(KEYS);
        }
      }
    }
  }

  @Test
  void aMessageOfAStreamIsOfOneMoment() {
    for (ColumnParent parent : parents()) {
      for (SlicePredicate predicate : predicates()) {
        for (int chunkBytes : new int[] {0, 30_000, 50_000}) {
          Found slice = new Found();
          this.<StreamSliceResponse>call(
                  (to, answers) ->
                      to.streamSlice(
                          StreamSliceRequest.newBuilder()
                              .setKeyspace(Service.KS)
                              .setKey(Service.bytes(KEYS.get(0)))
                              .setColumnParent(parent)
                              .setPredicate(predicate)
                              .setMaxChunkBytes(chunkBytes)
                              .setOptions(QUORUM)
                              .build(),
                          answers))
              .forEach(message -> slice.add(KEYS.get(0), message.getColumnsList()));
          slice.expectAll(KEYS.subList(0, 1));
          Found rows = new Found();
          this.<StreamRangeSlicesResponse>call(
                  (to, answers) ->
                      to.streamRangeSlices(
                          StreamRangeSlicesRequest.newBuilder()
                              .setKeyspace(Service.KS)
                              .setColumnParent(parent)
                              .setPredicate(predicate)
                              .setRange(allRows())
                              .setMaxChunkBytes(chunkBytes)
                              .setOptions(QUORUM)
                              .build(),
                          answers))
              .forEach(message -> rows.add(message.getRowsList()));
          rows.expectAll(KEYS);
        }
      }
    }
  }
}
