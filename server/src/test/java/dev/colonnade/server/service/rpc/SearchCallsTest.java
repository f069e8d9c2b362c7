package dev.colonnade.server.service.rpc;

import static dev.colonnade.server.service.rpc.Service.KS;
import static dev.colonnade.server.service.rpc.Service.bytes;
import static dev.colonnade.server.service.rpc.Service.number;
import static java.util.stream.Collectors.joining;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.ByteString;
import dev.colonnade.admin.v1.ColumnFamilyDef;
import dev.colonnade.admin.v1.ColumnType;
import dev.colonnade.admin.v1.CreateColumnFamilyRequest;
import dev.colonnade.admin.v1.GetKeyspaceRequest;
import dev.colonnade.admin.v1.UpdateColumnFamilyRequest;
import dev.colonnade.search.v1.CreateIndexRequest;
import dev.colonnade.search.v1.DeleteDocumentRequest;
import dev.colonnade.search.v1.Hit;
import dev.colonnade.search.v1.IndexDocumentRequest;
import dev.colonnade.search.v1.IndexDocumentResponse;
import dev.colonnade.search.v1.SearchInteractionsRequest;
import dev.colonnade.search.v1.SearchInteractionsResponse;
import dev.colonnade.search.v1.SearchOrder;
import dev.colonnade.search.v1.SearchServiceGrpc;
import dev.colonnade.search.v1.SearchTermsRequest;
import dev.colonnade.search.v1.SearchTermsResponse;
import dev.colonnade.search.v1.StreamSearchInteractionsRequest;
import dev.colonnade.search.v1.StreamSearchTermsRequest;
import dev.colonnade.search.v1.StreamSearchTermsResponse;
import dev.colonnade.search.v1.TermQuery;
import dev.colonnade.v1.ConsistencyLevel;
import dev.colonnade.v1.ReadOptions;
import io.grpc.StatusRuntimeException;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;

/** The calls of SearchService. */
final class SearchCallsTest {

  private final Service service = Service.start();

  @AfterEach
  void stop() {
    service.close();
  }

  private SearchServiceGrpc.SearchServiceBlockingStub stub() {
    return SearchServiceGrpc.newBlockingStub(service.channel);
  }

  private void create(String analyzer) {
    stub().createIndex(definition("Inbox", analyzer).build());
  }

  private static CreateIndexRequest.Builder definition(String name, String analyzer) {
    return CreateIndexRequest.newBuilder()
        .setKeyspace(KS)
        .setName(name)
        .setAnalyzer(analyzer)
        .setIdType("LongType");
  }

  private static IndexDocumentRequest.Builder document(long id, String text) {
    return IndexDocumentRequest.newBuilder()
        .setKeyspace(KS)
        .setIndex("Inbox")
        .setUser(bytes("ada"))
        .setDocumentId(number(id))
        .addTexts(text);
  }

  private static SearchTermsRequest.Builder search(TermQuery.Builder query) {
    return SearchTermsRequest.newBuilder()
        .setKeyspace(KS)
        .setIndex("Inbox")
        .setUser(bytes("ada"))
        .setQuery(query);
  }

  private static List<Long> ids(List<Hit> hits) {
    return hits.stream().map(hit -> hit.getDocumentId().asReadOnlyByteBuffer().getLong()).toList();
  }

  private List<Long> find(TermQuery.Builder query) {
    return ids(stub().searchTerms(search(query).build()).getHitsList());
  }

  private void createFamily(ColumnFamilyDef.Builder family) {
    var unused =
        service
            .schema()
            .createColumnFamily(
                CreateColumnFamilyRequest.newBuilder().setColumnFamily(family).build());
  }

  private void refused(String reason, String field, Executable call) {
    StatusRuntimeException error = assertThrows(StatusRuntimeException.class, call);
    assertEquals(reason, Service.reason(error), error.toString());
    assertEquals(field, Service.field(error));
  }

  @Test
  void findsMailsByTheirWordsAndPeople() {
    create("english");
    stub()
        .indexDocument(
            document(1, "Lunch at the sushi bar?")
                .addTexts("Are you free on Friday")
                .addParticipants(bytes("bob"))
                .setPayload(bytes("lunch"))
                .build());
    stub().indexDocument(document(2, "Reports of friday").addParticipants(bytes("cy")).build());
    IndexDocumentResponse third =
        stub()
            .indexDocument(
                document(3, "The bar sells sushi")
                    .addParticipants(bytes("bob"))
                    .addParticipants(bytes("cy"))
                    .build());
    assertEquals(3, third.getTerms());
    assertEquals(List.of(2L, 1L), find(TermQuery.newBuilder().setAllOf("Fridays")));
    assertEquals(List.of(3L, 2L, 1L), find(TermQuery.newBuilder().setAnyOf("report bars")));
    assertEquals(List.of(1L), find(TermQuery.newBuilder().setPhrase("sushi bar")));
    assertEquals(List.of(2L), find(TermQuery.newBuilder().setPrefix("Repo")));
    assertEquals(
        List.of(3L), find(TermQuery.newBuilder().setAllOf("sushi").addParticipants(bytes("cy"))));
    assertEquals(List.of(), find(TermQuery.newBuilder().setAllOf("the")), "a stop word");
    SearchInteractionsResponse withBob =
        stub()
            .searchInteractions(
                SearchInteractionsRequest.newBuilder()
                    .setKeyspace(KS)
                    .setIndex("Inbox")
                    .setUser(bytes("ada"))
                    .setParticipant(bytes("bob"))
                    .build());
    assertEquals(List.of(3L, 1L), ids(withBob.getHitsList()));
    assertEquals(bytes("lunch"), withBob.getHits(1).getPayload());
    assertEquals(0, withBob.getHits(0).getScore());
    assertEquals(third.getTimestamp(), withBob.getHits(0).getTimestamp());
    stub()
        .deleteDocument(
            DeleteDocumentRequest.newBuilder()
                .setKeyspace(KS)
                .setIndex("Inbox")
                .setUser(bytes("ada"))
                .setDocumentId(number(3))
                .build());
    assertEquals(List.of(1L), find(TermQuery.newBuilder().setAllOf("sushi")));
  }

  @Test
  void pagesAndStreamsGoOnWhereTheyEnded() {
    create("standard");
    List<Long> all = new ArrayList<>();
    for (long i = 1; i <= 50; i++) {
      stub()
          .indexDocument(
              document(i, "common ".repeat((int) (i % 7) + 1) + "word")
                  .addParticipants(bytes("bob"))
                  .build());
      all.add(0, i);
    }
    for (SearchOrder order :
        List.of(SearchOrder.SEARCH_ORDER_UNSPECIFIED, SearchOrder.SEARCH_ORDER_BEST_FIRST)) {
      SearchTermsRequest first =
          search(TermQuery.newBuilder().setAllOf("common word"))
              .setOrder(order)
              .setPageSize(7)
              .build();
      List<Hit> paged = new ArrayList<>();
      SearchTermsRequest next = first;
      do {
        SearchTermsResponse page = stub().searchTerms(next);
        paged.addAll(page.getHitsList());
        assertTrue(page.getHitsCount() <= 7);
        next = first.toBuilder().setPageToken(page.getNextPageToken()).build();
      } while (!next.getPageToken().isEmpty());
      assertEquals(
          all, ids(paged).stream().sorted((a, b) -> Long.compare(b, a)).toList(), "each once");
      if (order == SearchOrder.SEARCH_ORDER_BEST_FIRST) {
        for (int i = 1; i < paged.size(); i++) {
          assertTrue(paged.get(i - 1).getScore() >= paged.get(i).getScore(), "the best first");
        }
        assertEquals(List.of(48L, 41L, 34L, 27L, 20L, 13L, 6L), ids(paged.subList(0, 7)));
      } else {
        assertEquals(all, ids(paged));
      }
      StreamSearchTermsRequest stream =
          StreamSearchTermsRequest.newBuilder()
              .setKeyspace(KS)
              .setIndex("Inbox")
              .setUser(bytes("ada"))
              .setQuery(first.getQuery())
              .setOrder(order)
              .setChunkSize(6)
              .build();
      List<Hit> streamed = new ArrayList<>();
      String token = "";
      for (int begun = 0; streamed.size() < 50; begun++) {
        assertTrue(begun < 10, "the stream comes to its end");
        Iterator<StreamSearchTermsResponse> chunks =
            stub().streamSearchTerms(stream.toBuilder().setResumeToken(token).build());
        for (int chunk = 0; chunk < 3 && chunks.hasNext(); chunk++) {
          StreamSearchTermsResponse message = chunks.next();
          streamed.addAll(message.getHitsList());
          token = message.getResumeToken();
        }
      }
      assertEquals(paged, streamed);
      assertFalse(
          stub().streamSearchTerms(stream.toBuilder().setResumeToken(token).build()).hasNext(),
          "nothing is behind the last chunk");
    }
    List<Hit> interactions = new ArrayList<>();
    stub()
        .streamSearchInteractions(
            StreamSearchInteractionsRequest.newBuilder()
                .setKeyspace(KS)
                .setIndex("Inbox")
                .setUser(bytes("ada"))
                .setParticipant(bytes("bob"))
                .setChunkSize(20)
                .setOptions(ReadOptions.newBuilder().setIncludeStats(true))
                .build())
        .forEachRemaining(message -> interactions.addAll(message.getHitsList()));
    assertEquals(all, ids(interactions));
  }

  /** Those of the rare term are far from each other among those of the other one. */
  @Test
  void documentsOfARareTermAreFoundAmongManyOfACommonOne() {
    create("standard");
    List<Long> rare = new ArrayList<>();
    for (long i = 1; i <= 120; i++) {
      boolean both = i % 12 == 0;
      stub().indexDocument(document(i, both ? "common rare" : "common").build());
      if (both) {
        rare.add(0, i);
      }
    }
    SearchTermsResponse found =
        stub().searchTerms(search(TermQuery.newBuilder().setAllOf("common rare")).build());
    assertEquals(rare, ids(found.getHitsList()));
  }

  @Test
  void anIndexIsAFamilyThatSaysItsAnalyzer() {
    create("german");
    ColumnFamilyDef family =
        service
            .schema()
            .getKeyspace(GetKeyspaceRequest.newBuilder().setName(KS).build())
            .getKeyspace()
            .getColumnFamiliesList()
            .stream()
            .filter(each -> each.getName().equals("Inbox"))
            .findFirst()
            .orElseThrow();
    assertEquals("german", family.getAnalyzer());
    assertEquals("BytesType", family.getCompareWith());
    assertEquals("LongType", family.getCompareSubcolumnsWith());
    StatusRuntimeException changed =
        assertThrows(
            StatusRuntimeException.class,
            () ->
                service
                    .schema()
                    .updateColumnFamily(
                        UpdateColumnFamilyRequest.newBuilder()
                            .setColumnFamily(
                                ColumnFamilyDef.newBuilder()
                                    .setKeyspace(KS)
                                    .setName("Inbox")
                                    .setAnalyzer("english"))
                            .build()));
    assertEquals("COMPARATOR_CANNOT_CHANGE", Service.reason(changed));
    assertTrue(String.valueOf(changed.getMessage()).contains("documents were indexed with it"));
  }

  @Test
  void refusesWhatItCannotDoAndSaysWhy() {
    create("standard");
    ColumnFamilyDef.Builder family =
        ColumnFamilyDef.newBuilder()
            .setKeyspace(KS)
            .setName("Other")
            .setColumnType(ColumnType.COLUMN_TYPE_SUPER)
            .setAnalyzer("klingon");
    refused("INVALID_REQUEST", "column_family.analyzer", () -> createFamily(family));
    refused(
        "INVALID_REQUEST",
        "column_family.analyzer",
        () -> createFamily(family.setAnalyzer("standard").setCompareWith("UTF8Type")));
    createFamily(family.clearCompareWith());
    refused("COLUMN_FAMILY_EXISTS", "name", () -> create("standard"));
    refused("INVALID_REQUEST", "analyzer", () -> create("klingon"));
    refused(
        "INVALID_REQUEST",
        "id_type",
        () -> stub().createIndex(definition("Third", "").setIdType("NoType").build()));
    refused("INVALID_REQUEST", "name", () -> stub().createIndex(definition("", "").build()));
    refused(
        "KEYSPACE_NOT_FOUND",
        "keyspace",
        () -> stub().createIndex(definition("Other", "").setKeyspace("none").build()));
    refused(
        "SYSTEM_KEYSPACE_READ_ONLY",
        "keyspace",
        () -> stub().createIndex(definition("Other", "").setKeyspace("system").build()));
    refused(
        "INVALID_REQUEST",
        "index",
        () -> stub().indexDocument(document(1, "a").setIndex("Super1").build()));
    refused(
        "COLUMN_FAMILY_NOT_FOUND",
        "index",
        () -> stub().indexDocument(document(1, "a").setIndex("none").build()));
    refused(
        "INVALID_REQUEST",
        "document_id",
        () -> stub().indexDocument(document(1, "a").setDocumentId(bytes("x")).build()));
    refused(
        "INVALID_REQUEST",
        "user",
        () -> stub().indexDocument(document(1, "a").setUser(ByteString.EMPTY).build()));
    refused(
        "INVALID_REQUEST",
        "timestamp",
        () -> stub().indexDocument(document(1, "a").setTimestamp(Long.MIN_VALUE).build()));
    refused(
        "REQUEST_TOO_LARGE",
        "texts",
        () -> stub().indexDocument(document(1, "a".repeat(1 << 20)).addTexts("b").build()));
    refused(
        "REQUEST_TOO_LARGE",
        "query.participants",
        () ->
            find(
                TermQuery.newBuilder()
                    .addAllParticipants(
                        IntStream.range(0, 65).mapToObj(i -> bytes("p" + i)).toList())));
    // Without terms, which are counted.
    String nothing = ".".repeat((64 << 10) + 1);
    refused(
        "REQUEST_TOO_LARGE", "query.all_of", () -> find(TermQuery.newBuilder().setAllOf(nothing)));
    refused(
        "REQUEST_TOO_LARGE", "query.prefix", () -> find(TermQuery.newBuilder().setPrefix(nothing)));
    refused("INVALID_REQUEST", "query", () -> find(TermQuery.newBuilder()));
    refused(
        "INVALID_REQUEST",
        "page_size",
        () ->
            stub()
                .searchTerms(
                    search(TermQuery.newBuilder().setAllOf("a")).setPageSize(1_001).build()));
    refused(
        "INVALID_REQUEST",
        "options.consistency_level",
        () ->
            stub()
                .searchTerms(
                    search(TermQuery.newBuilder().setAllOf("a"))
                        .setOptions(
                            ReadOptions.newBuilder()
                                .setConsistencyLevel(ConsistencyLevel.CONSISTENCY_LEVEL_ANY))
                        .build()));
    refused(
        "INVALID_PAGE_TOKEN",
        "page_token",
        () ->
            stub()
                .searchTerms(
                    search(TermQuery.newBuilder().setAllOf("a")).setPageToken("AAAA").build()));
    refused(
        "INVALID_REQUEST",
        "participant",
        () ->
            stub()
                .searchInteractions(
                    SearchInteractionsRequest.newBuilder()
                        .setKeyspace(KS)
                        .setIndex("Inbox")
                        .setUser(bytes("ada"))
                        .build()));
    refused(
        "INVALID_REQUEST",
        "index",
        () ->
            stub()
                .streamSearchTerms(
                    StreamSearchTermsRequest.newBuilder()
                        .setKeyspace(KS)
                        .setIndex("Super1")
                        .setUser(bytes("ada"))
                        .setQuery(TermQuery.newBuilder().setAllOf("a"))
                        .build())
                .hasNext());
  }

  /** Each column has the id, so that a small request could become a mutation of gigabytes. */
  @Test
  void aDocumentOfManyTermsHasNoLongId() {
    stub().createIndex(definition("Inbox", "standard").setIdType("BytesType").build());
    String text = IntStream.range(0, 1_000).mapToObj(i -> "word" + i).collect(joining(" "));
    IndexDocumentRequest.Builder document = document(1, text);
    refused(
        "REQUEST_TOO_LARGE",
        "texts",
        () -> stub().indexDocument(document.setDocumentId(bytes("x".repeat(30_000))).build()));
    assertEquals(
        1_000,
        stub().indexDocument(document.setDocumentId(bytes("x".repeat(1_000))).build()).getTerms());
  }

  @Test
  void aPrefixOfTooManyTermsIsRefused() {
    create("standard");
    StringBuilder text = new StringBuilder();
    for (int i = 0; i < 300; i++) {
      text.append("word").append(i).append(' ');
    }
    stub().indexDocument(document(1, text.toString()).build());
    refused(
        "REQUEST_TOO_LARGE", "query.prefix", () -> find(TermQuery.newBuilder().setPrefix("wor")));
    assertEquals(List.of(1L), find(TermQuery.newBuilder().setPrefix("word29")));
  }

  @Test
  void aTokenBelongsToItsRequest() {
    create("standard");
    for (long i = 1; i <= 3; i++) {
      stub().indexDocument(document(i, "a b").build());
    }
    SearchTermsRequest first = search(TermQuery.newBuilder().setAllOf("a")).setPageSize(1).build();
    String token = stub().searchTerms(first).getNextPageToken();
    assertTrue(!token.isEmpty());
    refused(
        "INVALID_PAGE_TOKEN",
        "page_token",
        () ->
            stub()
                .searchTerms(
                    search(TermQuery.newBuilder().setAllOf("b")).setPageToken(token).build()));
  }
}
