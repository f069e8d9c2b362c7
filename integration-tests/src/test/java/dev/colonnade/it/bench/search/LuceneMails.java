package dev.colonnade.it.bench.search;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import org.apache.lucene.analysis.Analyzer;
import org.apache.lucene.document.Document;
import org.apache.lucene.document.Field;
import org.apache.lucene.document.LongField;
import org.apache.lucene.document.StoredField;
import org.apache.lucene.document.StringField;
import org.apache.lucene.document.TextField;
import org.apache.lucene.index.DirectoryReader;
import org.apache.lucene.index.IndexWriter;
import org.apache.lucene.index.IndexWriterConfig;
import org.apache.lucene.index.StoredFields;
import org.apache.lucene.index.Term;
import org.apache.lucene.search.BooleanClause;
import org.apache.lucene.search.IndexSearcher;
import org.apache.lucene.search.PrefixQuery;
import org.apache.lucene.search.Query;
import org.apache.lucene.search.ScoreDoc;
import org.apache.lucene.search.Sort;
import org.apache.lucene.search.SortedNumericSelector;
import org.apache.lucene.search.TermQuery;
import org.apache.lucene.store.Directory;
import org.apache.lucene.store.FSDirectory;
import org.apache.lucene.util.QueryBuilder;

/**
 * Mails in an index of Lucene for each user, in this process. Writers are committed as often as a
 * node syncs its log by default, and at the end.
 */
final class LuceneMails implements MailStore {

  private static final Duration COMMIT_EVERY = Duration.ofSeconds(10);

  private static final String ID = "id";
  private static final String KEY = "key";
  private static final String TEXT = "text";
  private static final String WITH = "with";
  private static final String PAYLOAD = "payload";

  private static final Sort NEWEST_FIRST =
      new Sort(LongField.newSortField(ID, true, SortedNumericSelector.Type.MAX));

  private final Path folder;
  private final Analyzer analyzer;
  private final QueryBuilder builder;
  private final Map<String, Directory> directories = new TreeMap<>();
  private final Map<String, IndexWriter> writers = new TreeMap<>();
  private final Map<String, IndexSearcher> searchers = new TreeMap<>();
  private final AtomicLong committed = new AtomicLong(System.nanoTime());

  /** Creates an empty index for each user, below a folder. */
  LuceneMails(Path folder, MailSource source, Analyzer analyzer) throws IOException {
    this.folder = folder;
    this.analyzer = analyzer;
    this.builder = new QueryBuilder(analyzer);
    for (int i = 0; i < source.users(); i++) {
      String user = source.user(i);
      Directory directory = FSDirectory.open(Files.createDirectories(folder.resolve(user)));
      directories.put(user, directory);
      writers.put(user, new IndexWriter(directory, new IndexWriterConfig(analyzer)));
    }
  }

  @Override
  public String name() {
    return "lucene";
  }

  @Override
  public void index(MailSource.Mail mail) throws IOException {
    Document document = new Document();
    String key = Long.toString(mail.id());
    document.add(new StringField(KEY, key, Field.Store.NO));
    document.add(new LongField(ID, mail.id(), Field.Store.YES));
    document.add(new TextField(TEXT, mail.text(), Field.Store.NO));
    for (String participant : mail.participants()) {
      document.add(new StringField(WITH, participant, Field.Store.NO));
    }
    document.add(new StoredField(PAYLOAD, mail.payload()));
    long unused = writer(mail.user()).updateDocument(new Term(KEY, key), document);
    long last = committed.get();
    long now = System.nanoTime();
    if (now - last >= COMMIT_EVERY.toNanos() && committed.compareAndSet(last, now)) {
      commit();
    }
  }

  private IndexWriter writer(String user) {
    return Objects.requireNonNull(writers.get(user));
  }

  private void commit() throws IOException {
    for (IndexWriter writer : writers.values()) {
      long unused = writer.commit();
    }
  }

  @Override
  public void settle() throws IOException {
    commit();
    for (Map.Entry<String, IndexWriter> user : writers.entrySet()) {
      user.getValue().close();
      Directory directory = Objects.requireNonNull(directories.get(user.getKey()));
      searchers.put(user.getKey(), new IndexSearcher(DirectoryReader.open(directory)));
    }
  }

  @Override
  public List<Long> newest(MailSource.Query query, int limit) throws IOException {
    IndexSearcher searcher = Objects.requireNonNull(searchers.get(query.user()));
    List<Long> ids = new ArrayList<>();
    StoredFields stored = searcher.storedFields();
    for (ScoreDoc found : searcher.search(translated(query), limit, NEWEST_FIRST).scoreDocs) {
      Document document = stored.document(found.doc);
      if (document.get(PAYLOAD) == null) {
        throw new IOException("a mail was stored without its payload");
      }
      ids.add(document.getField(ID).numericValue().longValue());
    }
    return ids;
  }

  private Query translated(MailSource.Query query) {
    return switch (query.kind()) {
      case PHRASE -> builder.createPhraseQuery(TEXT, query.text());
      case PREFIX -> new PrefixQuery(new Term(TEXT, analyzer.normalize(TEXT, query.text())));
      case INTERACTIONS -> new TermQuery(new Term(WITH, query.text()));
      case ONE_WORD, TWO_WORDS, NEWEST_TEN ->
          builder.createBooleanQuery(TEXT, query.text(), BooleanClause.Occur.MUST);
    };
  }

  @Override
  public long bytesOnDisk() throws IOException {
    long bytes = 0;
    try (Stream<Path> files = Files.walk(folder)) {
      for (Path file : files.filter(Files::isRegularFile).toList()) {
        bytes += Files.size(file);
      }
    }
    return bytes;
  }

  @Override
  public void close() throws IOException {
    for (IndexSearcher searcher : searchers.values()) {
      searcher.getIndexReader().close();
    }
    for (IndexWriter writer : writers.values()) {
      writer.close();
    }
    for (Directory directory : directories.values()) {
      directory.close();
    }
  }
}
