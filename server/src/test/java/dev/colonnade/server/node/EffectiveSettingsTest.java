package dev.colonnade.server.node;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.colonnade.server.base.config.StorageSettings;
import dev.colonnade.server.base.memory.MemoryPlan;
import dev.colonnade.server.node.NodeOptions.MembershipOptions;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class EffectiveSettingsTest {

  private static final NodeOptions NOTHING_SAID = NodeOptions.defaults();

  private static final MemoryPlan PLAN = MemoryPlan.forHeap(1L << 30);

  @TempDir Path directory;

  private NodeOptions withFile(String elements) throws IOException {
    Path file = directory.resolve("storage-conf.xml");
    Files.writeString(file, "<Storage>" + elements + "</Storage>");
    return NOTHING_SAID.withStorageConf(file);
  }

  private static NodeOptions saying(NodeOptions options, Duration hintInterval) {
    return options.withMembership(
        new MembershipOptions(
            Optional.empty(),
            List.of(),
            Optional.empty(),
            OptionalInt.empty(),
            Optional.empty(),
            OptionalInt.empty(),
            NodeOptions.StartRole.UNSAID,
            Optional.empty(),
            Optional.empty(),
            Optional.of(hintInterval)));
  }

  private static Duration harvestPeriod(NodeOptions options) throws NodeStartException {
    return HintedHandoff.settings(EffectiveSettings.of(options, PLAN).settings().cluster())
        .harvestPeriod();
  }

  @Test
  void hintsAreLookedForEachQuarterOfAnHourUnlessFileOrCommandLineSayOtherwise() throws Exception {
    NodeOptions file =
        withFile("<HintedHandoffIntervalInSeconds>60</HintedHandoffIntervalInSeconds>");

    assertEquals(Duration.ofMinutes(15), harvestPeriod(NOTHING_SAID));
    assertEquals(Duration.ofMinutes(1), harvestPeriod(file));
    assertEquals(Duration.ofSeconds(1), harvestPeriod(saying(file, Duration.ofSeconds(1))));
  }

  @Test
  void whatIsKeptOnTheHeapScalesWithIt() throws Exception {
    StorageSettings small =
        EffectiveSettings.of(NOTHING_SAID, MemoryPlan.forHeap(256L << 20)).settings().storage();
    StorageSettings large =
        EffectiveSettings.of(NOTHING_SAID, MemoryPlan.forHeap(4L << 30)).settings().storage();
    assertTrue(
        small.memtableTotalBytes()
                + small.blockCacheBytes()
                + small.keyCacheBytes()
                + small.rowCacheBytes()
            < 128L << 20,
        small::toString);
    assertTrue(large.memtableTotalBytes() > 15 * small.memtableTotalBytes(), large::toString);
    assertTrue(large.rowCacheBytes() > 15 * small.rowCacheBytes(), large::toString);
  }

  @Test
  void anIntervalOutOfBoundsStopsTheStartWithTheBounds() {
    NodeOptions never = saying(NOTHING_SAID, Duration.ZERO);

    var refusal = assertThrows(NodeStartException.class, () -> EffectiveSettings.of(never, PLAN));

    assertTrue(String.valueOf(refusal.getMessage()).contains("from 1 to 86400"), refusal::toString);
  }
}
