package dev.colonnade.cli.local.restore;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.colonnade.cli.local.SnapshotCommand;
import dev.colonnade.cli.local.SnapshotCopiesCommand;
import dev.colonnade.cli.local.SnapshotCopyCommand;
import dev.colonnade.cli.local.SnapshotPruneCommand;
import dev.colonnade.cli.local.SnapshotRestoreCommand;
import dev.colonnade.client.Batch;
import dev.colonnade.client.CallOptions;
import dev.colonnade.client.ClientOptions;
import dev.colonnade.client.Colonnade;
import dev.colonnade.client.Column;
import dev.colonnade.client.ColumnFamily;
import dev.colonnade.client.ColumnFamilyDefinition;
import dev.colonnade.client.Consistency;
import dev.colonnade.client.Cursor;
import dev.colonnade.client.KeyRange;
import dev.colonnade.client.Keyspace;
import dev.colonnade.client.KeyspaceDefinition;
import dev.colonnade.client.RingNode;
import dev.colonnade.client.Serializers;
import dev.colonnade.client.Slice;
import dev.colonnade.client.SnapshotScope;
import dev.colonnade.client.SuperColumnFamily;
import dev.colonnade.server.base.config.AddressSettings;
import dev.colonnade.server.base.config.ClusterSettings;
import dev.colonnade.server.base.config.DirectorySettings;
import dev.colonnade.server.node.Node;
import dev.colonnade.server.node.NodeOptions;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.math.BigInteger;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** Snapshots of two nodes that are restored into a cluster with another ring. */
@Timeout(120)
final class SnapshotRestoreTest {

  private static final long SEED = 20_261_124L;
  private static final BigInteger TOKENS = BigInteger.ONE.shiftLeft(127);

  @TempDir private Path temporary;

  private final List<AutoCloseable> opened = new ArrayList<>();
  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();

  @AfterEach
  void close() throws Exception {
    for (int i = opened.size() - 1; i >= 0; i--) {
      opened.get(i).close();
    }
  }

  /** Nodes at even distances, from a first token that differs between the clusters. */
  private Colonnade start(String cluster, int count, BigInteger shift) throws Exception {
    int seed = 0;
    List<String> points = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      int peer = freePort();
      seed = i == 0 ? peer : seed;
      BigInteger token =
          TOKENS.multiply(BigInteger.valueOf(i)).divide(BigInteger.valueOf(count)).add(shift);
      NodeOptions options =
          NodeOptions.defaults()
              .withDataDirectory(temporary.resolve(cluster + i))
              .with(AddressSettings.CLIENT_PORT, 0)
              .with(AddressSettings.PEER_PORT, peer)
              .with(AddressSettings.HTTP_PORT, 0)
              .withText(ClusterSettings.SEEDS, "127.0.0.1:" + seed)
              .withText(ClusterSettings.INITIAL_TOKEN, token.toString())
              .withText(ClusterSettings.RING_DELAY, "1")
              .with(DirectorySettings.COMMIT_LOG_ARCHIVE, archive().toString());
      Node node = Node.start(options);
      opened.add(node);
      points.add("127.0.0.1:" + node.clientPort());
    }
    for (String point : points) {
      try (Colonnade one = Colonnade.connect(point, ClientOptions.defaults().withSessions(false))) {
        while (one.cluster().ring("").nodes().stream()
                .filter(each -> each.state() == RingNode.State.NORMAL)
                .filter(each -> each.liveness() == RingNode.Liveness.UP)
                .count()
            != count) {
          LockSupport.parkNanos(10_000_000L);
        }
      }
    }
    Colonnade client = Colonnade.connect(points, ClientOptions.defaults());
    opened.add(client);
    port = Integer.parseInt(points.get(0).substring("127.0.0.1:".length()));
    return client;
  }

  private int port;

  private Path archive() {
    return temporary.resolve("archive");
  }

  /** Ends all nodes and clients in order, so that the nodes archive the whole log. */
  private void stopAll() throws Exception {
    close();
    opened.clear();
  }

  private static int freePort() throws Exception {
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return socket.getLocalPort();
    }
  }

  private static void createSchema(Colonnade client, int copies) {
    client.schema().createIfAbsent(KeyspaceDefinition.named("Kept").withReplicationFactor(copies));
    client.schema().createIfAbsent("Kept", ColumnFamilyDefinition.standard("A", "UTF8Type"));
    client
        .schema()
        .createIfAbsent("Kept", ColumnFamilyDefinition.superFamily("S", "UTF8Type", "UTF8Type"));
  }

  private static Keyspace at(Colonnade client, long micros) {
    CallOptions all =
        CallOptions.defaults()
            .withReadConsistency(Consistency.ALL)
            .withWriteConsistency(Consistency.ALL);
    return client.keyspace("Kept").with(micros == 0 ? all : all.withTimestamp(micros));
  }

  private static ColumnFamily<String, String, String> standard(Keyspace keyspace) {
    return keyspace.columnFamily("A", Serializers.UTF8, Serializers.UTF8, Serializers.UTF8);
  }

  private static SuperColumnFamily<String, String, String, String> supers(Keyspace keyspace) {
    return keyspace.superColumnFamily(
        "S", Serializers.UTF8, Serializers.UTF8, Serializers.UTF8, Serializers.UTF8);
  }

  private static String name(int number) {
    return "c" + (char) ('a' + number);
  }

  /** Writes and deletions of every kind at random timestamps; each seed gives the same ones. */
  private static void write(Colonnade client, long seed, int changes, long micros) {
    Random random = new Random(seed);
    for (int i = 0; i < changes; i++) {
      Keyspace keyspace = at(client, micros + random.nextInt(1_000));
      Batch batch = keyspace.batch();
      for (int j = 0; j < 6; j++) {
        String key = "row" + random.nextInt(40);
        String top = name(random.nextInt(10));
        String sub = name(random.nextInt(5));
        var a = standard(keyspace);
        var s = supers(keyspace);
        switch (random.nextInt(16)) {
          case 0 -> batch.remove(a, key);
          case 1 -> batch.remove(s, key);
          case 2 -> batch.remove(a, key, top);
          case 3 -> batch.remove(s, key, top);
          case 4 -> batch.remove(s.within(top), key, sub);
          case 5 -> batch.removeRange(a, key, Slice.from(top).to(name(9)));
          case 6 -> batch.removeRange(s, key, Slice.after(top).before("cz"));
          case 7 -> batch.removeRange(s.within(top), key, Slice.<String>all().to(sub));
          case 8, 9, 10, 11 -> batch.insert(s.within(top), key, sub, "s" + i);
          default -> batch.insert(a, key, top, "a" + i);
        }
      }
      batch.apply();
    }
  }

  /** Every column with its timestamp, as all replicas agree. */
  private static List<String> cells(Colonnade client) {
    List<String> cells = new ArrayList<>();
    Keyspace keyspace = at(client, 0);
    try (Cursor<String> keys = standard(keyspace).keys(KeyRange.all())) {
      keys.forEachRemaining(
          key -> {
            try (var row = standard(keyspace).stream(key, Slice.all())) {
              row.forEachRemaining(column -> cells.add("A " + key + " " + column));
            }
          });
    }
    try (Cursor<String> keys = supers(keyspace).keys(KeyRange.all())) {
      keys.forEachRemaining(
          key -> {
            try (var row = supers(keyspace).stream(key, Slice.all())) {
              row.forEachRemaining(
                  each ->
                      each.columns()
                          .forEach(column -> cells.add("S " + key + " " + each.name() + column)));
            }
          });
    }
    return cells;
  }

  private List<Path> snapshots(Colonnade client, int nodes) {
    return snapshots(client, nodes, "nightly");
  }

  private List<Path> snapshots(Colonnade client, int nodes, String name) {
    var taken = client.node().takeSnapshot(name, SnapshotScope.CLUSTER, progress -> {});
    assertEquals(List.of(), taken.failed());
    assertEquals(nodes, taken.snapshots().size());
    return taken.snapshots().stream().map(each -> Path.of(each.directory())).toList();
  }

  /** Copies snapshots to a store, whose directories it returns. */
  private List<Path> copies(List<Path> snapshots) throws Exception {
    Path store = temporary.resolve("store");
    List<String> args = new ArrayList<>(List.of("--to", store.toString()));
    snapshots.forEach(each -> args.add(each.toString()));
    assertEquals(0, run(new SnapshotCopyCommand(), args), err.toString());
    String name = String.valueOf(snapshots.get(0).getFileName());
    try (Stream<Path> nodes = Files.list(store)) {
      return nodes.map(each -> each.resolve("snapshots").resolve(name)).sorted().toList();
    }
  }

  private int restore(List<Path> directories, String... more) {
    List<String> args = new ArrayList<>(List.of("--port", Integer.toString(port)));
    args.addAll(List.of("--temp", temporary.toString()));
    args.addAll(List.of(more));
    directories.forEach(each -> args.add(each.toString()));
    return run(new SnapshotRestoreCommand(), args);
  }

  private int run(Object command, List<String> args) {
    out.getBuffer().setLength(0);
    err.getBuffer().setLength(0);
    return new CommandLine(command)
        .setOut(new PrintWriter(out))
        .setErr(new PrintWriter(err))
        .setExecutionExceptionHandler(
            (failure, line, result) -> {
              err.append(failure.getMessage());
              return 1;
            })
        .execute(args.toArray(String[]::new));
  }

  @Test
  void anotherRingHasEveryCellAndEveryDeletion() throws Exception {
    Colonnade old = start("old", 2, BigInteger.ZERO);
    // One copy of each row, so that what either snapshot has must be there.
    createSchema(old, 1);
    write(old, SEED, 150, 10_000);
    List<String> before = cells(old);
    assertTrue(before.size() > 50, "seed " + SEED + " left " + before.size());
    writeExpiring(old);
    List<Column<String, String>> expiring = expiring(old);
    old.accounts().createRole("readers");
    old.accounts().createUser("alice", "a long password");
    old.accounts().grantRole("alice", "readers");
    // Restored from copies, of which those of an older snapshot have most files already.
    List<Path> copies = copies(snapshots(old, 2, "weekly"));
    List<Path> directories = copies(snapshots(old, 2));
    assertTrue(out.toString().contains(" 0 copied"), out::toString);
    assertEquals(copies.size(), directories.size());

    Colonnade restored = start("new", 2, TOKENS.shiftRight(2));

    assertEquals(1, restore(directories));
    assertTrue(err.toString().contains("--create-schema"), err.toString());
    assertEquals(List.of("system"), names(restored));

    assertEquals(0, restore(directories, "--create-schema", "--accounts"), err.toString());
    assertEquals(before, cells(restored), "seed " + SEED);
    assertEquals(old.accounts().list(), restored.accounts().list());
    restored.accounts().drop("alice");
    assertEquals(0, restore(directories, "--accounts-only"), err.toString());
    assertEquals(1, restored.accounts().list().size(), "what was dropped later stays dropped");

    assertEquals(List.of("for ever"), names(expiring(restored), false));
    assertEquals(List.of("for a day"), names(expiring(restored), true));
    assertEquals(2, expiring.size());

    ColumnFamilyDefinition defined = definition(restored, "E");
    assertEquals(Duration.ofHours(1), defined.defaultTtl().orElseThrow());
    assertEquals(1, restore(directories, "--merge"));
    assertTrue(err.toString().contains("Kept.E has a default_ttl"), err.toString());
    restored.schema().update("Kept", defined.withoutDefaultTtl());

    assertEquals(1, restore(directories), "families have rows");
    assertTrue(err.toString().contains("--merge"), err.toString());
    assertEquals(0, restore(directories, "--merge"), err.toString());
    assertEquals(before, cells(restored), "a second restore changes nothing");

    // What is older than the deletions in the snapshots is hidden, what is later stays: the two
    // clusters have the same deletions, so the same writes leave the same columns.
    write(old, SEED + 1, 60, 10_000);
    write(restored, SEED + 1, 60, 10_000);
    assertEquals(cells(old), cells(restored), "seed " + SEED);
    List<String> later = cells(restored);
    assertEquals(0, restore(directories, "--merge"), err.toString());
    assertEquals(later, cells(restored), "later deletions of the cluster win");
  }

  @Test
  void withTheArchivedLogItIsAsItWasAtAMomentAfterTheSnapshots() throws Exception {
    Colonnade old = start("old", 2, BigInteger.ZERO);
    createSchema(old, 2);
    long before = micros();
    write(old, SEED, 60, before);
    List<Path> directories = snapshots(old, 2);
    long since = micros();
    // What is written at a time and what is written after it are mixed in the log.
    write(old, SEED + 1, 40, since);
    List<String> then = cells(old);
    long until = since + 3_600_000_000L;
    write(old, SEED + 2, 40, until + 1);
    assertNotEquals(then, cells(old));
    stopAll();

    Colonnade restored = start("new", 3, TOKENS.shiftRight(2));
    String archive = archive().toString();
    String moment = Long.toString(until);

    assertEquals(2, restore(directories, "--log-archive", archive));
    assertEquals(
        1, restore(directories, "--create-schema", "--log-archive", archive, "--until", "5"));
    assertTrue(err.toString().contains("Restore earlier snapshots"), err.toString());
    Path one;
    try (Stream<Path> nodes = Files.list(archive())) {
      one = nodes.sorted().findFirst().orElseThrow();
    }
    List<String> incomplete =
        List.of("--create-schema", "--log-archive", one.toString(), "--until", moment);
    assertEquals(1, restore(directories, incomplete.toArray(String[]::new)));
    assertTrue(err.toString().contains("The archived log lacks the log of node"), err.toString());
    assertEquals(List.of("system"), names(restored));

    assertEquals(
        0,
        restore(directories, "--create-schema", "--log-archive", archive, "--until", moment),
        err.toString());
    assertEquals(then, cells(restored), "seed " + SEED);
    assertTrue(err.toString().contains("have parts from after"), err.toString());
    try (Stream<Path> files = Files.list(temporary)) {
      assertFalse(files.anyMatch(each -> each.toString().contains("colonnade-log-")));
    }
  }

  private static long micros() {
    return ChronoUnit.MICROS.between(Instant.EPOCH, Instant.now());
  }

  /** A column that never expires, in a family where new ones would, and one that expires. */
  private static void writeExpiring(Colonnade client) {
    ColumnFamilyDefinition family = ColumnFamilyDefinition.standard("E", "UTF8Type");
    client.schema().createIfAbsent("Kept", family);
    var entries =
        at(client, 0).columnFamily("E", Serializers.UTF8, Serializers.UTF8, Serializers.UTF8);
    entries.insert("row", Column.of("for ever", "a"));
    entries.insert("row", Column.of("for a day", "b").withTtl(Duration.ofDays(1)));
    client.schema().update("Kept", family.withDefaultTtl(Duration.ofHours(1)));
  }

  private static List<Column<String, String>> expiring(Colonnade client) {
    List<Column<String, String>> columns = new ArrayList<>();
    try (var row =
        at(client, 0)
            .columnFamily("E", Serializers.UTF8, Serializers.UTF8, Serializers.UTF8)
            .stream("row", Slice.all())) {
      row.forEachRemaining(columns::add);
    }
    return columns;
  }

  private static List<String> names(List<Column<String, String>> columns, boolean expire) {
    return columns.stream()
        .filter(each -> each.ttl().isPresent() == expire)
        .map(Column::name)
        .toList();
  }

  private static ColumnFamilyDefinition definition(Colonnade client, String family) {
    return client.schema().keyspace("Kept").columnFamilies().stream()
        .filter(each -> each.name().equals(family))
        .findFirst()
        .orElseThrow();
  }

  private static List<String> names(Colonnade client) {
    return client.schema().keyspaces().stream().map(KeyspaceDefinition::name).toList();
  }

  @Test
  void copiesAreListedAndAllButTheNewestAreDeleted() throws Exception {
    Colonnade client = start("one", 1, BigInteger.ZERO);
    createSchema(client, 1);
    String store = temporary.resolve("store").toString();
    for (String name : List.of("monday", "tuesday", "wednesday")) {
      write(client, SEED + name.length(), 10, 10_000);
      copies(snapshots(client, 1, name));
    }
    List<Path> last = copies(snapshots(client, 1, "thursday"));
    Files.createDirectories(last.get(0).resolveSibling("half"));
    assertEquals(0, run(new SnapshotCopiesCommand(), List.of(store)), err.toString());
    List<String> lines = out.toString().lines().toList();
    assertEquals(5, lines.size(), lines::toString);
    assertTrue(lines.get(0).contains("monday: taken "), lines::toString);
    assertTrue(lines.get(3).contains(" 0 new"), lines::toString);
    assertTrue(lines.get(4).endsWith("half: not finished"), lines::toString);

    assertEquals(0, run(new SnapshotPruneCommand(), List.of(store, "--keep", "2")), err.toString());
    assertEquals(0, run(new SnapshotCopiesCommand(), List.of(store)), err.toString());
    List<String> left = out.toString().lines().toList();
    assertEquals(2, left.size(), left::toString);
    assertTrue(left.get(0).contains("wednesday"), left::toString);
    assertEquals(0, run(new SnapshotCommand(), List.of("verify", last.get(0).toString())));
    assertEquals(2, run(new SnapshotPruneCommand(), List.of(store, "--keep", "0")));
  }

  @Test
  void damageAndAnotherOrderAreRefusedBeforeAnythingIsWritten() throws Exception {
    Colonnade old = start("old", 1, BigInteger.ZERO);
    createSchema(old, 1);
    write(old, SEED, 40, 10_000);
    List<Path> directories = snapshots(old, 1);
    Colonnade restored = start("new", 1, BigInteger.TEN);
    restored.schema().createIfAbsent(KeyspaceDefinition.named("Kept").withReplicationFactor(1));
    restored.schema().createIfAbsent("Kept", ColumnFamilyDefinition.standard("A", "BytesType"));

    assertEquals(1, restore(directories, "--create-schema"));
    assertTrue(err.toString().contains("Kept.A orders its columns by"), err.toString());

    assertEquals(1, restore(directories, "--create-schema", "--only", "Absent"));
    assertTrue(err.toString().contains("Absent is not in the snapshots"), err.toString());

    List<Path> twice = List.of(directories.get(0), directories.get(0));
    assertEquals(1, restore(twice));
    assertTrue(err.toString().contains("has two snapshots here"), err.toString());

    Path data;
    try (Stream<Path> files = Files.walk(directories.get(0))) {
      data =
          files
              .filter(Files::isRegularFile)
              .filter(each -> !each.endsWith("manifest"))
              .max((a, b) -> Long.compare(a.toFile().length(), b.toFile().length()))
              .orElseThrow();
    }
    byte[] bytes = Files.readAllBytes(data);
    bytes[bytes.length / 2] ^= 1;
    Files.delete(data);
    Files.write(data, bytes);
    assertEquals(1, restore(directories, "--create-schema"));
    assertTrue(err.toString().contains("is damaged"), err.toString());
    assertEquals(0, standard(at(restored, 0)).count("row1", Slice.all()));
  }
}
