package dev.colonnade.server.service.search;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.lucene.analysis.Analyzer;
import org.apache.lucene.analysis.DelegatingAnalyzerWrapper;
import org.apache.lucene.document.Document;
import org.apache.lucene.document.Field;
import org.apache.lucene.document.StoredField;
import org.apache.lucene.document.StringField;
import org.apache.lucene.document.TextField;
import org.apache.lucene.index.DirectoryReader;
import org.apache.lucene.index.IndexWriter;
import org.apache.lucene.index.IndexWriterConfig;
import org.apache.lucene.index.Term;
import org.apache.lucene.search.BooleanClause;
import org.apache.lucene.search.BooleanQuery;
import org.apache.lucene.search.IndexSearcher;
import org.apache.lucene.search.PrefixQuery;
import org.apache.lucene.search.Query;
import org.apache.lucene.search.ScoreDoc;
import org.apache.lucene.search.TermQuery;
import org.apache.lucene.store.ByteBuffersDirectory;
import org.apache.lucene.util.BytesRef;
import org.apache.lucene.util.QueryBuilder;
import org.jspecify.annotations.Nullable;

/** What Lucene itself finds: an index in memory for each user. */
final class LuceneOracle {

  private static final String TEXT = "text";
  private static final String WITH = "with";

  /**
   * A document as it is now.
   *
   * @param texts its parts
   * @param participants of it
   */
  record Content(List<String> texts, List<String> participants) {}

  private final Analyzer analyzer;
  private final Map<String, IndexSearcher> searchers = new TreeMap<>();

  LuceneOracle(Analyzer analyzer, Map<String, Map<Long, Content>> users) throws IOException {
    this.analyzer = analyzer;
    for (Map.Entry<String, Map<Long, Content>> user : users.entrySet()) {
      searchers.put(user.getKey(), searcher(user.getValue()));
    }
  }

  private IndexSearcher searcher(Map<Long, Content> documents) throws IOException {
    ByteBuffersDirectory directory = new ByteBuffersDirectory();
    try (IndexWriter writer = new IndexWriter(directory, new IndexWriterConfig(withGap()))) {
      for (Map.Entry<Long, Content> document : documents.entrySet()) {
        Document fields = new Document();
        fields.add(new StoredField("id", document.getKey()));
        for (String text : document.getValue().texts()) {
          fields.add(new TextField(TEXT, text, Field.Store.NO));
        }
        for (String participant : document.getValue().participants()) {
          fields.add(new StringField(WITH, participant, Field.Store.NO));
        }
        writer.addDocument(fields);
      }
    }
    return new IndexSearcher(DirectoryReader.open(directory));
  }

  /** The same analyzer, with a gap between the texts of a document. */
  private Analyzer withGap() {
    return new DelegatingAnalyzerWrapper(Analyzer.PER_FIELD_REUSE_STRATEGY) {
      @Override
      protected Analyzer getWrappedAnalyzer(String fieldName) {
        return analyzer;
      }

      @Override
      public int getPositionIncrementGap(String fieldName) {
        return 100;
      }
    };
  }

  /** The ids that Lucene finds, the greatest first. */
  List<Long> search(String user, SearchText text) throws IOException {
    BooleanQuery.Builder all = new BooleanQuery.Builder();
    QueryBuilder builder = new QueryBuilder(analyzer);
    int asked = 0;
    asked += require(all, builder.createBooleanQuery(TEXT, text.allOf(), BooleanClause.Occur.MUST));
    asked +=
        require(all, builder.createBooleanQuery(TEXT, text.anyOf(), BooleanClause.Occur.SHOULD));
    asked += require(all, builder.createPhraseQuery(TEXT, text.phrase()));
    if (!text.prefix().isEmpty()) {
      BytesRef prefix = analyzer.normalize(TEXT, text.prefix());
      asked += require(all, new PrefixQuery(new Term(TEXT, prefix)));
    }
    for (byte[] participant : text.participants()) {
      asked += require(all, new TermQuery(new Term(WITH, new BytesRef(participant))));
    }
    IndexSearcher searcher = searchers.get(user);
    if (asked == 0 || searcher == null) {
      return List.of();
    }
    List<Long> ids = new ArrayList<>();
    for (ScoreDoc found : searcher.search(all.build(), 1_000_000).scoreDocs) {
      ids.add(
          searcher.storedFields().document(found.doc).getField("id").numericValue().longValue());
    }
    ids.sort(Comparator.reverseOrder());
    return ids;
  }

  private static int require(BooleanQuery.Builder all, @Nullable Query query) {
    if (query == null) {
      return 0;
    }
    all.add(query, BooleanClause.Occur.MUST);
    return 1;
  }
}
