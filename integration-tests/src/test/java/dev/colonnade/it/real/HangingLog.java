package dev.colonnade.it.real;

import dev.colonnade.admin.v1.CreateKeyspaceRequest;
import dev.colonnade.it.Await;
import dev.colonnade.it.LocalNode;
import dev.colonnade.it.ProcessNode;
import dev.colonnade.it.SmallDisk;
import dev.colonnade.it.cluster.Rows;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;

/**
 * The disk of a node alone, with its data, its commit log in mode {@code batch} and all that it
 * prints, does not answer for a while. Writes in that time get a reason from the node; the node
 * reports what is stalled, and answers its probes, although nothing that it logs reaches the disk.
 * When the disk answers, all that was acknowledged is there.
 */
record HangingLog() implements RealCase {

  private static final int DISK_MEGABYTES = 320;

  /** After which a node ends a call with a reason, and how long clients wait for it. */
  private static final int TIMEOUT_SECONDS = 2;

  private static final int PATIENCE_SECONDS = 5 * TIMEOUT_SECONDS;

  private static final Duration RETURN_LIMIT = Duration.ofSeconds(30);
  private static final int HANG_MILLIS_MIN = 2_000;
  private static final int HANG_MILLIS_MORE = 6_000;

  @Override
  public String name() {
    return "hang-batch";
  }

  @Override
  public String what() {
    return "ext4 under a node alone, its commit log in mode batch and its output is frozen under"
        + " load";
  }

  @Override
  public String missing() throws IOException {
    return RealDisk.missing(SmallDisk.Kind.EXT4, List.of("fsfreeze"));
  }

  @Override
  public Outcome run(Plan plan) throws IOException {
    long begin = System.nanoTime();
    Path root = plan.folder().resolve("disk");
    try (SmallDisk disk = SmallDisk.mounted(SmallDisk.Kind.EXT4, root, DISK_MEGABYTES)) {
      Path log = root.resolve("log.txt");
      LocalNode.Settings settings =
          LocalNode.Settings.in(Files.createDirectory(root.resolve("store")))
              .withStorageConf(HangingDisk.storageConf(plan.folder(), TIMEOUT_SECONDS))
              .withCommitLogSync("batch")
              .withHost(
                  new LocalNode.Host(
                      LocalNode.Host.LOOPBACK.address(),
                      List.of("/bin/sh", "-c", "exec \"$@\" 2>" + log, "sh")))
              .withJvmArguments(plan.classes().archive().jvmArguments());
      ProcessNode node = ProcessNode.start(settings);
      try {
        Trial trial = new Trial(disk, node, log, plan.random());
        trial.run(plan.rounds());
        return trial.outcome(Duration.ofNanos(System.nanoTime() - begin));
      } finally {
        // A process that waits for a frozen disk cannot be killed.
        disk.thaw();
        node.kill();
      }
    }
  }

  /** One run of it. */
  private static final class Trial {
    private final SmallDisk disk;
    private final Path log;
    private final Random random;
    private final QuorumClients clients;
    private final Probes probes;
    private final List<String> violations = new ArrayList<>();
    private int rounds;
    private long slowestNoticeMillis;
    private long slowestReturnMillis;

    Trial(SmallDisk disk, ProcessNode node, Path log, Random random) {
      this.disk = disk;
      this.log = log;
      this.random = random;
      Rows rows = new Rows("Alone", PATIENCE_SECONDS, false);
      node.schema()
          .createKeyspace(CreateKeyspaceRequest.newBuilder().setKeyspace(rows.uncached(1)).build());
      this.clients = new QuorumClients(rows, List.of(node));
      this.probes = Probes.of(node);
    }

    void run(int wanted) throws IOException {
      clients.start(random);
      try {
        while (rounds < wanted && violations.isEmpty()) {
          round();
          rounds++;
        }
      } catch (AssertionError e) {
        violations.add(String.valueOf(e.getMessage()));
      } finally {
        disk.thaw();
        clients.close();
        probes.close();
      }
      probes.unhealthy().forEach(words -> violations.add("/healthz: " + words));
      for (Map.Entry<String, Long> failure : clients.failures(0).entrySet()) {
        if (failure.getKey().startsWith(QuorumClients.NO_WORD)) {
          violations.add(failure.getValue() + " calls: " + failure.getKey());
        }
      }
      clients.readAll(0);
      violations.addAll(clients.violations());
      String text = Files.readString(log);
      if (!text.contains("has made no progress for") || !text.contains("\n\tat ")) {
        violations.add("the log has no stack of what stood still");
      }
    }

    private void round() throws IOException {
      Await.pass(Duration.ofMillis(500 + random.nextInt(1_000)));
      long failed = clients.failed();
      long from = System.nanoTime();
      disk.freeze();
      Await.until(
          () -> probes.notReady().contains("has made no progress"),
          HangingDisk.NOTICE_LIMIT,
          () -> "/readyz of the node whose disk hangs says '" + probes.notReady() + "'");
      slowestNoticeMillis = Math.max(slowestNoticeMillis, (System.nanoTime() - from) / 1_000_000);
      Await.pass(
          Duration.ofMillis(
              HANG_MILLIS_MIN + (rounds == 0 ? 0 : random.nextInt(HANG_MILLIS_MORE))));
      if (clients.failed() == failed) {
        violations.add("no call was told that the disk hangs");
      }
      long answered = clients.answered(0);
      from = System.nanoTime();
      disk.thaw();
      Await.until(
          () -> probes.notReady().isEmpty() && clients.answered(0) > answered,
          RETURN_LIMIT,
          () -> "after the disk answers again: " + probes.notReady());
      slowestReturnMillis = Math.max(slowestReturnMillis, (System.nanoTime() - from) / 1_000_000);
    }

    Outcome outcome(Duration took) {
      return new Outcome(
          rounds,
          clients.acknowledged(),
          clients.acknowledged()
              + " writes, "
              + clients.reads()
              + " reads, failed: "
              + clients.failures(0)
              + "; not ready after "
              + slowestNoticeMillis
              + " ms at most, probes answer within "
              + probes.slowestMillis()
              + " ms; ready "
              + slowestReturnMillis
              + " ms after the thaw at most",
          List.copyOf(violations),
          took);
    }
  }
}
