package dev.colonnade.server.node;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.colonnade.server.base.env.RandomSource;
import dev.colonnade.server.base.metrics.Labels;
import dev.colonnade.server.base.metrics.MetricFamily;
import dev.colonnade.server.base.metrics.MetricSet;
import dev.colonnade.server.base.schema.ComparatorResolver;
import dev.colonnade.server.base.schema.FamilyDefinition;
import dev.colonnade.server.base.schema.KeyspaceDefinition;
import dev.colonnade.server.base.schema.Schema;
import dev.colonnade.server.node.platform.SeededRandom;
import org.junit.jupiter.api.Test;

final class FamilyMetricsTest {

  private static final int KEYSPACES = 11;
  private static final int FAMILIES = 100;

  private final RandomSource random = new SeededRandom(1);
  private final MetricSet metrics = new MetricSet();
  private final FamilyMetrics families = new FamilyMetrics(metrics, (family, figure) -> 1);

  private Schema manyFamilies() throws Exception {
    Schema schema = Schema.empty(ComparatorResolver.builtIns());
    for (int k = 0; k < KEYSPACES; k++) {
      KeyspaceDefinition keyspace = KeyspaceDefinition.of("K" + k);
      for (int f = 0; f < FAMILIES; f++) {
        keyspace = keyspace.withFamily(FamilyDefinition.standard("K" + k, "F" + f, "UTF8Type"));
      }
      schema = schema.createKeyspace(keyspace, random, 1).after();
    }
    return schema;
  }

  private int series() {
    return metrics.families().stream().mapToInt(family -> family.series().size()).sum();
  }

  /** Otherwise the figures of calls have no room, and a call whose figures fail has no answer. */
  @Test
  void thousandsOfFamiliesLeaveRoomForOtherSeries() throws Exception {
    Schema schema = manyFamilies();

    families.follow(schema);

    MetricFamily without =
        metrics.families().stream()
            .filter(family -> family.name().equals("colonnade_families_without_metrics"))
            .findFirst()
            .orElseThrow();
    assertEquals(1, without.series().size());
    assertTrue(series() < 60_000, series() + " series");
    metrics.counter("colonnade_other", "Others", Labels.NONE).increment();
  }

  @Test
  void aFamilyThatIsGoneMakesRoomForAnother() throws Exception {
    Schema schema = manyFamilies();
    families.follow(schema);
    int full = series();

    families.follow(schema.dropKeyspace("K1", 9).after().dropKeyspace("K2", 9).after());

    assertTrue(series() < full, series() + " series of " + full);
    families.follow(schema);
    assertEquals(full, series());
  }
}
