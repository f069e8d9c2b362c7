package dev.colonnade.it.bench.layout;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** That both stores hold what was written, and that their calls are counted. */
final class LayoutBenchmarkTest {

  private static final int ROWS = 1;

  @TempDir Path folder;

  @Test
  void bothStoresGiveBackTheSameRowsAndCountWhatTheyCost() throws Exception {
    for (LayoutShape shape : LayoutShape.values()) {
      Path own = Files.createDirectories(folder.resolve(shape.label() + "-own"));
      Path other = Files.createDirectories(folder.resolve(shape.label() + "-other"));
      try (LayoutStore colonnade = new ColonnadeLayout(own, shape, 8 << 20);
          LayoutStore tree = new BTreeLayout(other, shape, 1 << 20)) {
        int count = shape.inserts(ROWS);
        for (int i = 0; i < count; i++) {
          colonnade.insert(shape.insert(i));
          tree.insert(shape.insert(i));
        }
        for (LayoutStore store : new LayoutStore[] {colonnade, tree}) {
          store.settle();
          store.reopenCold();
          FileCalls before = store.calls();
          for (int row = 0; row < ROWS; row++) {
            assertEquals(
                shape == LayoutShape.NARROW ? 5 : 10,
                store.read(shape.key(row)),
                shape + " of " + store);
          }
          FileCalls calls = store.calls().since(before);
          assertTrue(calls.reads() >= ROWS && calls.bytesRead() > 0, shape + " read " + calls);
          assertTrue(store.calls().writes() > 0);
          assertTrue(store.bytesOnDisk().values().stream().allMatch(bytes -> bytes > 0));
        }
      }
    }
  }
}
