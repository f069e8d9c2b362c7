package dev.colonnade.it.bench.search;

import dev.colonnade.client.Colonnade;
import dev.colonnade.client.ColumnFamilyDefinition;
import dev.colonnade.client.Comparators;
import dev.colonnade.client.Document;
import dev.colonnade.client.Hit;
import dev.colonnade.client.KeyspaceDefinition;
import dev.colonnade.client.RingNode;
import dev.colonnade.client.SearchIndex;
import dev.colonnade.client.SearchQuery;
import dev.colonnade.client.Serializers;
import dev.colonnade.it.bench.DataFiles;
import dev.colonnade.it.bench.SettledProcesses;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/** Mails in an index of nodes, by the client library. */
final class ColonnadeMails implements MailStore {

  private static final String KEYSPACE = "BenchSearch";

  /**
   * Where the nodes are.
   *
   * @param copies of each document
   * @param pids of all nodes
   * @param folder with the data of all nodes
   */
  record Place(Colonnade client, int copies, List<Long> pids, Path folder) {}

  private final Place place;
  private final String name;
  private final SearchIndex<String, Long> index;

  /** Creates an empty index with an analyzer. */
  ColonnadeMails(Place place, String name, String analyzer) {
    this.place = place;
    this.name = name;
    boolean unused =
        place
            .client()
            .schema()
            .createIfAbsent(
                KeyspaceDefinition.named(KEYSPACE).withReplicationFactor(place.copies()));
    place
        .client()
        .schema()
        .create(KEYSPACE, ColumnFamilyDefinition.searchIndex(name, analyzer, Comparators.LONG));
    index = place.client().keyspace(KEYSPACE).searchIndex(name, Serializers.UTF8, Serializers.LONG);
  }

  @Override
  public String name() {
    return "colonnade";
  }

  @Override
  public void index(MailSource.Mail mail) throws IOException {
    boolean stands =
        index.index(
            mail.user(),
            Document.of(mail.id(), mail.text())
                .with(mail.participants().toArray(String[]::new))
                .withPayload(mail.payload()));
    if (!stands) {
      throw new IOException("the index has a newer version of mail " + mail.id());
    }
  }

  /** Flushes all nodes, and waits until what they merge is merged. */
  @Override
  public void settle() throws InterruptedException {
    for (RingNode node : place.client().cluster().ring("").nodes()) {
      try (Colonnade one = Colonnade.connect(node.endpoint().target())) {
        List<String> unused = one.node().flush(KEYSPACE, name);
      }
    }
    SettledProcesses.await(place.pids());
  }

  @Override
  public List<Long> newest(MailSource.Query query, int limit) {
    List<Hit<Long>> hits =
        query.kind() == QueryKind.INTERACTIONS
            ? index.interactions(query.user(), query.text(), limit)
            : index.find(query.user(), words(query), limit);
    return hits.stream().map(Hit::id).toList();
  }

  private static SearchQuery words(MailSource.Query query) {
    return switch (query.kind()) {
      case PHRASE -> SearchQuery.phrase(query.text());
      case PREFIX -> SearchQuery.prefix(query.text());
      case ONE_WORD, TWO_WORDS, NEWEST_TEN -> SearchQuery.allOf(query.text());
      case INTERACTIONS -> throw new IllegalArgumentException("no words are searched for");
    };
  }

  @Override
  public long bytesOnDisk() throws IOException {
    return DataFiles.bytesByPart(place.folder(), name).values().stream()
        .mapToLong(Long::longValue)
        .sum();
  }

  /** Drops the index. */
  @Override
  public void close() {
    place.client().schema().dropColumnFamily(KEYSPACE, name);
  }
}
