package dev.colonnade.server.sim.cluster;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.ByteString;
import dev.colonnade.admin.v1.BulkLoadServiceGrpc;
import dev.colonnade.admin.v1.DescribeLoadRequest;
import dev.colonnade.admin.v1.DescribeLoadResponse;
import dev.colonnade.admin.v1.LoadChunk;
import dev.colonnade.admin.v1.LoadCommit;
import dev.colonnade.admin.v1.LoadCommitted;
import dev.colonnade.admin.v1.LoadHeader;
import dev.colonnade.admin.v1.LoadRow;
import dev.colonnade.admin.v1.LoadRowsChunk;
import dev.colonnade.admin.v1.LoadRowsRequest;
import dev.colonnade.admin.v1.LoadRowsResponse;
import dev.colonnade.admin.v1.TokenRange;
import dev.colonnade.search.v1.DeleteDocumentRequest;
import dev.colonnade.search.v1.IndexDocumentRequest;
import dev.colonnade.search.v1.SearchInteractionsRequest;
import dev.colonnade.search.v1.SearchServiceGrpc;
import dev.colonnade.search.v1.SearchTermsRequest;
import dev.colonnade.search.v1.StreamSearchInteractionsRequest;
import dev.colonnade.search.v1.StreamSearchTermsRequest;
import dev.colonnade.search.v1.TermQuery;
import dev.colonnade.server.base.codec.Checksums;
import dev.colonnade.server.base.schema.FamilyDefinition;
import dev.colonnade.server.base.schema.FamilyField;
import dev.colonnade.v1.ConsistencyLevel;
import dev.colonnade.v1.ReadOptions;
import dev.colonnade.v1.RequestStats;
import dev.colonnade.v1.TraceEvent;
import dev.colonnade.v1.TraceStep;
import dev.colonnade.v1.WriteOptions;
import io.grpc.Channel;
import io.grpc.ClientInterceptor;
import io.grpc.stub.StreamObserver;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What the traces of searches and bulk loads show in a cluster of three simulated nodes. */
final class ServiceTraceTest {

  private static final ClientInterceptor TRACED =
      FigureScenario.traceparent(TraceFigureClaims.SAMPLED);
  private static final ConsistencyLevel ALL = ConsistencyLevel.CONSISTENCY_LEVEL_ALL;
  private static final ByteString ID = id(1);
  private static final ByteString USER = FigureScenario.bytes("hidden-user");

  private final FigureScenario cluster = new FigureScenario();

  @BeforeEach
  void begin() throws Exception {
    cluster.begin();
  }

  @AfterEach
  void end() {
    cluster.end();
  }

  private static ByteString id(long id) {
    return ByteString.copyFrom(ByteBuffer.allocate(Long.BYTES).putLong(id).array());
  }

  private static ReadOptions reads() {
    return ReadOptions.newBuilder().setConsistencyLevel(ALL).setIncludeStats(true).build();
  }

  private static WriteOptions writes() {
    return WriteOptions.newBuilder().setConsistencyLevel(ALL).setIncludeStats(true).build();
  }

  private String index() {
    return cluster.family(
        FamilyDefinition.superFamily(FigureScenario.ALL, "Mails", "BytesType", "LongType")
            .with(FamilyField.ANALYZER, "english")
            .with(FamilyField.READ_REPAIR_CHANCE, 0.0));
  }

  private List<String> all() {
    return Stream.of(0, 1, 2).map(cluster::id).sorted().toList();
  }

  /** The nodes where something has happened, each once. */
  private static List<String> nodes(RequestStats stats, TraceStep step) {
    return stats.getTraceList().stream()
        .filter(event -> event.getStep() == step)
        .map(TraceEvent::getNode)
        .distinct()
        .sorted()
        .toList();
  }

  private static void assertHidesWhatWasSaid(RequestStats stats) {
    assertEquals(TraceFigureClaims.TRACE_ID, stats.getTraceId());
    assertFalse(stats.toString().contains("hidden"), "a user or a word is shown: " + stats);
  }

  /** Of a search: the coordinator's own steps, and each replica's reads. */
  private void assertShowsReads(RequestStats stats) {
    assertHidesWhatWasSaid(stats);
    assertEquals(List.of(cluster.id(0)), nodes(stats, TraceStep.TRACE_STEP_BEGUN));
    assertEquals(List.of(cluster.id(0)), nodes(stats, TraceStep.TRACE_STEP_REPLICA_ANSWERED));
    assertEquals(all(), nodes(stats, TraceStep.TRACE_STEP_STORE_READ), stats.toString());
    assertEquals(List.of(cluster.id(0)), nodes(stats, TraceStep.TRACE_STEP_ENCODED));
  }

  /** Of a change of an index: what is read before, and each replica's write. */
  private void assertShowsReadAndWrite(RequestStats stats) {
    assertShowsReads(stats);
    assertEquals(all(), nodes(stats, TraceStep.TRACE_STEP_MEMTABLE_APPLIED), stats.toString());
  }

  private RequestStats indexDocument(String index) {
    IndexDocumentRequest request =
        IndexDocumentRequest.newBuilder()
            .setKeyspace(FigureScenario.ALL)
            .setIndex(index)
            .setUser(USER)
            .setDocumentId(ID)
            .addTexts("hidden words")
            .addParticipants(FigureScenario.bytes("hidden-friend"))
            .setOptions(writes())
            .build();
    return cluster.call(0, channel -> search(channel).indexDocument(request)).getStats();
  }

  private static SearchServiceGrpc.SearchServiceFutureStub search(Channel channel) {
    return SearchServiceGrpc.newFutureStub(channel).withInterceptors(TRACED);
  }

  private static SearchServiceGrpc.SearchServiceStub streams(Channel channel) {
    return SearchServiceGrpc.newStub(channel).withInterceptors(TRACED);
  }

  @Test
  void changesOfAnIndexShowWhatWasReadAndEachReplicasWrite() {
    String index = index();
    assertShowsReadAndWrite(indexDocument(index));
    DeleteDocumentRequest request =
        DeleteDocumentRequest.newBuilder()
            .setKeyspace(FigureScenario.ALL)
            .setIndex(index)
            .setUser(USER)
            .setDocumentId(ID)
            .setOptions(writes())
            .build();
    assertShowsReadAndWrite(
        cluster.call(0, channel -> search(channel).deleteDocument(request)).getStats());
  }

  @Test
  void searchesShowTheReadsOfEachReplicaAsPagesAndAsStreams() {
    String index = index();
    RequestStats unused = indexDocument(index);
    TermQuery query = TermQuery.newBuilder().setAllOf("hidden word").build();
    SearchTermsRequest terms =
        SearchTermsRequest.newBuilder()
            .setKeyspace(FigureScenario.ALL)
            .setIndex(index)
            .setUser(USER)
            .setQuery(query)
            .setOptions(reads())
            .build();
    var page = cluster.call(0, channel -> search(channel).searchTerms(terms));
    assertEquals(1, page.getHitsCount());
    assertShowsReads(page.getStats());
    SearchInteractionsRequest with =
        SearchInteractionsRequest.newBuilder()
            .setKeyspace(FigureScenario.ALL)
            .setIndex(index)
            .setUser(USER)
            .setParticipant(FigureScenario.bytes("hidden-friend"))
            .setOptions(reads())
            .build();
    assertShowsReads(
        cluster.call(0, channel -> search(channel).searchInteractions(with)).getStats());
    StreamSearchTermsRequest termStream =
        StreamSearchTermsRequest.newBuilder()
            .setKeyspace(FigureScenario.ALL)
            .setIndex(index)
            .setUser(USER)
            .setQuery(query)
            .setOptions(reads())
            .build();
    assertShowsReads(
        last(cluster.<dev.colonnade.search.v1.StreamSearchTermsResponse>stream(
                0, (channel, answer) -> streams(channel).streamSearchTerms(termStream, answer)))
            .getStats());
    StreamSearchInteractionsRequest withStream =
        StreamSearchInteractionsRequest.newBuilder()
            .setKeyspace(FigureScenario.ALL)
            .setIndex(index)
            .setUser(USER)
            .setParticipant(FigureScenario.bytes("hidden-friend"))
            .setOptions(reads())
            .build();
    assertShowsReads(
        last(cluster.<dev.colonnade.search.v1.StreamSearchInteractionsResponse>stream(
                0,
                (channel, answer) -> streams(channel).streamSearchInteractions(withStream, answer)))
            .getStats());
  }

  private static <T> T last(List<T> messages) {
    return messages.get(messages.size() - 1);
  }

  private LoadCommitted load(int at, String family, boolean includeStats) {
    DescribeLoadRequest describe =
        DescribeLoadRequest.newBuilder()
            .setKeyspace(FigureScenario.ALL)
            .setColumnFamily(family)
            .build();
    DescribeLoadResponse described =
        cluster.call(
            at, channel -> BulkLoadServiceGrpc.newFutureStub(channel).describeLoad(describe));
    LoadHeader header =
        LoadHeader.newBuilder()
            .setKeyspace(FigureScenario.ALL)
            .setColumnFamily(family)
            .setFamilyId(described.getFamilyId())
            .setTruncation(described.getTruncation())
            .setSchemaVersion(described.getSchemaVersion())
            .addRanges(TokenRange.newBuilder().setStartToken("0").setEndToken("0"))
            .setTimestamp(1)
            .setNowSeconds(1)
            .setIncludeStats(includeStats)
            .build();
    ByteString rows =
        LoadRowsChunk.newBuilder()
            .addRows(
                LoadRow.newBuilder()
                    .setKey(USER)
                    .addColumns(FigureScenario.column("hidden-name", "hidden-value")))
            .build()
            .toByteString();
    LoadChunk chunk =
        LoadChunk.newBuilder()
            .setRows(rows)
            .setChecksum(Checksums.crc32c(rows.toByteArray()))
            .build();
    return last(cluster.<LoadRowsResponse>stream(
            at,
            (channel, answer) -> {
              StreamObserver<LoadRowsRequest> requests =
                  BulkLoadServiceGrpc.newStub(channel).withInterceptors(TRACED).loadRows(answer);
              requests.onNext(LoadRowsRequest.newBuilder().setHeader(header).build());
              requests.onNext(LoadRowsRequest.newBuilder().setChunk(chunk).build());
              requests.onNext(
                  LoadRowsRequest.newBuilder()
                      .setCommit(LoadCommit.newBuilder().setChunks(1).setRows(1))
                      .build());
              requests.onCompleted();
            }))
        .getCommitted();
  }

  @Test
  void aBulkLoadShowsWhenItsRowsWereWrittenAndWhenTheyBecameVisible() {
    String family = cluster.family("Loaded");
    for (int at = 0; at < 3; at++) {
      RequestStats stats = load(at, family, true).getStats();
      assertHidesWhatWasSaid(stats);
      assertEquals(cluster.id(at), stats.getCoordinator());
      assertEquals(List.of(cluster.id(at)), stats.getReplicasAnsweredList());
      assertEquals(
          List.of(
              TraceStep.TRACE_STEP_BEGUN,
              TraceStep.TRACE_STEP_LOAD_WRITTEN,
              TraceStep.TRACE_STEP_LOAD_COMMITTED,
              TraceStep.TRACE_STEP_ENCODED),
          stats.getTraceList().stream().map(TraceEvent::getStep).toList());
      TraceEvent written = stats.getTrace(1);
      assertTrue(written.getDetail().startsWith("chunks 1, rows 1, bytes "), written.getDetail());
      TraceEvent committed = stats.getTrace(2);
      assertTrue(committed.getDetail().startsWith("bytes in data files "), committed.getDetail());
      assertTrue(committed.getMicros() >= written.getMicros(), stats.toString());
    }
    assertFalse(load(0, family, false).hasStats(), "they were not asked for");
  }
}
