package dev.colonnade.it.history;

import dev.colonnade.admin.v1.CompactRequest;
import dev.colonnade.admin.v1.CreateSnapshotRequest;
import dev.colonnade.admin.v1.FlushRequest;
import dev.colonnade.client.CallOptions;
import dev.colonnade.client.ClientOptions;
import dev.colonnade.client.Colonnade;
import dev.colonnade.client.PasswordSource;
import dev.colonnade.client.Tls;
import dev.colonnade.it.Await;
import dev.colonnade.it.LocalNode;
import dev.colonnade.it.cluster.TestCluster;
import dev.colonnade.it.real.NodeNetwork;
import dev.colonnade.server.node.authority.CertificateDirectory;
import io.grpc.StatusRuntimeException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Three nodes as processes, with TLS and accounts, that are killed, stopped, cut off, restarted and
 * kept busy. One thread breaks and mends them; any may call them.
 */
final class BrokenCluster implements AutoCloseable {

  static final int NODES = 3;
  static final String ADMIN = "admin";
  static final String PASSWORD = "only the administrator knows this";
  private static final String NAME = "History";

  /** Less than what a node warns of. */
  private static final List<String> CLOCKS = List.of("+0", "+0.35s", "-0.35s");

  /** Of Debian's package libfaketime, by machine. */
  private static final List<Path> FAKE_TIME =
      List.of(
          Path.of("/usr/lib/x86_64-linux-gnu/faketime/libfaketime.so.1"),
          Path.of("/usr/lib/aarch64-linux-gnu/faketime/libfaketime.so.1"));

  /** Everything that a node missed has reached it by then: accounts take five seconds. */
  private static final Duration SETTLING = Duration.ofSeconds(12);

  private static final int FAULT_MILLIS_MIN = 1_000;
  private static final int FAULT_MILLIS_MAX = 12_000;
  private static final int QUIET_MILLIS_MAX = 5_000;
  private static final Duration LIMIT = Duration.ofMinutes(2);

  /** What is done to the nodes. */
  enum Fault {
    /** SIGKILL, and started again. */
    KILL,
    /** SIGSTOP, and SIGCONT. */
    SUSPEND,
    /** One node reaches no other and is reached by none. */
    CUT_OFF,
    /** Two nodes do not reach each other. */
    BROKEN_LINK,
    /** Each node is stopped and started in turn. */
    ROLLING_RESTART,
    /** All nodes take a snapshot. */
    SNAPSHOT,
    /** A node flushes and merges all. */
    MERGE
  }

  private final TestCluster cluster;
  private final @Nullable NodeNetwork network;
  private final Path trusted;
  private final AtomicReferenceArray<LocalNode> nodes = new AtomicReferenceArray<>(NODES);
  private final Map<Fault, Integer> done = new TreeMap<>();
  private final List<String> notes = new ArrayList<>();
  private volatile boolean wholeReplicas = true;
  private volatile long calmFrom = System.nanoTime();
  private volatile boolean broken;

  private BrokenCluster(TestCluster cluster, @Nullable NodeNetwork network, Path trusted) {
    this.cluster = cluster;
    this.network = network;
    this.trusted = trusted;
    IntStream.range(0, NODES).forEach(i -> nodes.set(i, cluster.node(i)));
  }

  /**
   * Starts the nodes.
   *
   * @param skipped takes what this machine cannot do, with the reason
   */
  static BrokenCluster start(Path folder, List<String> skipped)
      throws IOException, CertificateDirectory.RefusedException {
    String missing = NodeNetwork.missing();
    NodeNetwork network = missing.isEmpty() ? NodeNetwork.of(NODES) : null;
    if (network == null) {
      skipped.add("partitions: " + missing);
    }
    Optional<Path> clocks = FAKE_TIME.stream().filter(Files::exists).findFirst();
    if (clocks.isEmpty()) {
      skipped.add("clocks apart: no libfaketime (package faketime)");
    }
    Path trusted = folder.resolve("certs/node0/clients-ca.pem");
    LocalNode.Access access = new LocalNode.Access(trusted, ADMIN, PASSWORD);
    List<LocalNode.Host> hosts = new ArrayList<>();
    for (int i = 0; i < NODES; i++) {
      LocalNode.Host host =
          network == null
              ? new LocalNode.Host("127.0." + loopback() + "." + (i + 2), List.of())
              : network.host(i);
      List<String> launcher = new ArrayList<>(host.launcher());
      if (clocks.isPresent()) {
        launcher.addAll(
            List.of(
                "env",
                "LD_PRELOAD=" + clocks.get(),
                "FAKETIME=" + CLOCKS.get(i),
                "FAKETIME_DONT_FAKE_MONOTONIC=1",
                // Its remedy for another version of glibc lets a JVM wait for ever.
                "FAKETIME_FORCE_MONOTONIC_FIX=0"));
      }
      hosts.add(new LocalNode.Host(host.address(), launcher, access));
    }
    certify(folder.resolve("certs"), hosts);
    Path password = folder.resolve("admin.password");
    Files.createFile(
        password,
        PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
    Files.writeString(password, PASSWORD + "\n");
    try {
      TestCluster started =
          TestCluster.start(
              folder,
              hosts,
              node ->
                  List.of(
                      "--cluster-name",
                      NAME,
                      "--hint-interval",
                      "5",
                      "--tls",
                      folder.resolve("certs/node" + node).toString(),
                      "--authentication",
                      "password",
                      "--admin-password-file",
                      password.toString()));
      return new BrokenCluster(started, network, trusted);
    } catch (IOException | RuntimeException | Error e) {
      if (network != null) {
        network.close();
      }
      throw e;
    }
  }

  /** Of this process's own, so that two runs do not meet. */
  private static long loopback() {
    return 50 + ProcessHandle.current().pid() % 200;
  }

  private static void certify(Path folder, List<LocalNode.Host> hosts)
      throws IOException, CertificateDirectory.RefusedException {
    // Clocks are apart: a certificate of this moment is not valid yet on some node.
    CertificateDirectory made =
        new CertificateDirectory(folder, Instant.now().minus(Duration.ofHours(1)));
    made.createAuthorities(NAME, Duration.ofDays(2));
    for (int i = 0; i < hosts.size(); i++) {
      Object unused =
          made.createNode(
              "node" + i, List.of(hosts.get(i).address()), Optional.empty(), Duration.ofDays(2));
    }
  }

  /** One of the nodes, as it runs now or ran last. */
  LocalNode node(int index) {
    return nodes.get(index);
  }

  LocalNode anyNode(Random random) {
    return nodes.get(random.nextInt(NODES));
  }

  /** A client of all nodes. */
  Colonnade client(CallOptions calls) {
    return Colonnade.connect(
        IntStream.range(0, NODES)
            .mapToObj(i -> node(i).address() + ":" + node(i).ports().client())
            .toList(),
        ClientOptions.defaults()
            .withCalls(calls)
            .withTls(Tls.system().withTrusted(trusted))
            .withUser(ADMIN, PasswordSource.fixed(PASSWORD)));
  }

  /** Whether nothing is broken, nor was for so long that all nodes know everything. */
  boolean isCalm() {
    return !broken && System.nanoTime() - calmFrom > SETTLING.toNanos();
  }

  /**
   * Whether every replica has whole batches: nothing that a replica could miss a write by has
   * happened yet. Later a read may have repaired a part of a batch there.
   */
  boolean hasWholeReplicas() {
    return wholeReplicas;
  }

  /** How often what was done. */
  Map<Fault, Integer> done() {
    return done;
  }

  /** Breaks something and mends it again; then lets some time pass. */
  void round(Random random, Recorder recorder) throws IOException {
    List<Fault> possible = new ArrayList<>(List.of(Fault.values()));
    if (network == null) {
      possible.remove(Fault.CUT_OFF);
      possible.remove(Fault.BROKEN_LINK);
    }
    Fault fault = possible.get(random.nextInt(possible.size()));
    int node = random.nextInt(NODES);
    done.merge(fault, 1, Integer::sum);
    recorder.history().note(fault + " of node " + node);
    double part = random.nextDouble();
    Duration length =
        Duration.ofMillis(
            FAULT_MILLIS_MIN + (long) (part * part * (FAULT_MILLIS_MAX - FAULT_MILLIS_MIN)));
    broken = fault != Fault.SNAPSHOT && fault != Fault.MERGE;
    wholeReplicas &= !broken;
    try {
      apply(fault, node, length, random);
    } finally {
      if (broken) {
        calmFrom = System.nanoTime();
        broken = false;
      }
    }
    recorder.history().note(fault + " has ended");
    Await.pass(
        random.nextInt(3) == 0
            ? SETTLING.plusSeconds(5)
            : Duration.ofMillis(random.nextInt(QUIET_MILLIS_MAX)));
  }

  private void apply(Fault fault, int node, Duration length, Random random) throws IOException {
    switch (fault) {
      case KILL -> {
        cluster.kill(node);
        Await.pass(length);
        restart(node);
      }
      case SUSPEND -> {
        cluster.signal(node, "STOP");
        Await.pass(length);
        cluster.signal(node, "CONT");
      }
      case CUT_OFF -> {
        for (int other = 0; other < NODES; other++) {
          if (other != node) {
            cut(node, other);
          }
        }
        Await.pass(length);
        heal();
      }
      case BROKEN_LINK -> {
        cut(node, (node + 1) % NODES);
        Await.pass(length);
        heal();
      }
      case ROLLING_RESTART -> {
        for (int i = 0; i < NODES; i++) {
          cluster.stop(i);
          restart(i);
          cluster.awaitUp(NODES);
        }
      }
      case SNAPSHOT ->
          attempt(
              () ->
                  cluster
                      .node(node)
                      .node()
                      .withDeadlineAfter(LIMIT.toSeconds(), TimeUnit.SECONDS)
                      .createSnapshot(
                          CreateSnapshotRequest.newBuilder()
                              .setName("s" + random.nextInt(Integer.MAX_VALUE))
                              .setClusterWide(true)
                              .build())
                      .forEachRemaining(progress -> {}));
      case MERGE ->
          attempt(
              () -> {
                for (String keyspace : Workloads.KEYSPACES) {
                  var calls =
                      cluster
                          .node(node)
                          .node()
                          .withDeadlineAfter(LIMIT.toSeconds(), TimeUnit.SECONDS);
                  Object unused =
                      calls.flush(FlushRequest.newBuilder().setKeyspace(keyspace).build());
                  calls
                      .compact(CompactRequest.newBuilder().setKeyspace(keyspace).build())
                      .forEachRemaining(progress -> {});
                }
              });
    }
  }

  private void attempt(Runnable call) {
    try {
      call.run();
    } catch (StatusRuntimeException e) {
      notes.add(String.valueOf(e.getMessage()));
    }
  }

  /** Administrative calls that failed, in words. */
  List<String> notes() {
    return notes;
  }

  private void restart(int node) throws IOException {
    cluster.restart(node);
    nodes.set(node, cluster.node(node));
  }

  private void cut(int one, int other) throws IOException {
    if (network != null) {
      network.drop(one, other);
      network.drop(other, one);
    }
  }

  private void heal() throws IOException {
    if (network != null) {
      network.heal();
    }
  }

  /** Returns when all nodes see each other and no hint waits. */
  void awaitWhole() {
    cluster.awaitUp(NODES);
    Await.until(
        () -> IntStream.range(0, NODES).allMatch(i -> cluster.view(i).hints() == 0),
        LIMIT,
        () -> "hints are not delivered");
  }

  @Override
  public void close() throws IOException {
    cluster.close();
    if (network != null) {
      network.close();
    }
  }
}
