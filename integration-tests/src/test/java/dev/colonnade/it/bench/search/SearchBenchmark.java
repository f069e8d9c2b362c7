package dev.colonnade.it.bench.search;

import com.google.gson.JsonObject;
import dev.colonnade.client.CallOptions;
import dev.colonnade.client.ClientOptions;
import dev.colonnade.client.Colonnade;
import dev.colonnade.client.Consistency;
import dev.colonnade.it.bench.BuildUnderTest;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import org.apache.lucene.analysis.Analyzer;
import org.apache.lucene.analysis.en.EnglishAnalyzer;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;

/** The command that measures what indexing mails and searching them costs, beside Lucene. */
@Command(
    name = "search",
    mixinStandardHelpOptions = true,
    description = {
      "Measures what it costs to index mails of some users and to search them, on a node or on"
          + " three at QUORUM, and beside it, on the same machine, with an index of Lucene for each"
          + " user: the same analyzer, mails and queries. First compares what both find, and ends"
          + " with 1 if that differs. Takes two minutes.",
      "Mails have 20 to 120 words of a vocabulary of 20,000, whose n-th is n times as rare as the"
          + " first. Threads of this process wait for each of their calls. Lucene runs in this"
          + " process, without a network; its indexes are committed every 10 s, as often as a node"
          + " syncs its log, and at the end. A document of nodes counts when it is acknowledged; their"
          + " processor time includes what they flush and merge."
    })
public final class SearchBenchmark implements Callable<Integer> {

  private static final int CLUSTER = 3;
  private static final String ANALYZER = "english";
  private static final int COMPARED_OF_EACH_KIND = 200;
  private static final int DIFFERENCES_SHOWN = 5;

  enum Form {
    TABLE,
    JSON
  }

  @CommandLine.Spec private CommandLine.Model.CommandSpec spec;

  @Option(
      names = "--users",
      defaultValue = "100",
      description = "Users who have mails (default ${DEFAULT-VALUE}).")
  private int users;

  @Option(
      names = "--mails",
      defaultValue = "20000",
      description = "Mails of all users together (default ${DEFAULT-VALUE}).")
  private int mails;

  @Option(
      names = "--nodes",
      defaultValue = "1",
      description = "1, or 3 with three copies, at QUORUM (default ${DEFAULT-VALUE}).")
  private int nodes;

  @Option(
      names = "--threads",
      defaultValue = "8",
      description = "Threads that wait for their calls (default ${DEFAULT-VALUE}).")
  private int threads;

  @Option(
      names = "--warmup",
      defaultValue = "2",
      description =
          "Seconds of each kind of query before measuring; five times as long for indexing (default"
              + " ${DEFAULT-VALUE}).")
  private int warmupSeconds;

  @Option(
      names = "--seconds",
      defaultValue = "3",
      description = "Seconds of each kind of query (default ${DEFAULT-VALUE}).")
  private int windowSeconds;

  @Option(
      names = "--heap",
      defaultValue = "1g",
      description = "Heap of each node (default ${DEFAULT-VALUE}).")
  private String heap = "1g";

  @Option(
      names = "--seed",
      defaultValue = "1",
      description = "Of mails and queries (default ${DEFAULT-VALUE}).")
  private long seed;

  @Option(
      names = {"-o", "--output"},
      paramLabel = "FORM",
      defaultValue = "table",
      description = "table, or json, an object per line (default ${DEFAULT-VALUE}).")
  private Form form = Form.TABLE;

  /** For picocli. */
  public SearchBenchmark() {}

  /** A store with its run. */
  private record Subject(MailStore store, SearchRun run) {}

  @Override
  public Integer call() throws IOException {
    if (nodes != 1 && nodes != CLUSTER) {
      throw new ParameterException(spec.commandLine(), "--nodes is 1 or " + CLUSTER);
    }
    if (users < 1 || mails < 1 || threads < 1 || windowSeconds < 1 || warmupSeconds < 0) {
      throw new ParameterException(
          spec.commandLine(),
          "--users, --mails, --threads and --seconds are 1 or more, --warmup 0 or more");
    }
    try (BenchFolder folder = BenchFolder.make("colonnade-search-bench")) {
      Path jar = Path.of(System.getProperty("colonnade.jar"));
      note("Starting " + nodes + (nodes == 1 ? " node ..." : " nodes ..."));
      Path data = folder.path().resolve("nodes");
      try (BuildUnderTest build = BuildUnderTest.start(jar, nodes, heap, data);
          Colonnade client = connect(build.address());
          Analyzer analyzer = new EnglishAnalyzer()) {
        return measure(
            new ColonnadeMails.Place(client, nodes, build.pids(), data), analyzer, folder);
      }
    } catch (InterruptedException e) {
      note("Stopped: " + e.getMessage());
      return CommandLine.ExitCode.SOFTWARE;
    }
  }

  private Colonnade connect(String address) {
    Consistency level = nodes == 1 ? Consistency.ONE : Consistency.QUORUM;
    return Colonnade.connect(
        List.of(address),
        ClientOptions.defaults()
            .withCalls(
                CallOptions.defaults().withReadConsistency(level).withWriteConsistency(level)));
  }

  private static void note(String text) {
    System.err.println(text);
  }

  private int measure(ColonnadeMails.Place place, Analyzer analyzer, BenchFolder folder)
      throws IOException, InterruptedException {
    MailSource source = new MailSource(seed, users);
    SearchRun ofNodes = new SearchRun(source, mails, threads, place.pids());
    SearchRun here = new SearchRun(source, mails, threads, List.of());
    folder.beforeRemoval(ofNodes::stop);
    folder.beforeRemoval(here::stop);
    if (warmupSeconds > 0) {
      note("Warming up ...");
      Duration time = Duration.ofSeconds(5L * warmupSeconds);
      try (MailStore some = new ColonnadeMails(place, "WarmUp", ANALYZER)) {
        ofNodes.warmUpIndexing(some, time);
      }
      try (MailStore some = new LuceneMails(folder.path().resolve("warm-up"), source, analyzer)) {
        here.warmUpIndexing(some, time.dividedBy(2));
      }
    }
    try (MailStore nodesStore = new ColonnadeMails(place, "Inbox", ANALYZER);
        MailStore luceneStore =
            new LuceneMails(folder.path().resolve("lucene"), source, analyzer)) {
      return measure(List.of(new Subject(nodesStore, ofNodes), new Subject(luceneStore, here)));
    }
  }

  private int measure(List<Subject> subjects) throws IOException, InterruptedException {
    List<SearchFigures.Documents> documents = new ArrayList<>();
    for (Subject subject : subjects) {
      note(
          "Indexing "
              + mails
              + " mails of "
              + users
              + " users, "
              + subject.store().name()
              + " ...");
      documents.add(subject.run().index(subject.store()));
    }
    note("Comparing ...");
    List<String> different =
        subjects
            .get(0)
            .run()
            .differences(subjects.get(0).store(), subjects.get(1).store(), COMPARED_OF_EACH_KIND);
    different.stream().limit(DIFFERENCES_SHOWN).forEach(SearchBenchmark::note);
    note("Searching ...");
    List<SearchFigures.Queries> queries = new ArrayList<>();
    for (QueryKind kind : QueryKind.values()) {
      for (Subject subject : subjects) {
        if (warmupSeconds > 0) {
          SearchFigures.Queries unused =
              subject.run().search(subject.store(), kind, Duration.ofSeconds(warmupSeconds));
        }
      }
    }
    for (QueryKind kind : QueryKind.values()) {
      for (Subject subject : subjects) {
        queries.add(subject.run().search(subject.store(), kind, Duration.ofSeconds(windowSeconds)));
      }
    }
    report(documents, queries, different.size());
    return different.isEmpty() ? 0 : 1;
  }

  private void report(
      List<SearchFigures.Documents> documents, List<SearchFigures.Queries> queries, int different) {
    int compared = COMPARED_OF_EACH_KIND * QueryKind.values().length;
    if (form == Form.JSON) {
      documents.forEach(each -> System.out.println(each.json()));
      queries.forEach(each -> System.out.println(each.json()));
      JsonObject agreement = new JsonObject();
      agreement.addProperty("queries", compared);
      agreement.addProperty("different", different);
      JsonObject line = new JsonObject();
      line.add("bench_agreement", agreement);
      System.out.println(line);
      return;
    }
    System.out.print(SearchFigures.Documents.header());
    documents.forEach(each -> System.out.print(each.row()));
    System.out.print(SearchFigures.Queries.header());
    queries.forEach(each -> System.out.print(each.row()));
    System.out.println();
    System.out.println(
        different == 0
            ? "Both found the same mails for each of " + compared + " queries (seed " + seed + ")."
            : "For " + different + " of " + compared + " queries they differ (seed " + seed + ").");
  }
}
