package dev.colonnade.it.reliability;

import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The suites that planted bugs must be noticed by; each is one or more test classes of the server,
 * of the command line, or of the Java client.
 */
enum Suite {
  CRASH(
      "crash",
      "colonnade.sweep.seed",
      Map.of("colonnade.sweep.states", "1200"),
      Map.of("colonnade.sweep.states", "10000"),
      "a random script, crashed after every file operation",
      "storage.engine.StoreCrashTest"),
  FAILURES(
      "failures",
      "colonnade.sweep.seed",
      Map.of("colonnade.sweep.failures", "60"),
      Map.of("colonnade.sweep.failures", "16000"),
      "a random script, whose k-th file operation fails",
      "storage.engine.StoreFailureSweepTest"),
  METAMORPHIC(
      "metamorphic",
      "colonnade.lists.first",
      Map.of("colonnade.lists", "10", "colonnade.lists.purging", "10"),
      Map.of("colonnade.lists", "10000", "colonnade.lists.purging", "1000"),
      "random operations under all configurations, against sorted maps",
      "metamorphic.MetamorphicTest"),
  RESURRECTION(
      "resurrection",
      null,
      Map.of(),
      Map.of(),
      "scenarios in which stores have lost a deletion too early",
      "storage.engine.NoResurrectionTest"),
  ISOLATION(
      "isolation",
      null,
      Map.of("colonnade.isolation.reads", "100000"),
      Map.of("colonnade.isolation.reads", "10000000"),
      "readers and writers of 16 columns with one nonce, on threads and a real disk; what a batch"
          + " makes of one key's changes",
      "storage.engine.RowIsolationTest",
      "service.rpc.BatchCallsTest"),
  LOG_DAMAGE(
      "log-damage",
      null,
      Map.of(),
      Map.of(),
      "bits flipped in segments of the log, and segments cut",
      "storage.commitlog.CommitLogDamageTest"),
  FILE_DAMAGE(
      "file-damage",
      null,
      Map.of(),
      Map.of("colonnade.sweep.share", "1"),
      "every bit flipped and every length of each component of a small data file",
      "storage.sstable.SSTableSweepTest"),
  STORE_DAMAGE(
      "store-damage",
      null,
      Map.of(),
      Map.of("colonnade.sweep.share", "1"),
      "bits flipped, files cut and files deleted of a whole store; what is read, merged and"
          + " restored beside files in quarantine",
      "storage.engine.StoreSweepTest",
      "storage.engine.QuarantineTest"),
  KEY_INDEX(
      "key-index",
      null,
      Map.of("colonnade.keyindex.flips", "500", "colonnade.keyindex.rebuilds", "3"),
      Map.of("colonnade.keyindex.flips", "10000", "colonnade.keyindex.rebuilds", "12"),
      "random bits flipped in a memory-mapped key index",
      "storage.sstable.KeyIndexFlipTest"),
  ERRORS(
      "errors",
      null,
      Map.of(),
      Map.of(),
      "requests with every field wrong in every way, and every failure of the store, over gRPC",
      "service.rpc.RefusalsTest",
      "service.rpc.ErrorDetailsTest",
      "service.rpc.CallsTest",
      "service.rpc.PagingPropertyTest#aTokenIsRefusedBesideAnotherRequestAndWhenAnyBitIsFlipped",
      "service.rpc.RowRangeCallsTest"),
  STREAMS(
      "streams",
      null,
      Map.of(),
      Map.of(),
      "calls of many messages over gRPC, large and small ones, slow readers and early ends",
      "service.rpc.CallEventsTest",
      "service.rpc.ChunkStreamTest",
      "service.rpc.MutateStreamTest"),
  CLOCKS(
      "clocks",
      "colonnade.clock.seed",
      Map.of("colonnade.clock.scripts", "3"),
      Map.of("colonnade.clock.scripts", "1000"),
      "a wall clock that steps by up to a day, to and fro, under every kind of work",
      "storage.engine.StoreClockTest",
      "service.consistency.IncreasingTimestampsTest"),
  LIFECYCLE(
      "lifecycle",
      null,
      Map.of(),
      Map.of(),
      "starts and stops, in order or not, twice at once, and of files of another release",
      "storage.engine.StoreLifecycleTest",
      "storage.engine.StoreRestartTest",
      "storage.engine.ReplayTest"),
  CLUSTER(
      "cluster",
      "colonnade.sim.from",
      Map.of("colonnade.sim.seeds", "1"),
      Map.of("colonnade.sim.seeds", "1000"),
      "five simulated nodes, three copies, registers at QUORUM, faults by seed; then all is healed"
          + " and compared",
      "sim.cluster.SimulatedClusterTest#whatClientsSawCanHaveBeenAndReplicasAgree"),
  MEMBERSHIP(
      "membership",
      "colonnade.sim.from",
      Map.of("colonnade.sim.seeds", "1"),
      Map.of("colonnade.sim.seeds", "1000"),
      "as cluster, while nodes join, leave, move, die for good, are replaced and lose their disks",
      "sim.cluster.SimulatedClusterTest#aRingWhoseMembersChangeLosesNothing"),
  SCHEMAS(
      "schemas",
      "colonnade.sim.from",
      Map.of("colonnade.sim.seeds", "1"),
      Map.of("colonnade.sim.seeds", "1000"),
      "as cluster, while its nodes change keyspaces and families at once, often the same one",
      "sim.cluster.SimulatedClusterTest#schemasChangedEverywhereAtOnceBecomeOne"),
  JOINING(
      "joining",
      null,
      Map.of(),
      Map.of(),
      "simulated nodes join, leave, die, are removed and repaired, one after the other or at once",
      "sim.cluster.MembershipTest",
      "sim.cluster.BootstrapTest",
      "sim.cluster.NodeRemovalTest",
      "sim.cluster.IdentityTest",
      "sim.cluster.RepairTest"),
  COORDINATION(
      "coordination",
      null,
      Map.of(),
      Map.of(),
      "one request over replicas that are down, late, behind or silent, at every level",
      "service.coordinator.WriteHandlerTest",
      "service.coordinator.CoordinatedReadsTest",
      "service.coordinator.ClusterRangesTest",
      "service.schemasync.ClusterSchemaTest",
      "service.schemasync.TruncationTest",
      "service.consistency.ConsistencyRequirementTest"),
  HINTS(
      "hints",
      null,
      Map.of(),
      Map.of(),
      "hints under returns, truncations, drops, restarts, power cuts, full and damaged disks",
      "cluster.hints.HintsTest",
      "cluster.hints.HintDispatcherTest",
      "cluster.hints.HintReceiverTest",
      "cluster.hints.HintCrashTest",
      "cluster.hints.HintDamageTest"),
  GOSSIP(
      "gossip",
      null,
      Map.of(),
      Map.of(),
      "simulated nodes that only gossip: loss, jitter, pauses, islands, restarts, departures",
      "cluster.gossip.GossiperTest",
      "cluster.gossip.GossipFaultsTest",
      "cluster.gossip.EndpointStateMapTest",
      "cluster.gossip.TopologyBuilderTest",
      "cluster.failure.FailureDetectorTest"),
  MERGES(
      "merges",
      null,
      Map.of(),
      Map.of(),
      "answers of replicas joined and mended, rows hashed and streamed, against a plain model",
      "base.model.RowMergeTest",
      "base.model.RangeTombstoneTreeTest",
      "service.readrepair.RowResolverTest",
      "service.readrepair.RangeResolverTest",
      "cluster.repair.MerkleBuilderTest",
      "cluster.streaming.SpansTest",
      "service.rpc.ChunkStreamTest",
      "service.rpc.MutateStreamTest"),
  PLACEMENT(
      "placement",
      "colonnade.placements.first",
      Map.of("colonnade.placements", "5"),
      Map.of("colonnade.placements", "500"),
      "the same writes with many ties, in memory and in files, merged at other moments; digests and"
          + " answers compared",
      "storage.engine.PlacementTest",
      "service.coordinator.TiesAcrossNodesTest",
      "base.model.ReconcileTest"),
  STALLS(
      "stalls",
      null,
      Map.of(),
      Map.of(),
      "a disk that does not come back: what must not wait for it, and who has to notice",
      "storage.engine.BoundedTurnsTest",
      "storage.engine.CompactorTest",
      "storage.engine.StuckDiskTimersTest",
      "storage.engine.WritePipelineTest",
      "node.platform.ChronicleKeyIndexesTest",
      "base.health.WatchdogTest"),
  CONSOLE(
      "console",
      null,
      Map.of(),
      Map.of(),
      "a process whose standard error takes no lines",
      Suite.CLI + "LogQueueTest"),
  SCHEMA(
      "schema",
      "colonnade.schema.from",
      Map.of("colonnade.schema.seeds", "300"),
      Map.of("colonnade.schema.seeds", "20000"),
      "random changes of schema on three nodes that hear of each other now and then, many at one"
          + " timestamp; in the end one schema, valid, and open to change",
      "base.schema.SchemaConvergenceTest",
      "base.schema.CollisionsTest",
      "base.schema.SchemaRowTest",
      "service.schemasync.ClusterSchemaTest"),
  FAULTS(
      "faults",
      null,
      Map.of(),
      Map.of(),
      "names that no comparator orders and disks that answer with errors: what each takes with it,"
          + " and who is told",
      "storage.engine.PoisonRecordTest",
      "sim.cluster.DiskFailurePolicyTest",
      "sim.cluster.UnhealthyNodesTest"),
  SHELL(
      "shell",
      null,
      Map.of(),
      Map.of(),
      "statements printed and read again, and schemas of odd names made again from the shell's"
          + " script",
      Suite.CLI + "shell.grammar.StatementPropertiesTest",
      Suite.CLI + "shell.grammar.StatementReaderTest",
      Suite.CLI + "shell.SchemaScriptTest",
      Suite.CLI + "shell.HostileDataTest"),
  ANSWERS(
      "answers",
      null,
      Map.of(),
      Map.of(),
      "pages, chunks and tokens over gRPC joined to whole answers, rows that change between two"
          + " pages, answers of every size",
      "service.rpc.OneMomentTest",
      "service.rpc.PagingPropertyTest",
      "service.rpc.AnswerPagesTest",
      "service.rpc.RowRangeCallsTest",
      "service.rpc.SinceCallsTest",
      "service.rpc.EncodedReadsTest",
      "service.rpc.CallsTest"),
  SESSIONS(
      "sessions",
      null,
      Map.of(),
      Map.of(),
      "sessions and streams under limits, refusals, cancellations and ends; what the next call"
          + " finds",
      "service.rpc.SessionStreamTest",
      "service.rpc.SessionLimitsTest",
      "service.rpc.LoopTurnsTest",
      "service.rpc.CallMemoryTest",
      "service.rpc.MemoryLimitsTest",
      "service.rpc.MutateStreamTest",
      "service.rpc.DeferredBatchesTest",
      "service.rpc.ChunkStreamTest",
      "service.rpc.RpcServerTest"),
  ACCOUNTS(
      "accounts",
      null,
      Map.of(),
      Map.of(),
      "every method with one right, passwords guessed beside their owner, tokens past their end,"
          + " host names, and what the audit log says",
      "service.rpc.OneRightTest",
      "service.rpc.AccessCallsTest",
      "service.rpc.AuthorizationInterceptorTest",
      "service.rpc.TokenEndTest",
      "service.rpc.RpcPermissionsTest",
      "service.accounts.AuthenticatorTest",
      "service.accounts.FailedLoginsTest",
      "service.accounts.AuditLogTest",
      "service.accounts.AccountsTest",
      "service.accounts.AccountFactsTest",
      "service.accounts.AccessPolicyTest",
      "node.platform.HostNamesTest"),
  LOADS(
      "loads",
      null,
      Map.of(),
      Map.of(),
      "bulk loads that are throttled, broken off, out of order and too late",
      "service.rpc.BulkLoadCallsTest",
      "service.rpc.ScheduleRepairTest",
      "sim.cluster.BulkLoadClusterTest"),
  SEARCH(
      "search",
      null,
      Map.of(),
      Map.of(),
      "documents indexed, replaced and removed in any order, found page by page",
      "service.rpc.SearchCallsTest",
      "service.search.LeftOversTest",
      "service.search.IndexValuesTest"),
  RESTORE(
      "restore",
      null,
      Map.of(),
      Map.of(),
      "snapshots of several nodes and their archived logs, merged and written to a cluster",
      Suite.CLI + "local.restore.SnapshotRestoreTest"),
  COPIES(
      "copies",
      null,
      Map.of(),
      Map.of(),
      "rows copied to files and back, and listed up to a limit",
      Suite.CLI + "shell.CopyTest",
      Suite.CLI + "shell.InterpreterTest"),
  CLIENT(
      "client",
      null,
      Map.of(),
      Map.of(),
      "the Java client on nodes that are made up: routes, retries, sessions, cursors",
      Suite.CLIENTS + "ReplicasTest",
      Suite.CLIENTS + "OwnersTest",
      Suite.CLIENTS + "ReplicaMapTest",
      Suite.CLIENTS + "RetriesTest",
      Suite.CLIENTS + "SessionTest",
      Suite.CLIENTS + "SessionsTest",
      Suite.CLIENTS + "CursorPublisherTest",
      Suite.CLIENTS + "SpeculativeReadsTest",
      Suite.CLIENTS + "BulkWriterTest"),
  CHECKERS(
      "checkers",
      null,
      Map.of(),
      Map.of(),
      "the checkers themselves, on good and bad histories, and on a store made wrong in five ways",
      "history.HistoryCheckTest",
      "history.OtherChecksTest",
      "sim.cluster.ToyStoreTest");

  private static final String PACKAGE = "dev.colonnade.server.";

  /** Before names of tests that are not of the server. */
  private static final String CLI = "dev.colonnade.cli.";

  private static final String CLIENTS = "dev.colonnade.client.";

  /** Suites that run seed after seed must catch a planted bug within this number of seeds. */
  static final int SEEDS_MAX = 200;

  private final String label;
  private final @Nullable String seedProperty;
  private final Map<String, String> brief;
  private final Map<String, String> whole;
  private final String method;
  private final List<String> classes;

  Suite(
      String label,
      @Nullable String seedProperty,
      Map<String, String> brief,
      Map<String, String> whole,
      String method,
      String... classes) {
    this.label = label;
    this.seedProperty = seedProperty;
    this.brief = brief;
    this.whole = whole;
    this.method = method;
    this.classes =
        Arrays.stream(classes).map(name -> isOfServer(name) ? PACKAGE.concat(name) : name).toList();
  }

  private static boolean isOfServer(String name) {
    return !name.startsWith(CLI) && !name.startsWith(CLIENTS);
  }

  /**
   * The suite of that name in heads and options.
   *
   * @throws IllegalArgumentException if there is none
   */
  static Suite named(String label) {
    for (Suite suite : values()) {
      if (suite.label.equals(label.strip())) {
        return suite;
      }
    }
    throw new IllegalArgumentException("no suite '" + label + "'");
  }

  String label() {
    return label;
  }

  /** Runs with other seeds are other runs; without a seed one run says all. */
  @Nullable String seedProperty() {
    return seedProperty;
  }

  /**
   * With a bug planted the suite runs one seed after another until it is caught, at most this many;
   * 0 for suites whose runs are long and conclusive. Such a suite reads its settings again each
   * time.
   */
  int seedsMax() {
    return this == CLUSTER || this == MEMBERSHIP || this == SCHEMAS ? SEEDS_MAX : 0;
  }

  /** Scripts and lists within one run go on from its seed; the next run begins after them. */
  long seedsBetweenRuns() {
    return seedsMax() > 0 ? 1 : 1_000;
  }

  /** Counts that take seconds, for a planted bug. */
  Map<String, String> brief() {
    return brief;
  }

  /** The counts that the project asks of the suite. */
  Map<String, String> whole() {
    return whole;
  }

  /** The module whose tests these are. */
  String module() {
    String first = classes.get(0);
    return first.startsWith(CLI) ? "cli" : first.startsWith(CLIENTS) ? "client-java" : "server";
  }

  String method() {
    return method;
  }

  /** Names of classes, some with {@code #} and the one method that is wanted. */
  List<String> classes() {
    return classes;
  }
}
