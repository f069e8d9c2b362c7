package dev.colonnade.it.real;

import dev.colonnade.admin.v1.CompactRequest;
import dev.colonnade.admin.v1.FlushRequest;
import dev.colonnade.it.Await;
import dev.colonnade.it.LocalNode;
import dev.colonnade.it.ProcessNode;
import dev.colonnade.it.RowLoad;
import dev.colonnade.it.SmallDisk;
import dev.colonnade.it.cluster.CallFailure;
import io.grpc.StatusRuntimeException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;

/**
 * Another program fills the file system of a node whose clients write and read, and later frees it,
 * repeatedly; now and then the node is killed and started while it is full. While it is full,
 * writes are refused as {@code DISK_FULL} and in no other way, and reads continue; when there is
 * room again, the same node accepts writes, flushes and merges. Nothing acknowledged is lost,
 * nothing refused is there.
 */
record FullDisk(SmallDisk.Kind kind) implements RealCase {

  /** No xfs is smaller. */
  private static final int DISK_MEGABYTES = 320;

  /** Half of the reserve that the node keeps: one segment of the log. */
  private static final int LEFT_BYTES_MAX = 1 << 20;

  private static final int WRITES_BETWEEN = 300;
  private static final int READS_WHILE_FULL = 50;
  private static final int ROUNDS_FOR_A_KILL = 4;
  private static final Duration LIMIT = Duration.ofSeconds(60);

  @Override
  public String name() {
    return "full-disk-" + kind.fileSystem();
  }

  @Override
  public String what() {
    return kind.fileSystem()
        + " runs full under load and gets room again, with kills and starts while it is full";
  }

  @Override
  public String missing() throws IOException {
    return RealDisk.missing(kind, List.of());
  }

  @Override
  public Outcome run(Plan plan) throws IOException, InterruptedException {
    try (SmallDisk disk = SmallDisk.mounted(kind, plan.folder().resolve("disk"), DISK_MEGABYTES)) {
      LocalNode.Settings settings =
          // Its output is written beside its data, and must not end on the full disk.
          LocalNode.Settings.in(disk.root())
              .withStorageConf(
                  Files.writeString(
                      plan.folder().resolve("storage-conf.xml"), RowLoad.STORAGE_CONF))
              .withCommitLogSync("batch")
              .withJvmArguments(plan.classes().archive().jvmArguments());
      return new Trial(disk, settings, plan.random()).run(plan.rounds());
    }
  }

  private static boolean isDiskFull(StatusRuntimeException failure) {
    return CallFailure.of(failure).reason().equals("DISK_FULL");
  }

  /** One run of it. */
  private static final class Trial {
    private final SmallDisk disk;
    private final LocalNode.Settings settings;
    private final Random random;
    private final RowLoad load = new RowLoad();
    private final List<String> violations = new ArrayList<>();
    private int rounds;
    private int kills;
    private int refusedStarts;
    private long acknowledged;
    private long refused;
    private long reads;
    private long slowestReturnMillis;

    Trial(SmallDisk disk, LocalNode.Settings settings, Random random) {
      this.disk = disk;
      this.settings = settings;
      this.random = random;
    }

    Outcome run(int wanted) throws IOException, InterruptedException {
      long begin = System.nanoTime();
      ProcessNode node = ProcessNode.start(settings);
      try {
        while (violations.isEmpty() && rounds < wanted) {
          try {
            node = round(node);
            rounds++;
          } catch (AssertionError | StatusRuntimeException e) {
            violations.add(String.valueOf(e.getMessage()));
          }
        }
      } finally {
        node.kill();
      }
      return new Outcome(
          rounds,
          acknowledged,
          acknowledged
              + " writes, "
              + refused
              + " refused, "
              + reads
              + " reads while full, "
              + kills
              + " kills while full, "
              + refusedStarts
              + " starts without room refused; writes again after "
              + slowestReturnMillis
              + " ms at most",
          List.copyOf(violations),
          Duration.ofNanos(System.nanoTime() - begin));
    }

    private ProcessNode round(ProcessNode first) throws IOException, InterruptedException {
      ProcessNode node = first;
      RowLoad.Running writers = load.start(node, random.nextLong(), FullDisk::isDiskFull);
      writers.awaitAcknowledged(1 + random.nextInt(WRITES_BETWEEN));
      Path filler = fill(writers);
      for (int i = 0; i < READS_WHILE_FULL; i++) {
        load.readAny(node, random);
        reads++;
      }
      if (random.nextInt(ROUNDS_FOR_A_KILL) == 0) {
        node.kill();
        kills++;
        end(writers, true);
        node = startOnFullDisk(filler);
        violations.addAll(load.verify(node).violations());
        writers = load.start(node, random.nextLong(), FullDisk::isDiskFull);
      }
      Files.deleteIfExists(filler);
      long from = System.nanoTime();
      writers.awaitAcknowledged(writers.acknowledged() + 1);
      slowestReturnMillis = Math.max(slowestReturnMillis, (System.nanoTime() - from) / 1_000_000);
      flushAndMerge(node);
      end(writers, false);
      violations.addAll(load.verify(node).violations());
      return node;
    }

    /** With no room at all the node cannot start, and has to say so; then it gets some. */
    private ProcessNode startOnFullDisk(Path filler) throws IOException {
      try {
        return ProcessNode.start(settings);
      } catch (IOException e) {
        String words = String.valueOf(e.getMessage());
        if (!words.contains("No space left on device") && !words.contains(" 0 are left")) {
          throw e;
        }
        refusedStarts++;
        Files.delete(filler);
        return ProcessNode.start(settings);
      }
    }

    /** Fills the disk until a write is refused; what is deleted to have room again. */
    private Path fill(RowLoad.Running writers) throws IOException {
      long before = writers.refused();
      long left = random.nextInt(3) == 0 ? 0 : LEFT_BYTES_MAX + random.nextInt(LEFT_BYTES_MAX);
      Path filler = disk.fillBut(left);
      long until = System.nanoTime() + LIMIT.toNanos();
      while (writers.refused() == before) {
        if (writers.failure() != null || System.nanoTime() - until > 0) {
          throw new AssertionError("no write was refused as DISK_FULL: " + writers.failure());
        }
        // The node frees the files that it has merged, and another program takes that room too.
        disk.fillFurther(filler, left);
        Await.pass(Duration.ofMillis(20));
      }
      return filler;
    }

    private void flushAndMerge(ProcessNode node) {
      // A flush that failed while the disk was full is tried again within seconds.
      node.node()
          .withDeadlineAfter(LIMIT.toSeconds(), TimeUnit.SECONDS)
          .flush(FlushRequest.newBuilder().setKeyspace(RowLoad.KEYSPACE).build());
      node.node()
          .withDeadlineAfter(LIMIT.toSeconds(), TimeUnit.SECONDS)
          .compact(CompactRequest.newBuilder().setKeyspace(RowLoad.KEYSPACE).build())
          .forEachRemaining(progress -> {});
    }

    private void end(RowLoad.Running writers, boolean killed) throws InterruptedException {
      writers.end();
      acknowledged += writers.acknowledged();
      refused += writers.refused();
      StatusRuntimeException failure = writers.failure();
      if (failure != null && !killed) {
        violations.add("a write failed otherwise: " + failure.getMessage());
      }
    }
  }
}
