package dev.colonnade.server.service.rpc;

import com.google.protobuf.ByteString;
import dev.colonnade.search.v1.CreateIndexRequest;
import dev.colonnade.search.v1.CreateIndexResponse;
import dev.colonnade.search.v1.DeleteDocumentRequest;
import dev.colonnade.search.v1.DeleteDocumentResponse;
import dev.colonnade.search.v1.IndexDocumentRequest;
import dev.colonnade.search.v1.IndexDocumentResponse;
import dev.colonnade.search.v1.SearchInteractionsRequest;
import dev.colonnade.search.v1.SearchInteractionsResponse;
import dev.colonnade.search.v1.SearchServiceGrpc;
import dev.colonnade.search.v1.SearchTermsRequest;
import dev.colonnade.search.v1.SearchTermsResponse;
import dev.colonnade.search.v1.StreamSearchInteractionsRequest;
import dev.colonnade.search.v1.StreamSearchInteractionsResponse;
import dev.colonnade.search.v1.StreamSearchTermsRequest;
import dev.colonnade.search.v1.StreamSearchTermsResponse;
import dev.colonnade.server.base.async.Errors;
import dev.colonnade.server.base.schema.ColumnFamily;
import dev.colonnade.server.base.schema.FamilyDefinition;
import dev.colonnade.server.base.schema.FamilyField;
import dev.colonnade.server.base.schema.Keyspace;
import dev.colonnade.server.base.schema.SchemaException;
import dev.colonnade.server.service.consistency.Consistency;
import dev.colonnade.server.service.consistency.SchemaStore;
import dev.colonnade.server.service.search.Analyzers;
import dev.colonnade.server.service.search.DocumentIndexer;
import dev.colonnade.server.service.search.SearchEngine;
import dev.colonnade.server.service.search.SearchSettings;
import dev.colonnade.server.service.search.UserRow;
import io.grpc.stub.ServerCallStreamObserver;
import io.grpc.stub.StreamObserver;
import java.util.OptionalLong;
import java.util.concurrent.CompletionException;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Serves the calls that index documents and search them. Thread-safe. */
final class SearchCalls extends SearchServiceGrpc.SearchServiceImplBase {

  private static final String TERMS = "BytesType";
  private static final String DEFAULT_IDS = "TimeUUIDType";

  private final SchemaStore schemas;
  private final RpcContext rpc;
  private final Analyzers analyzers;
  private final DocumentIndexer indexer;
  private final SearchPages pages;

  SearchCalls(SchemaStore schemas, Analyzers analyzers, SearchSettings limits, RpcContext rpc) {
    this.schemas = schemas;
    this.rpc = rpc;
    this.analyzers = analyzers;
    this.indexer = new DocumentIndexer(analyzers, limits, rpc.timestamps(), rpc.clock());
    this.pages = new SearchPages(rpc, new SearchEngine(analyzers, limits), limits);
  }

  @Override
  public void createIndex(
      CreateIndexRequest request, StreamObserver<CreateIndexResponse> observer) {
    rpc.write(
        observer,
        () -> {
          rpc.rules().writableKeyspace(request.getKeyspace());
          if (request.getName().isEmpty()) {
            throw RequestRefusal.invalid("name", "name is required");
          }
          String analyzer =
              request.getAnalyzer().isEmpty() ? Analyzers.DEFAULT : request.getAnalyzer();
          long deadlineNanos = rpc.scope().callersDeadlineNanos();
          return analyzers
              .check(analyzer, "analyzer")
              .thenCompose(
                  known ->
                      schemas.inTime(
                          schemas.createFamily(definition(request, analyzer)), deadlineNanos))
              .handle(SearchCalls::inTermsOfTheRequest)
              .thenApply(
                  version -> CreateIndexResponse.newBuilder().setSchemaVersion(version).build());
        });
  }

  private static FamilyDefinition definition(CreateIndexRequest request, String analyzer) {
    FamilyDefinition family =
        FamilyDefinition.superFamily(
                request.getKeyspace(),
                request.getName(),
                TERMS,
                request.getIdType().isEmpty() ? DEFAULT_IDS : request.getIdType())
            .with(FamilyField.ANALYZER, analyzer);
    return request.getComment().isEmpty()
        ? family
        : family.with(FamilyField.COMMENT, request.getComment());
  }

  /** The schema names fields of a column family's definition; the caller gave those of an index. */
  private static String inTermsOfTheRequest(String version, @Nullable Throwable failure) {
    if (failure == null) {
      return version;
    }
    if (Errors.unwrap(failure) instanceof SchemaException schema) {
      RequestRefusal refusal = SchemaRefusals.translate(schema);
      String field = schema.field().substring(schema.field().lastIndexOf('.') + 1);
      throw RequestRefusal.of(
          refusal.code(),
          refusal.reason(),
          field.equals(FamilyField.COMPARE_SUBCOLUMNS_WITH.path()) ? "id_type" : field,
          refusal.text());
    }
    throw failure instanceof CompletionException done ? done : new CompletionException(failure);
  }

  @Override
  public void indexDocument(
      IndexDocumentRequest request, StreamObserver<IndexDocumentResponse> observer) {
    rpc.write(
        observer,
        () -> {
          CallContext callContext = rpc.scope();
          RequestRules rules = rpc.rules();
          Keyspace keyspace = rules.writableKeyspace(request.getKeyspace());
          ColumnFamily index = pages.index(keyspace, request.getIndex());
          DocumentIndexer.Document document =
              new DocumentIndexer.Document(
                  rules.name("document_id", request.getDocumentId(), index.order().leafType()),
                  request.getTextsList(),
                  request.getParticipantsList().stream().map(ByteString::toByteArray).toList(),
                  request.getPayload().toByteArray(),
                  timestamp(request.hasTimestamp(), request.getTimestamp()));
          Consistency level =
              rules.writeLevel(keyspace, request.getOptions().getConsistencyLevel());
          return indexer
              .index(
                  row(callContext, index, request.getUser(), level),
                  document,
                  writing(callContext, keyspace, level))
              .thenApply(
                  outcome -> {
                    IndexDocumentResponse.Builder response =
                        IndexDocumentResponse.newBuilder()
                            .setTimestamp(outcome.timestamp())
                            .setTerms(outcome.terms())
                            .setSuperseded(outcome.superseded());
                    if (request.getOptions().getIncludeStats()) {
                      callContext.spent(outcome.cost());
                      response.setStats(callContext.stats());
                    }
                    return response.build();
                  });
        });
  }

  @Override
  public void deleteDocument(
      DeleteDocumentRequest request, StreamObserver<DeleteDocumentResponse> observer) {
    rpc.write(
        observer,
        () -> {
          CallContext callContext = rpc.scope();
          RequestRules rules = rpc.rules();
          Keyspace keyspace = rules.writableKeyspace(request.getKeyspace());
          ColumnFamily index = pages.index(keyspace, request.getIndex());
          byte[] id = rules.name("document_id", request.getDocumentId(), index.order().leafType());
          Consistency level =
              rules.writeLevel(keyspace, request.getOptions().getConsistencyLevel());
          return indexer
              .remove(
                  row(callContext, index, request.getUser(), level),
                  id,
                  timestamp(request.hasTimestamp(), request.getTimestamp()),
                  writing(callContext, keyspace, level))
              .thenApply(
                  outcome -> {
                    DeleteDocumentResponse.Builder response =
                        DeleteDocumentResponse.newBuilder().setTimestamp(outcome.timestamp());
                    if (request.getOptions().getIncludeStats()) {
                      callContext.spent(outcome.cost());
                      response.setStats(callContext.stats());
                    }
                    return response.build();
                  });
        });
  }

  private static OptionalLong timestamp(boolean present, long timestamp) {
    if (!present) {
      return OptionalLong.empty();
    }
    if (timestamp == Long.MIN_VALUE) {
      throw RequestRefusal.invalid(
          "timestamp", "-2^63 stands for no time; a version of a document needs one above it");
    }
    return OptionalLong.of(timestamp);
  }

  /** The row as a write reads it: at its own level, where a read can have that. */
  private UserRow row(
      CallContext callContext, ColumnFamily index, ByteString user, Consistency level) {
    Consistency readLevel =
        level == Consistency.ANY || level == Consistency.ZERO ? Consistency.ONE : level;
    return new UserRow(
        callContext.rows(rpc.store()),
        index,
        rpc.rules().key("user", user),
        readLevel,
        callContext::deadlineNanos);
  }

  private DocumentIndexer.Writing writing(
      CallContext callContext, Keyspace keyspace, Consistency level) {
    return new DocumentIndexer.Writing(
        callContext.rows(rpc.store()),
        keyspace.durableWrites(),
        level,
        callContext.deadlineNanos());
  }

  @Override
  public void searchTerms(
      SearchTermsRequest request, StreamObserver<SearchTermsResponse> observer) {
    rpc.read(observer, () -> pages.terms(request, rpc.scope()));
  }

  @Override
  public void streamSearchTerms(
      StreamSearchTermsRequest request, StreamObserver<StreamSearchTermsResponse> observer) {
    start(observer, call -> pages.streamTerms(request, call));
  }

  @Override
  public void searchInteractions(
      SearchInteractionsRequest request, StreamObserver<SearchInteractionsResponse> observer) {
    rpc.read(observer, () -> pages.interactions(request, rpc.scope()));
  }

  @Override
  public void streamSearchInteractions(
      StreamSearchInteractionsRequest request,
      StreamObserver<StreamSearchInteractionsResponse> observer) {
    start(observer, call -> pages.streamInteractions(request, call));
  }

  /** Begins a stream; a request that is refused ends it. */
  private <T> void start(
      StreamObserver<T> observer, Consumer<ServerCallStreamObserver<T>> beginning) {
    try {
      beginning.accept((ServerCallStreamObserver<T>) observer);
    } catch (RuntimeException e) {
      observer.onError(rpc.errors().ofRead(e));
    }
  }
}
