package dev.colonnade.server.node;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import com.google.protobuf.ByteString;
import dev.colonnade.admin.v1.ColumnFamilyDef;
import dev.colonnade.admin.v1.CreateKeyspaceRequest;
import dev.colonnade.admin.v1.KeyspaceDef;
import dev.colonnade.admin.v1.SchemaServiceGrpc;
import dev.colonnade.server.base.config.ClusterSettings;
import dev.colonnade.server.base.config.TlsSettings;
import dev.colonnade.server.node.authority.CertificateDirectory;
import dev.colonnade.v1.Column;
import dev.colonnade.v1.ColumnParent;
import dev.colonnade.v1.ColumnPath;
import dev.colonnade.v1.ColumnStoreServiceGrpc;
import dev.colonnade.v1.GetRequest;
import dev.colonnade.v1.InsertRequest;
import io.grpc.ManagedChannel;
import io.grpc.netty.shaded.io.grpc.netty.NettyChannelBuilder;
import java.io.File;
import java.io.IOException;
import java.io.OutputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * docs/metrics.md says what {@code /metrics} of a running node gives, both ways: {@code ./test
 * MetricsPage -Dmetrics.write=true} writes the tables of the page. What alert rules and the board
 * ask for is in these tables, too.
 */
final class MetricsPageTest {

  private static final Path DOCS = Path.of("..", "docs");
  private static final Path PAGE = DOCS.resolve("metrics.md");
  private static final Path ALERTS = DOCS.resolve("ops").resolve("colonnade-alerts.yml");
  private static final Path BOARD = DOCS.resolve("ops").resolve("colonnade-dashboard.json");
  private static final String TABLES = "<!-- tables -->\n";
  private static final Duration LIMIT = Duration.ofSeconds(60);
  private static final Pattern SAMPLE = Pattern.compile("^([a-z0-9_]+)(?:\\{(.*)})? (\\S+)$");
  private static final Pattern LABEL = Pattern.compile("([a-z0-9_]+)=\"(?:[^\"\\\\]|\\\\.)*\"");

  private static final Set<String> DISTRIBUTIONS = Set.of("histogram", "summary");

  /** The sections of the page, and how the names in each begin. */
  private static final Map<String, List<String>> SECTIONS = new LinkedHashMap<>();

  static {
    SECTIONS.put(
        "The node",
        List.of(
            "colonnade_build",
            "colonnade_ready",
            "colonnade_load",
            "colonnade_stalls",
            "colonnade_conditions",
            "colonnade_disk",
            "colonnade_certificate"));
    SECTIONS.put(
        "Calls of clients", List.of("colonnade_rpc", "colonnade_client", "colonnade_trace"));
    SECTIONS.put(
        "Stages and memory",
        List.of("colonnade_stage", "colonnade_memory", "colonnade_filter", "colonnade_files_"));
    SECTIONS.put(
        "The store",
        List.of(
            "colonnade_commitlog",
            "colonnade_write_queue",
            "colonnade_block_cache",
            "colonnade_merges",
            "colonnade_quarantined",
            "colonnade_scrub"));
    SECTIONS.put("Column families", List.of("colonnade_famil"));
    SECTIONS.put(
        "Other nodes",
        List.of(
            "colonnade_gossip_",
            "colonnade_clock_",
            "colonnade_node_",
            "colonnade_schema",
            "colonnade_message",
            "colonnade_peer",
            "colonnade_replica_reads",
            "colonnade_hints"));
    SECTIONS.put(
        "Streams, repairs and bulk loads",
        List.of("colonnade_stream", "colonnade_repair", "colonnade_bulk"));
    SECTIONS.put("The process and its JVM", List.of("jvm_", "process_"));
  }

  @TempDir static Path folder;

  private static Node first;
  private static Node second;
  private static Map<String, Metric> metrics = Map.of();

  /** What {@code /metrics} says of a name. */
  private record Metric(String type, String help, TreeSet<String> labels) {}

  @BeforeAll
  static void startTwoNodes() throws Exception {
    CertificateDirectory certificates =
        new CertificateDirectory(folder.resolve("certs"), Instant.now());
    Duration day = Duration.ofDays(1);
    certificates.createAuthorities("Blog", day);
    for (String name : List.of("n1", "n2")) {
      var unused = certificates.createNode(name, List.of("127.0.0.1"), Optional.empty(), day);
    }
    first = Node.start(options("n1").withText(ClusterSettings.INITIAL_TOKEN, "0"));
    second =
        Node.start(
            options("n2")
                .withText(ClusterSettings.INITIAL_TOKEN, "1" + "0".repeat(30))
                .withText(ClusterSettings.SEEDS, "127.0.0.1:" + first.self().address().port()));
    use();
    metrics = read(first);
  }

  private static NodeOptions options(String name) {
    return NodeOptions.defaults()
        .withDataDirectory(folder.resolve(name))
        .withFreePorts()
        .withText(ClusterSettings.RING_DELAY, "1")
        .with(TlsSettings.PEER_CERTIFICATE, file(name, "peer.pem"))
        .with(TlsSettings.PEER_KEY, file(name, "peer.key"))
        .with(TlsSettings.PEER_AUTHORITIES, file(name, "peers-ca.pem"));
  }

  private static String file(String node, String name) {
    return folder.resolve("certs").resolve(node).resolve(name).toString();
  }

  @AfterAll
  static void stop() {
    second.close();
    first.close();
  }

  private static void use() {
    ManagedChannel channel =
        NettyChannelBuilder.forAddress("127.0.0.1", first.clientPort()).usePlaintext().build();
    try {
      var unused =
          SchemaServiceGrpc.newBlockingStub(channel)
              .withDeadlineAfter(LIMIT.toSeconds(), TimeUnit.SECONDS)
              .createKeyspace(
                  CreateKeyspaceRequest.newBuilder()
                      .setKeyspace(
                          KeyspaceDef.newBuilder()
                              .setName("Blog")
                              .setReplicationFactor(1)
                              .addColumnFamilies(
                                  ColumnFamilyDef.newBuilder()
                                      .setKeyspace("Blog")
                                      .setName("Posts")))
                      .build());
      ByteString name = ByteString.copyFromUtf8("title");
      ColumnStoreServiceGrpc.ColumnStoreServiceBlockingStub rows =
          ColumnStoreServiceGrpc.newBlockingStub(channel)
              .withDeadlineAfter(LIMIT.toSeconds(), TimeUnit.SECONDS);
      var unusedWrite =
          rows.insert(
              InsertRequest.newBuilder()
                  .setKeyspace("Blog")
                  .setKey(name)
                  .setColumnParent(ColumnParent.newBuilder().setColumnFamily("Posts"))
                  .setColumn(Column.newBuilder().setName(name).setValue(name))
                  .build());
      var unusedRead =
          rows.get(
              GetRequest.newBuilder()
                  .setKeyspace("Blog")
                  .setKey(name)
                  .setColumnPath(ColumnPath.newBuilder().setColumnFamily("Posts").setColumn(name))
                  .build());
    } finally {
      channel.shutdownNow();
    }
  }

  private static String text(Node node) throws IOException, InterruptedException {
    return HttpClient.newHttpClient()
        .send(
            HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + node.httpPort() + "/metrics"))
                .build(),
            HttpResponse.BodyHandlers.ofString())
        .body();
  }

  /** Reads the first node's metrics until all patterns are found; what it has after a while. */
  private static String textWith(String... patterns) throws IOException, InterruptedException {
    long until = System.nanoTime() + LIMIT.toNanos();
    String text = text(first);
    while (System.nanoTime() < until) {
      String last = text;
      if (Stream.of(patterns).allMatch(each -> Pattern.compile(each).matcher(last).find())) {
        break;
      }
      LockSupport.parkNanos(20_000_000);
      text = text(first);
    }
    return text;
  }

  /** Reads until the families have series of reads and writes, which calls leave behind them. */
  private static Map<String, Metric> read(Node node) throws Exception {
    long until = System.nanoTime() + LIMIT.toNanos();
    Map<String, Metric> found = parse(text(node));
    while (!found.containsKey("colonnade_family_read_tombstones") && System.nanoTime() < until) {
      LockSupport.parkNanos(20_000_000);
      found = parse(text(node));
    }
    return found;
  }

  private static Map<String, Metric> parse(String text) {
    Map<String, Metric> found = new TreeMap<>();
    String name = "";
    String help = "";
    TreeSet<String> labels = new TreeSet<>();
    for (String line : text.lines().toList()) {
      if (line.startsWith("# HELP ")) {
        String[] words = line.split(" ", 4);
        help = words[3];
      } else if (line.startsWith("# TYPE ")) {
        String[] words = line.split(" ", 4);
        name = words[2];
        labels = new TreeSet<>();
        found.put(name, new Metric(words[3], help, labels));
      } else {
        Matcher sample = SAMPLE.matcher(line);
        assertTrue(sample.matches(), line);
        assertTrue(sample.group(1).startsWith(name), line);
        Matcher label = LABEL.matcher(String.valueOf(sample.group(2)));
        while (label.find()) {
          if (!label.group(1).equals("le")) {
            labels.add(label.group(1));
          }
        }
      }
    }
    return found;
  }

  @Test
  void thePageListsWhatANodeGives() throws IOException {
    String tables = tables();
    String page = Files.readString(PAGE);
    String head = page.substring(0, page.indexOf(TABLES) + TABLES.length());
    if (Boolean.getBoolean("metrics.write")) {
      Files.writeString(PAGE, head + tables);
      page = Files.readString(PAGE);
    }
    List<String> given = tables.lines().toList();
    List<String> listed = page.substring(head.length()).lines().toList();
    String remedy = "./test MetricsPage -Dmetrics.write=true writes the tables of docs/metrics.md";
    assertEquals(List.of(), given.stream().filter(line -> !listed.contains(line)).toList(), remedy);
    assertEquals(List.of(), listed.stream().filter(line -> !given.contains(line)).toList(), remedy);
    assertEquals(given, listed, remedy);
  }

  private static String tables() {
    StringBuilder tables = new StringBuilder();
    TreeSet<String> left = new TreeSet<>(metrics.keySet());
    SECTIONS.forEach(
        (title, starts) -> {
          tables.append("\n## ").append(title).append("\n\n");
          tables.append("| metric | type | labels | meaning |\n| --- | --- | --- | --- |\n");
          for (String start : starts) {
            metrics.forEach(
                (name, metric) -> {
                  if (name.startsWith(start) && left.remove(name)) {
                    tables.append(row(name, metric));
                  }
                });
          }
        });
    assertEquals(new TreeSet<String>(), left, "metrics without a section of the page");
    return tables.toString();
  }

  private static String row(String name, Metric metric) {
    String labels =
        metric.labels().stream().map(label -> "`" + label + "`").collect(Collectors.joining(", "));
    return "| `" + name + "` | " + metric.type() + " | " + labels + " | " + metric.help() + " |\n";
  }

  /** Prometheus finds fault with other names, and rules that count on the customs go wrong. */
  @Test
  void namesFollowTheCustomsOfPrometheus() {
    metrics.forEach(
        (name, metric) -> {
          assertEquals(
              metric.type().equals("counter"), name.endsWith("_total"), name + " " + metric.type());
          assertTrue(
              !name.matches(".*_(micros|millis|milliseconds|kb|mb|percent|count)(_total)?"), name);
          assertTrue(!metric.help().isBlank(), name);
        });
  }

  @Test
  void whatOnlyGrowsIsACounterAndCallsHaveTheirFamily() throws Exception {
    // A call is counted when it ends at the node, perhaps after its caller has the answer, and a
    // node gossips once a second.
    String[] expected = {
      "colonnade_rpc_duration_seconds_count\\{family=\"Posts\",keyspace=\"Blog\","
          + "method=\"colonnade.v1.ColumnStoreService/Get\"} 1",
      "colonnade_rpc_calls_total\\{code=\"OK\","
          + "method=\"colonnade.v1.ColumnStoreService/Insert\"} 1.0",
      "colonnade_messages_sent_total\\{verb=\"gossip_syn\"} [1-9]"
    };
    String text = textWith(expected);
    for (String pattern : expected) {
      assertTrue(Pattern.compile(pattern).matcher(text).find(), () -> pattern + " in " + text);
    }
    assertTrue(text.contains("colonnade_build_info{version=\"development\"} 1"), text);
  }

  @Test
  void rulesAndBoardAskForMetricsThatThereAre() throws IOException {
    Pattern asked = Pattern.compile("\\b(?:colonnade|jvm|process)_[a-z0-9_]+\\b");
    for (Path file : List.of(ALERTS, BOARD)) {
      Matcher name = asked.matcher(Files.readString(file));
      int count = 0;
      while (name.find()) {
        count++;
        String known = name.group().replaceFirst("_(bucket|sum|count)$", "");
        assertTrue(
            metrics.containsKey(name.group()) || isDistribution(known),
            file.getFileName() + " asks for " + name.group() + ", which no node gives");
      }
      assertTrue(count > 10, file + " asks for " + count + " metrics");
    }
  }

  private static boolean isDistribution(String name) {
    Metric metric = metrics.get(name);
    return metric != null && DISTRIBUTIONS.contains(metric.type());
  }

  /** The board is JSON of Grafana's model: panels with queries that all have their own place. */
  @Test
  void theBoardIsWhatGrafanaReads() throws IOException {
    JsonObject board = JsonParser.parseString(Files.readString(BOARD)).getAsJsonObject();
    assertEquals("Colonnade", board.get("title").getAsString());
    TreeSet<Integer> ids = new TreeSet<>();
    for (JsonElement element : board.getAsJsonArray("panels")) {
      JsonObject panel = element.getAsJsonObject();
      assertTrue(ids.add(panel.get("id").getAsInt()), "panel ids are unique");
      JsonObject place = panel.getAsJsonObject("gridPos");
      assertTrue(place.get("x").getAsInt() + place.get("w").getAsInt() <= 24, panel::toString);
      if (!panel.get("type").getAsString().equals("row")) {
        assertTrue(!panel.getAsJsonArray("targets").isEmpty(), panel::toString);
        panel
            .getAsJsonArray("targets")
            .forEach(
                target ->
                    assertTrue(
                        !target.getAsJsonObject().get("expr").getAsString().isBlank(),
                        panel::toString));
      }
    }
    assertTrue(ids.size() > 30, ids.size() + " panels");
  }

  /** Syntax of rules, and queries of the board, as Prometheus itself sees them. */
  @Test
  void prometheusAcceptsTheRules() throws Exception {
    Optional<Path> promtool =
        Stream.of(System.getenv().getOrDefault("PATH", "").split(File.pathSeparator))
            .map(folder -> Path.of(folder, "promtool"))
            .filter(Files::isExecutable)
            .findFirst();
    boolean expected = System.getenv("COLONNADE_EXPECT_PROMTOOL") != null;
    assertTrue(promtool.isPresent() || !expected, "promtool is expected on the path");
    assumeTrue(promtool.isPresent(), "there is no promtool, of Debian's package prometheus");
    Process check =
        new ProcessBuilder(promtool.get().toString(), "check", "rules", ALERTS.toString())
            .redirectErrorStream(true)
            .start();
    String said = new String(check.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertEquals(0, check.waitFor(), said);
    Process lint =
        new ProcessBuilder(promtool.get().toString(), "check", "metrics")
            .redirectErrorStream(true)
            .start();
    try (OutputStream in = lint.getOutputStream()) {
      in.write(text(first).getBytes(StandardCharsets.UTF_8));
    }
    String found = new String(lint.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertEquals(
        List.of(),
        found.lines().filter(line -> line.contains("colonnade_")).toList(),
        "promtool finds fault with metrics");
    assertTrue(lint.waitFor() != 1, found);
  }

  @Test
  void eachAlertHasItsRemedyInOperations() throws IOException {
    String operations = Files.readString(DOCS.resolve("operations.md"));
    Matcher alert = Pattern.compile("- alert: (\\w+)").matcher(Files.readString(ALERTS));
    int alerts = 0;
    while (alert.find()) {
      alerts++;
      assertTrue(
          operations.contains("\n### " + alert.group(1) + "\n"),
          "docs/operations.md says nothing of the alert " + alert.group(1));
    }
    assertTrue(alerts >= 10, alerts + " alerts");
  }
}
