package dev.colonnade.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.colonnade.admin.v1.ScheduleRepairRequest;
import dev.colonnade.v1.RequestStats;
import io.grpc.Status;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Every replica is sent its rows, sorted, and the level says how many must take them. */
@Timeout(60)
final class BulkLoaderTest {

  private static final long SEED = 20_261_123L;
  private static final ClientOptions OPTIONS =
      ClientOptions.defaults().withSessions(false).withoutSpeculation();

  @TempDir private Path directory = Path.of("");

  private BulkLoadOptions options = BulkLoadOptions.defaults();

  @BeforeEach
  void smallBounds() {
    options =
        BulkLoadOptions.defaults()
            .withDirectory(directory)
            .withMemoryBytes(10_000)
            .withPartBytes(3_000)
            .withAttempts(1, Duration.ofSeconds(20));
  }

  private static byte[] name(long number) {
    return ByteBuffer.allocate(8).putLong(number).array();
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  /** Adds rows in any order, with older versions of some columns; returns what should be there. */
  private static Map<String, String> fill(BulkLoader loader) {
    Random random = new Random(SEED);
    Map<String, TreeMap<Long, String>> newest = new HashMap<>();
    for (int i = 0; i < 3_000; i++) {
      String key = "row" + random.nextInt(300);
      long name = random.nextInt(20) - 10L;
      // The timestamp grows, and so each version replaces those before it.
      loader.add(bytes(key), Column.of(name(name), bytes("v" + i)).withTimestamp(i));
      newest.computeIfAbsent(key, k -> new TreeMap<>()).put(name, "v" + i);
    }
    Map<String, String> shown = new TreeMap<>();
    newest.forEach(
        (key, columns) -> {
          StringBuilder row = new StringBuilder();
          columns.forEach((name, value) -> row.append(name).append('=').append(value).append(' '));
          shown.put(key, row.toString());
        });
    return shown;
  }

  private List<Path> left() throws IOException {
    try (Stream<Path> files = Files.list(directory)) {
      return files
          .filter(each -> String.valueOf(each.getFileName()).startsWith("colonnade-bulk-load-"))
          .toList();
    }
  }

  @Test
  void everyReplicaIsSentItsRowsInOrderAndTheNewestVersionOfEachColumn() throws IOException {
    try (FakeNodes nodes = new FakeNodes(3);
        Colonnade client = nodes.client(OPTIONS, nodes.node(0))) {
      nodes.ownThirds(2);
      List<Progress> told = new ArrayList<>();
      Map<String, String> expected;
      BulkLoadResult result;
      try (BulkLoader loader = client.bulkLoader("K", "F", options.withProgress(told::add))) {
        expected = fill(loader);
        assertTrue(left().size() == 1, "there are spilled files");
        result = loader.load();
        assertThrows(IllegalStateException.class, loader::load);
        assertThrows(
            IllegalStateException.class,
            () -> loader.add(bytes("late"), Column.of(name(1), bytes("v"))));
      }
      Map<String, Integer> copies = new HashMap<>();
      for (FakeNodes.FakeNode node : nodes.nodes) {
        node.loads.rows.forEach(
            (key, row) -> {
              assertEquals(expected.get(key), row, key);
              copies.merge(key, 1, Integer::sum);
            });
        assertTrue(node.loads.committed.size() > 4, "several parts at each");
        assertEquals(7, node.loads.committed.get(0).getTruncation());
      }
      assertEquals(expected.keySet(), copies.keySet());
      assertTrue(copies.values().stream().allMatch(count -> count == 2), copies::toString);
      assertEquals(expected.size(), result.rows());
      assertEquals(List.of(), result.missing());
      assertEquals(2 * result.bytes(), told.get(told.size() - 1).done());
      assertEquals(2 * result.bytes(), told.get(told.size() - 1).total());
      assertEquals(List.of(), left(), "spilled files are deleted");
    }
  }

  @Test
  void eachPartAtEachReplicaIsAPartOfTheTraceThatIsCurrent() {
    String trace = "0af7651916cd43dd8448eb211c80319c";
    String header = "00-" + trace + "-b7ad6b7169203331-01";
    try (FakeNodes nodes = new FakeNodes(3);
        Colonnade client = nodes.client(OPTIONS, nodes.node(0))) {
      nodes.ownThirds(3);
      for (FakeNodes.FakeNode node : nodes.nodes) {
        node.loads.stats =
            RequestStats.newBuilder().setCoordinator(node.target()).setTraceId(trace).build();
      }
      Queue<CallStatistics> told = new ConcurrentLinkedQueue<>();
      try (BulkLoader loader =
          client.bulkLoader(
              "K", "F", options.withStatistics(told::add).withTraceparent(() -> header))) {
        Map<String, String> unused = fill(loader);
        BulkLoadResult result = loader.load();
        assertEquals(List.of(), result.missing());
      }
      for (FakeNodes.FakeNode node : nodes.nodes) {
        int parts = node.loads.committed.size();
        assertEquals(
            parts,
            told.stream().filter(each -> each.coordinator().equals(node.target())).count(),
            "each part is told of");
        assertEquals(
            Collections.nCopies(parts, header),
            List.copyOf(node.traceparents),
            "and no other call");
      }
      assertTrue(told.stream().allMatch(each -> each.trace().id().equals(trace)), told::toString);
      try (BulkLoader loader = client.bulkLoader("K", "F", options)) {
        Map<String, String> unused = fill(loader);
        BulkLoadResult result = loader.load();
        assertEquals(List.of(), result.missing());
      }
      assertTrue(
          nodes.nodes.stream()
              .allMatch(node -> 2 * node.traceparents.size() == node.loads.committed.size()),
          "a load without a trace sends no header");
    }
  }

  @Test
  void theLevelDecidesWhetherAReplicaMayBeDown() {
    try (FakeNodes nodes = new FakeNodes(3);
        Colonnade client = nodes.client(OPTIONS, nodes.node(0))) {
      nodes.ownThirds(3);
      nodes.node(2).kill();
      try (BulkLoader loader = client.bulkLoader("K", "F", options)) {
        Map<String, String> unused = fill(loader);
        UnavailableException tooFew = assertThrows(UnavailableException.class, loader::load);
        assertEquals("NOT_ENOUGH_REPLICAS", tooFew.reason());
        assertTrue(String.valueOf(tooFew.getMessage()).contains("127.0.0.3:9160"));
      }
      try (BulkLoader loader =
          client.bulkLoader("K", "F", options.withConsistency(Consistency.QUORUM))) {
        Map<String, String> expected = fill(loader);
        BulkLoadResult result = loader.load();
        assertEquals(expected, nodes.node(0).loads.rows);
        assertEquals(expected, nodes.node(1).loads.rows);
        long missing = result.missing().stream().mapToLong(BulkLoadResult.MissingPart::rows).sum();
        assertEquals(expected.size(), missing);
        assertTrue(
            result.missing().stream().allMatch(each -> each.replica().nodeId().equals("node-2")));
      }
    }
  }

  @Test
  void aNodeThatTookRowsIsToldWhoLacksThem() {
    try (FakeNodes nodes = new FakeNodes(3);
        Colonnade client = nodes.client(OPTIONS, nodes.node(0))) {
      nodes.ownThirds(3);
      nodes.node(2).kill();
      BulkLoadResult remembered = loadAtQuorum(client);
      assertTrue(
          remembered.missing().stream().allMatch(part -> part.repairedBy().isPresent()),
          remembered::toString);
      List<ScheduleRepairRequest> asked = asked(nodes);
      assertEquals(3, asked.stream().mapToInt(ScheduleRepairRequest::getRangesCount).sum());
      assertTrue(asked.stream().allMatch(each -> each.getNodeId().equals("node-2")));
      assertTrue(asked.stream().allMatch(each -> each.getFamilyId().equals("f")));

      // One that has too many repairs to make passes it to the other.
      nodes.node(0).loads.remembersRepairs = false;
      assertEquals(
          Set.of(Optional.of("node-1")),
          loadAtQuorum(client).missing().stream()
              .map(part -> part.repairedBy().map(Endpoint::nodeId))
              .collect(Collectors.toSet()));
      nodes.node(1).loads.remembersRepairs = false;
      BulkLoadResult forgotten = loadAtQuorum(client);
      assertEquals(remembered.missing().size(), forgotten.missing().size());
      assertTrue(forgotten.missing().stream().allMatch(part -> part.repairedBy().isEmpty()));
    }
  }

  private BulkLoadResult loadAtQuorum(Colonnade client) {
    try (BulkLoader loader =
        client.bulkLoader("K", "F", options.withConsistency(Consistency.QUORUM))) {
      Map<String, String> unused = fill(loader);
      return loader.load();
    }
  }

  private static List<ScheduleRepairRequest> asked(FakeNodes nodes) {
    return nodes.nodes.stream().flatMap(node -> node.loads.repairs.stream()).toList();
  }

  @Test
  void aLoadGoesOnWhereItWasAndSendsNothingTwice() throws IOException {
    Path state = directory.resolve("load.state");
    BulkLoadOptions remembering = options.withStateFile(state).withParallel(1);
    try (FakeNodes nodes = new FakeNodes(3);
        Colonnade client = nodes.client(OPTIONS, nodes.node(0))) {
      nodes.ownThirds(2);
      FakeLoads second = nodes.node(1).loads;
      second.succeeding.set(3);
      second.failure = FakeNodes.failure(Status.Code.RESOURCE_EXHAUSTED, "DISK_FULL", "no");
      // Not closed, as if it was killed: its files are left.
      BulkLoader killed = client.bulkLoader("K", "F", remembering);
      Map<String, String> expected = fill(killed);
      assertThrows(UnavailableException.class, killed::load);
      assertEquals(3, second.committed.size());
      assertEquals(1, left().size());
      long before = committed(nodes);

      second.failure = null;
      try (BulkLoader again = client.bulkLoader("K", "F", remembering)) {
        assertEquals(1, left().size(), "what was left is deleted");
        Map<String, String> same = fill(again);
        assertEquals(expected, same);
        BulkLoadResult result = again.load();
        assertEquals(expected.size(), result.rows());
      }
      long afterwards = committed(nodes);
      nodes.nodes.forEach(node -> node.loads.committed.clear());
      try (BulkLoader fresh = client.bulkLoader("K", "F", options)) {
        Map<String, String> unused = fill(fresh);
        fresh.load();
      }
      assertEquals(committed(nodes), afterwards, "each part was sent once to each replica");
      assertTrue(before > 3 && before < afterwards, before + " of " + afterwards);
      assertFalse(Files.exists(state), "nothing is left to do");
      assertEquals(List.of(), left());
      assertThrows(
          RuntimeException.class,
          () -> {
            Files.writeString(state, "something else\n");
            client.bulkLoader("K", "F", remembering).close();
          });
    }
  }

  private static long committed(FakeNodes nodes) {
    return nodes.nodes.stream().mapToLong(node -> node.loads.committed.size()).sum();
  }

  @Test
  void aFamilyThatChangedEndsTheLoadAtOnce() {
    try (FakeNodes nodes = new FakeNodes(3);
        Colonnade client = nodes.client(OPTIONS, nodes.node(0))) {
      nodes.ownThirds(3);
      nodes.node(1).loads.failure = FakeNodes.failure(Status.Code.ABORTED, "FAMILY_CHANGED", "no");
      BulkLoadOptions patient =
          options.withConsistency(Consistency.ONE).withAttempts(5, Duration.ofSeconds(20));
      try (BulkLoader loader = client.bulkLoader("K", "F", patient)) {
        Map<String, String> unused = fill(loader);
        ColonnadeException changed = assertThrows(ColonnadeException.class, loader::load);
        assertEquals("FAMILY_CHANGED", changed.reason());
      }
    }
  }

  @Test
  void whatNoNodeWouldTakeIsRefusedColumnByColumn() {
    try (FakeNodes nodes = new FakeNodes(3);
        Colonnade client = nodes.client(OPTIONS, nodes.node(0))) {
      nodes.ownThirds(1);
      try (BulkLoader loader = client.bulkLoader("K", "F", options)) {
        Column<byte[], byte[]> good = Column.of(name(1), bytes("v"));
        for (Runnable bad :
            List.<Runnable>of(
                () -> loader.add(bytes(""), good),
                () -> loader.add(new byte[70_000], good),
                () -> loader.add(bytes("k"), Column.of(bytes("abc"), bytes("v"))),
                () -> loader.add(bytes("k"), Column.of(name(1), new byte[5_000])),
                () -> loader.add(bytes("k"), bytes("super"), good))) {
          assertThrows(IllegalArgumentException.class, bad::run);
        }
        loader.add(bytes("k"), good);
        assertEquals(1, loader.load().columns());
      }
    }
  }

  @Test
  void aClientOfOneNodeCannotLoad() {
    try (FakeNodes nodes = new FakeNodes(1);
        Colonnade client = nodes.client(OPTIONS.withDiscovery(false), nodes.node(0))) {
      assertThrows(IllegalStateException.class, () -> client.bulkLoader("K", "F", options));
    }
  }
}
