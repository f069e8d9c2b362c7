package dev.colonnade.server.service.search;

import dev.colonnade.server.base.async.AsyncLoop;
import dev.colonnade.server.base.env.PlugIns;
import dev.colonnade.server.base.model.Cell;
import dev.colonnade.server.base.model.PageSink;
import dev.colonnade.server.base.model.PathRange;
import dev.colonnade.server.base.model.RowKey;
import dev.colonnade.server.base.model.Slice;
import dev.colonnade.server.base.schema.ColumnFamily;
import dev.colonnade.server.base.schema.FamilyDefinition;
import dev.colonnade.server.base.schema.FamilyField;
import dev.colonnade.server.base.schema.KeyspaceDefinition;
import dev.colonnade.server.base.schema.SchemaException;
import dev.colonnade.server.service.consistency.CallCost;
import dev.colonnade.server.service.consistency.Consistency;
import dev.colonnade.server.service.consistency.IncreasingTimestamps;
import dev.colonnade.server.service.coordinator.RowStore;
import dev.colonnade.server.service.read.SliceRead;
import dev.colonnade.server.sim.SimClock;
import dev.colonnade.server.sim.SimFileSystem;
import dev.colonnade.server.sim.store.SimulatedStore;
import dev.colonnade.server.storage.engine.EngineSettings;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;

/** An index in a simulated store; its documents' ids are numbers. */
final class TestIndex {

  static final SearchSettings LIMITS = SearchSettings.DEFAULT;

  final SimulatedStore store;
  final Analyzers analyzers;
  private final SearchSettings limits;
  private final DocumentIndexer indexer;
  private final SearchEngine engine;

  /** What the last search has cost. */
  CallCost cost = CallCost.NONE;

  private TestIndex(SimulatedStore store, SearchSettings limits) {
    this.store = store;
    this.limits = limits;
    this.analyzers = new Analyzers(PlugIns.NONE, store.scheduler());
    this.indexer =
        new DocumentIndexer(
            analyzers, limits, new IncreasingTimestamps(store.clock()), store.clock());
    this.engine = new SearchEngine(analyzers, limits);
  }

  /** An empty index with an analyzer. */
  static TestIndex create(EngineSettings settings, String analyzer)
      throws IOException, SchemaException {
    return create(settings, analyzer, LIMITS);
  }

  /** An empty index with limits of its own. */
  static TestIndex create(EngineSettings settings, String analyzer, SearchSettings limits)
      throws IOException, SchemaException {
    SimClock clock = new SimClock();
    TestIndex index =
        new TestIndex(SimulatedStore.open(new SimFileSystem(), settings, clock), limits);
    index.store.await(
        index
            .store
            .schema()
            .createKeyspace(
                KeyspaceDefinition.of("K")
                    .withFamily(
                        FamilyDefinition.superFamily("", "Mails", "BytesType", "LongType")
                            .with(FamilyField.ANALYZER, analyzer)
                            .with(FamilyField.GC_GRACE, 0)
                            .with(FamilyField.MIN_COMPACTION_THRESHOLD, 0)
                            .with(FamilyField.MAX_COMPACTION_THRESHOLD, 0))));
    return index;
  }

  ColumnFamily family() {
    return store.family("K", "Mails");
  }

  RowStore rows() {
    return store.coordinator();
  }

  UserRow row(String user) {
    return row(rows(), user);
  }

  UserRow row(RowStore rows, String user) {
    return new UserRow(rows, family(), store.key(user), Consistency.ONE, () -> Long.MAX_VALUE);
  }

  private static DocumentIndexer.Writing writing(RowStore rows) {
    return new DocumentIndexer.Writing(rows, true, Consistency.ONE, Long.MAX_VALUE);
  }

  static byte[] id(long id) {
    return ByteBuffer.allocate(Long.BYTES).putLong(id).array();
  }

  static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  static DocumentIndexer.Document document(long id, OptionalLong timestamp, String... texts) {
    return new DocumentIndexer.Document(
        id(id), List.of(texts), List.of(), bytes("payload of " + id), timestamp);
  }

  DocumentIndexer.Outcome index(String user, long id, String... texts) {
    return store.await(begin(rows(), user, document(id, OptionalLong.empty(), texts)));
  }

  DocumentIndexer.Outcome index(String user, long id, List<byte[]> participants, String... texts) {
    return store.await(
        begin(
            rows(),
            user,
            new DocumentIndexer.Document(
                id(id), List.of(texts), participants, new byte[0], OptionalLong.empty())));
  }

  CompletableFuture<DocumentIndexer.Outcome> begin(
      RowStore rows, String user, DocumentIndexer.Document document) {
    return indexer.index(row(rows, user), document, writing(rows));
  }

  DocumentIndexer.Outcome delete(String user, long id) {
    return store.await(beginDelete(rows(), user, id, OptionalLong.empty()));
  }

  CompletableFuture<DocumentIndexer.Outcome> beginDelete(
      RowStore rows, String user, long id, OptionalLong timestamp) {
    return indexer.remove(row(rows, user), id(id), timestamp, writing(rows));
  }

  static SearchText allOf(String text) {
    return new SearchText(text, "", "", "", List.of());
  }

  static SearchText anyOf(String text) {
    return new SearchText("", text, "", "", List.of());
  }

  static SearchText phrase(String text) {
    return new SearchText("", "", text, "", List.of());
  }

  static SearchText prefix(String text) {
    return new SearchText("", "", "", text, List.of());
  }

  /** Reads of a phrase, none of which has been made. */
  MatchReader reader(String user, String phrase) {
    TextAnalyzer analyzer = store.await(analyzers.of(family().analyzer().orElseThrow()));
    return new MatchReader(
        row(user), SearchQuery.of(phrase(phrase), analyzer, limits), limits, null, 100);
  }

  /** The ids of one page. */
  TermSearch page(String user, SearchText text, boolean bestFirst, int hits) {
    return store.await(beginPage(rows(), user, text, bestFirst, hits, Optional.empty()));
  }

  CompletableFuture<TermSearch> beginPage(
      RowStore rows,
      String user,
      SearchText text,
      boolean bestFirst,
      int hits,
      Optional<SearchPosition> after) {
    return engine
        .terms(
            row(rows, user),
            text,
            new TermSearch.PageSpec(bestFirst, hits, after, store.clock().wallSeconds()))
        .thenCompose(
            search ->
                AsyncLoop.whileTrue(search::step)
                    .thenApply(
                        done -> {
                          engine.clear(search, rows, true, Long.MAX_VALUE);
                          cost = search.row().cost();
                          return search;
                        }));
  }

  /** The ids of all pages. */
  List<Long> search(String user, SearchText text) {
    return search(user, text, false, 7);
  }

  List<Long> search(String user, SearchText text, boolean bestFirst, int hits) {
    List<Long> ids = new ArrayList<>();
    Optional<SearchPosition> after = Optional.empty();
    while (true) {
      TermSearch page = store.await(beginPage(rows(), user, text, bestFirst, hits, after));
      ids.addAll(ids(page));
      after = page.next();
      if (after.isEmpty()) {
        return ids;
      }
    }
  }

  static List<Long> ids(TermSearch page) {
    return page.hits().stream().map(hit -> ByteBuffer.wrap(hit.id()).getLong()).toList();
  }

  /** The live cells of a row, as they lie there. */
  List<Cell> cells(String user) {
    RowKey key = store.key(user);
    return store
        .await(
            rows()
                .read(
                    new SliceRead(
                        family(),
                        key,
                        new Slice(List.of(PathRange.ALL), false, false, Long.MAX_VALUE),
                        Optional.empty(),
                        64 << 20,
                        Consistency.ONE,
                        Long.MAX_VALUE,
                        PageSink.LISTS)))
        .cells();
  }

  void flush() {
    store.await(store.operations().flush(List.of(family())));
  }

  /** Merges all files into one, and drops what was deleted: time passes. */
  void compact() {
    flush();
    store.scheduler().advance(Duration.ofSeconds(5));
    store.await(store.operations().compact(List.of(family()), progress -> {}));
  }
}
