package dev.colonnade.server;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.nio.file.Path;
import net.openhft.chronicle.map.ChronicleMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Chronicle's analytics library reports to a web service when a map is opened. The build leaves the
 * jar out; these tests say so, and that maps work without it.
 */
final class NothingPhonesHomeTest {

  @TempDir private Path directory;

  @Test
  void analyticsClassesAreNotOnTheClassPath() {
    for (String name :
        new String[] {
          "net.openhft.chronicle.analytics.Analytics",
          "net.openhft.chronicle.analytics.internal.AnalyticsConfiguration",
          "software.chronicle.analytics.Analytics"
        }) {
      assertThrows(
          ClassNotFoundException.class,
          () -> Class.forName(name, false, getClass().getClassLoader()),
          name);
    }
  }

  @Test
  void mapsOpenWithoutTheAnalyticsJar() throws Exception {
    var file = directory.resolve("index.map").toFile();
    try (ChronicleMap<Long, Long> map =
        ChronicleMap.of(Long.class, Long.class)
            .entries(10)
            .skipCloseOnExitHook(true)
            .createPersistedTo(file)) {
      map.put(1L, 2L);
      assertEquals(2L, map.get(1L));
    }
  }
}
