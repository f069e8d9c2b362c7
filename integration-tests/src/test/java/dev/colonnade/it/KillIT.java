package dev.colonnade.it;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A server under load is killed without warning at a random moment, started again on the same data,
 * and must have everything that it had acknowledged, many times. {@code
 * -Dcolonnade.kill.rounds=200} kills each mode more often, {@code -Dcolonnade.kill.seed=N} repeats
 * the moments of a run.
 */
final class KillIT {

  private static final int ROUNDS = Integer.getInteger("colonnade.kill.rounds", 4);
  private static final long SEED = Long.getLong("colonnade.kill.seed", System.nanoTime());
  private static final int MOST_ACKNOWLEDGEMENTS = 800;

  @TempDir Path folder;

  @ParameterizedTest
  @ValueSource(strings = {"batch", "periodic"})
  void nothingAcknowledgedIsLost(String commitLogSync) throws Exception {
    System.out.println("kill -9, " + commitLogSync + ": -Dcolonnade.kill.seed=" + SEED);
    Random random = new Random(SEED);
    RowLoad load = new RowLoad();
    Path conf = Files.writeString(folder.resolve("storage-conf.xml"), RowLoad.STORAGE_CONF);
    LocalNode node =
        LocalNode.process(
            LocalNode.Settings.in(folder.resolve("data"))
                .withStorageConf(conf)
                .withCommitLogSync(commitLogSync)
                .withJvmArguments("-Xmx256m", "-XX:+UseSerialGC"));
    long acknowledged = 0;
    try {
      for (int round = 0; round < ROUNDS; round++) {
        RowLoad.Running writers = load.start(node, random.nextLong(), failure -> false);
        writers.awaitAcknowledged(1 + random.nextInt(MOST_ACKNOWLEDGEMENTS));
        node.kill();
        writers.end();
        acknowledged += writers.acknowledged();
        node = node.again();
        assertEquals(
            List.of(),
            load.verify(node).violations(),
            "round " + round + " of " + commitLogSync + ", seed " + SEED);
      }
    } finally {
      node.kill();
    }
    System.out.println("kill -9, " + commitLogSync + ": " + acknowledged + " writes, none lost");
  }
}
