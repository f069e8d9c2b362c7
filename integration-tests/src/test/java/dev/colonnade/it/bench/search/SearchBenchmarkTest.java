package dev.colonnade.it.bench.search;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.gson.JsonObject;
import dev.colonnade.client.Colonnade;
import dev.colonnade.server.node.Node;
import dev.colonnade.server.node.NodeOptions;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.apache.lucene.analysis.Analyzer;
import org.apache.lucene.analysis.en.EnglishAnalyzer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** That both stores are measured and find the same; figures of so short a run say nothing. */
final class SearchBenchmarkTest {

  private static final long SEED = 7;
  private static final int USERS = 3;
  private static final int MAILS = 200;

  @TempDir Path folder;

  @Test
  void bothStoresFindTheSameAndEachFigureIsThere() throws Exception {
    MailSource source = new MailSource(SEED, USERS);
    Path data = folder.resolve("data");
    try (Node node = Node.start(NodeOptions.defaults().withDataDirectory(data).withFreePorts());
        Colonnade client = Colonnade.connect(node.clientAddress() + ":" + node.clientPort());
        Analyzer analyzer = new EnglishAnalyzer();
        MailStore ours =
            new ColonnadeMails(
                new ColonnadeMails.Place(client, 1, List.of(), data), "Inbox", "english");
        MailStore lucene = new LuceneMails(folder.resolve("lucene"), source, analyzer)) {
      SearchRun run = new SearchRun(source, MAILS, 4, List.of());
      for (MailStore store : List.of(ours, lucene)) {
        JsonObject documents = run.index(store).json().getAsJsonObject("bench_documents");
        assertEquals(MAILS, documents.get("documents").getAsInt());
        assertTrue(documents.get("documentsPerSecond").getAsDouble() > 0, documents.toString());
        assertTrue(documents.get("bytesOnDisk").getAsLong() > MAILS, documents.toString());
      }
      assertEquals(List.of(), run.differences(ours, lucene, 20), "seed " + SEED);
      for (QueryKind kind : QueryKind.values()) {
        JsonObject queries =
            run.search(ours, kind, Duration.ofMillis(50)).json().getAsJsonObject("bench_query");
        assertTrue(queries.get("callsPerSecond").getAsDouble() > 0, queries.toString());
        assertTrue(queries.get("hitsPerCall").getAsDouble() > 0, queries.toString());
      }
      ours.index(
          new MailSource.Mail(1, source.user(0), List.of("a", "b", "c", "d", "e", "f"), List.of()));
      assertFalse(run.differences(ours, lucene, 200).isEmpty(), "one has a mail that changed");
    }
  }

  @Test
  void aNumberHasTheSameMailEachTimeAndAnotherSeedHasOthers() {
    MailSource source = new MailSource(SEED, USERS);
    assertEquals(source.mail(3), new MailSource(SEED, USERS).mail(3));
    assertNotEquals(source.mail(3), source.mail(4));
    assertNotEquals(source.mail(3).words(), new MailSource(SEED + 1, USERS).mail(3).words());
  }
}
