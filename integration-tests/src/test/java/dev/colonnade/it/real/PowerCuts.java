package dev.colonnade.it.real;

import dev.colonnade.admin.v1.ColumnFamilyDef;
import dev.colonnade.admin.v1.CreateColumnFamilyRequest;
import dev.colonnade.admin.v1.DropColumnFamilyRequest;
import dev.colonnade.admin.v1.GetKeyspaceRequest;
import dev.colonnade.admin.v1.GetStatsRequest;
import dev.colonnade.it.Await;
import dev.colonnade.it.ChildJvm;
import dev.colonnade.it.LocalNode;
import dev.colonnade.it.ProcessNode;
import dev.colonnade.it.RowLoad;
import dev.colonnade.it.SmallDisk;
import java.io.IOException;
import java.nio.file.Files;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The power fails while clients write, and now and then again while the node starts. After it the
 * node starts by itself and has every acknowledged write: all of them in {@code batch}, in {@code
 * periodic} all but those of the last period.
 *
 * @param commitLogSync {@code batch} or {@code periodic}
 */
record PowerCuts(SmallDisk.Kind kind, String commitLogSync) implements RealCase {

  private static final int DISK_MEGABYTES = 512;
  private static final int MOST_ACKNOWLEDGEMENTS = 800;

  /** One in this many starts is cut off as well, at most this long after it began. */
  private static final int STARTS_FOR_A_CUT = 4;

  private static final int START_MILLIS = 1_500;

  /** Long enough for a sync or two of a period. */
  private static final int PERIODS_MILLIS = 2_000;

  /**
   * The period of the commit log's syncs, and the sync in progress at the cut, on a busy machine.
   */
  private static final Duration LOSS_MAX = Duration.ofSeconds(2);

  private static final Duration END_LIMIT = Duration.ofSeconds(30);

  @Override
  public String name() {
    return "power-" + kind.fileSystem() + "-" + commitLogSync;
  }

  @Override
  public String what() {
    return "power cuts under load on "
        + kind.fileSystem()
        + ", commit log in mode "
        + commitLogSync
        + "; start, and look for all that was acknowledged";
  }

  @Override
  public String missing() throws IOException {
    return RealDisk.missing(kind, List.of("perl"));
  }

  @Override
  public Outcome run(Plan plan) throws IOException, InterruptedException {
    try (SmallDisk disk = SmallDisk.mounted(kind, plan.folder().resolve("disk"), DISK_MEGABYTES)) {
      LocalNode.Settings settings =
          LocalNode.Settings.in(disk.root())
              .withStorageConf(plan.folder().resolve("storage-conf.xml"))
              .withCommitLogSync(commitLogSync)
              .withJvmArguments(plan.classes().archive().jvmArguments());
      Trial trial = new Trial(disk, settings, plan.random(), commitLogSync.equals("periodic"));
      try {
        trial.run(plan.rounds());
      } finally {
        trial.end();
      }
      return trial.outcome();
    }
  }

  /** One run of it. */
  private static final class Trial {
    private final SmallDisk disk;
    private final LocalNode.Settings settings;
    private final Random random;
    private final boolean periodic;
    private final RowLoad load = new RowLoad();
    private final Set<String> families = new TreeSet<>(Set.of("Rows"));
    private final List<String> violations = new ArrayList<>();
    private final long begin = System.nanoTime();
    private @Nullable ProcessNode node;
    private int rounds;
    private int cuts;
    private int cutStarts;
    private long acknowledged;
    private long lost;
    private long longestLossMillis;
    private long earliestLossMillis;

    Trial(SmallDisk disk, LocalNode.Settings settings, Random random, boolean periodic) {
      this.disk = disk;
      this.settings = settings;
      this.random = random;
      this.periodic = periodic;
    }

    void run(int wanted) throws IOException, InterruptedException {
      boolean roomy = chooseRoom();
      ProcessNode serving = ProcessNode.start(settings);
      while (violations.isEmpty() && rounds < wanted) {
        node = serving;
        long cut = writeUntilCut(serving, roomy);
        roomy = chooseRoom();
        if (random.nextInt(STARTS_FOR_A_CUT) == 0) {
          cutAStart();
        }
        try {
          serving = ProcessNode.start(settings);
        } catch (IOException e) {
          violations.add("it does not start: " + e.getMessage());
          return;
        }
        node = serving;
        verify(serving, cut);
        rounds++;
      }
    }

    /**
     * Half of the starts are with segments and memtables so small that files are made and renamed
     * all the time; in the other half nothing but the period syncs the log.
     */
    private boolean chooseRoom() throws IOException {
      boolean roomy = random.nextBoolean();
      Files.writeString(
          Objects.requireNonNull(settings.storageConf()),
          roomy ? RowLoad.ROOMY_STORAGE_CONF : RowLoad.STORAGE_CONF);
      return roomy;
    }

    /** Returns when the power was cut, as {@link System#nanoTime} has it. */
    private long writeUntilCut(ProcessNode serving, boolean roomy)
        throws IOException, InterruptedException {
      RowLoad.Running writers = load.start(serving, random.nextLong(), failure -> false);
      int count = 1 + random.nextInt(MOST_ACKNOWLEDGEMENTS);
      writers.awaitAcknowledged(random.nextInt(count));
      changeSchema(serving);
      writers.awaitAcknowledged(count);
      if (roomy && periodic) {
        Await.pass(Duration.ofMillis(random.nextInt(PERIODS_MILLIS)));
      }
      long cut = disk.cutPower(random.nextBoolean());
      cuts++;
      serving.kill();
      writers.end();
      acknowledged += writers.acknowledged();
      disk.powerOn();
      return cut;
    }

    /** A change of the schema that was acknowledged outlives the cut in both modes. */
    private void changeSchema(ProcessNode serving) {
      String made = "Made" + rounds;
      serving
          .schema()
          .createColumnFamily(
              CreateColumnFamilyRequest.newBuilder()
                  .setColumnFamily(
                      ColumnFamilyDef.newBuilder().setKeyspace(RowLoad.KEYSPACE).setName(made))
                  .build());
      families.add(made);
      String dropped = "Made" + (rounds - 1);
      if (families.contains(dropped)) {
        serving
            .schema()
            .dropColumnFamily(
                DropColumnFamilyRequest.newBuilder()
                    .setKeyspace(RowLoad.KEYSPACE)
                    .setName(dropped)
                    .build());
        families.remove(dropped);
      }
    }

    private void cutAStart() throws IOException {
      Process starting = LocalNode.launch(settings);
      Await.pass(Duration.ofMillis(1 + random.nextInt(START_MILLIS)));
      disk.cutPower(random.nextBoolean());
      cuts++;
      cutStarts++;
      starting.destroyForcibly();
      if (!ChildJvm.exited(starting, END_LIMIT)) {
        throw new IOException("a process survived SIGKILL for " + END_LIMIT);
      }
      disk.powerOn();
    }

    private void verify(ProcessNode serving, long cut) throws IOException {
      // The system lives on while its file system is shut down, and can report success to a sync of
      // that moment: such a write does not count as acknowledged before the power cut.
      load.mayHaveLostSince(periodic ? cut - LOSS_MAX.toNanos() : cut);
      RowLoad.Found found = load.verify(serving);
      violations.addAll(found.violations());
      if (found.lost() > 0) {
        lost += found.lost();
        long age = (cut - found.lostSinceNanoTime()) / 1_000_000;
        longestLossMillis = Math.max(longestLossMillis, age);
        earliestLossMillis = Math.min(earliestLossMillis, age);
      }
      Set<String> there =
          serving
              .schema()
              .getKeyspace(GetKeyspaceRequest.newBuilder().setName(RowLoad.KEYSPACE).build())
              .getKeyspace()
              .getColumnFamiliesList()
              .stream()
              .map(ColumnFamilyDef::getName)
              .collect(Collectors.toCollection(TreeSet::new));
      if (!there.equals(families)) {
        violations.add("the families are " + there + " instead of " + families);
      }
      serving.node().getStats(GetStatsRequest.getDefaultInstance()).getColumnFamiliesList().stream()
          .filter(family -> family.getQuarantinedFiles() > 0)
          .forEach(family -> violations.add("a damaged data file in " + family.getName()));
      serving.errors().forEach(line -> violations.add("an error at its start: " + line));
    }

    void end() {
      if (node != null) {
        node.kill();
      }
    }

    Outcome outcome() {
      String figures =
          cuts + " cuts, " + cutStarts + " of them during a start; " + acknowledged + " writes";
      if (periodic) {
        figures += ", " + lost + " lost, up to " + longestLossMillis + " ms before the cut";
      } else if (lost > 0) {
        figures +=
            ", "
                + lost
                + " lost that were acknowledged up to "
                + -earliestLossMillis
                + " ms into it";
      }
      return new Outcome(
          rounds,
          acknowledged,
          figures,
          List.copyOf(violations),
          Duration.ofNanos(System.nanoTime() - begin));
    }
  }
}
