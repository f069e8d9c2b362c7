package dev.colonnade.server.storage.cache;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.colonnade.server.base.model.RowKey;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

/** Caches stay within their limits, and cached rows follow their writes. */
final class CachesTest {
  private record Block(int weightBytes) implements CachedBlock {}

  private final RowCache<String> rows = new RowCache<>(10_000, String::length);

  @Test
  void theBlockCacheStaysWithinItsBytes() {
    BlockCache cache = new BlockCache(100_000);
    for (int i = 0; i < 1_000; i++) {
      cache.put(1, i, new Block(1_000));
    }
    CacheFigures figures = cache.figures();
    assertTrue(figures.weight() <= 100_000, figures::toString);
    assertTrue(figures.entries() > 50, figures::toString);
    assertTrue(figures.evictions() >= 900, figures::toString);
  }

  @Test
  void blocksAreKnownByFileAndOffset() {
    BlockCache cache = new BlockCache(100_000);
    Block block = new Block(10);
    long file = cache.newFile();
    cache.put(file, 5, block);
    assertSame(block, cache.find(file, 5));
    assertNull(cache.find(file, 6));
    assertNull(cache.find(cache.newFile(), 5));
    assertEquals(1, cache.figures().hits());
    assertEquals(2, cache.figures().misses());
  }

  @Test
  void theKeyCacheStaysWithinItsEntriesAndLongKeysCountMore() {
    KeyCache cache = new KeyCache(100);
    for (int i = 0; i < 1_000; i++) {
      cache.put(1, key("key" + i), i);
    }
    assertTrue(cache.figures().entries() <= 100, cache.figures()::toString);
    KeyCache longKeys = new KeyCache(100);
    for (int i = 0; i < 1_000; i++) {
      longKeys.put(1, key("k".repeat(2_560) + i), i);
    }
    assertTrue(longKeys.figures().entries() <= 10, longKeys.figures()::toString);
  }

  @Test
  void cachesOfSizeZeroKeepNothing() {
    BlockCache blocks = new BlockCache(0);
    blocks.put(1, 1, new Block(1));
    assertNull(blocks.find(1, 1));
    KeyCache keys = new KeyCache(0);
    keys.put(1, key("k"), 1);
    assertEquals(-1, keys.find(1, key("k")));
    RowCache<String> none = new RowCache<>(0, String::length);
    assertFalse(none.complete(none.begin(key("k")), "row"));
    assertNull(none.find(key("k")));
  }

  @Test
  void cachesShrinkAndGrowWhileTheyAreInUse() {
    BlockCache blocks = new BlockCache(100_000);
    KeyCache keys = new KeyCache(100);
    for (int i = 0; i < 90; i++) {
      blocks.put(1, i, new Block(900));
      keys.put(1, key("key" + i), i);
    }
    blocks.resize(10_000);
    keys.resize(10);
    assertTrue(blocks.figures().weight() <= 10_000, blocks.figures()::toString);
    assertEquals(10_000, blocks.figures().capacity());
    assertTrue(keys.figures().entries() <= 10, keys.figures()::toString);

    blocks.resize(0);
    keys.resize(0);
    keys.put(1, key("k"), 1);
    assertEquals(-1, keys.find(1, key("k")));
    assertEquals(0, blocks.figures().weight());

    keys.resize(100);
    keys.put(1, key("k"), 7);
    assertEquals(7, keys.find(1, key("k")));
  }

  @Test
  void aLoadedRowIsKept() {
    RowCache.Loading loading = rows.begin(key("k"));
    assertNull(rows.find(key("k")));
    assertTrue(rows.complete(loading, "row"));
    assertEquals("row", rows.find(key("k")));
  }

  @Test
  void aRowThatWasWrittenWhileItLoadedIsNotKept() {
    RowCache.Loading loading = rows.begin(key("k"));
    rows.update(key("k"), row -> row + "+write");
    assertFalse(rows.complete(loading, "stale"));
    assertNull(rows.find(key("k")));
  }

  @Test
  void aKeptRowFollowsItsWrites() {
    rows.complete(rows.begin(key("k")), "row");
    rows.update(key("k"), row -> row + "+write");
    assertEquals("row+write", rows.find(key("k")));
    rows.update(key("k"), row -> null);
    assertNull(rows.find(key("k")));
    rows.update(key("other"), row -> "never called");
    assertNull(rows.find(key("other")));
  }

  @Test
  void ofTwoLoadersTheLastMayKeepItsRow() {
    RowCache.Loading first = rows.begin(key("k"));
    RowCache.Loading second = rows.begin(key("k"));
    assertFalse(rows.complete(first, "first"));
    assertTrue(rows.complete(second, "second"));
  }

  @Test
  void clearingVoidsWhatIsLoading() {
    RowCache.Loading loading = rows.begin(key("k"));
    rows.clear();
    assertFalse(rows.complete(loading, "row"));
    RowCache.Loading removed = rows.begin(key("k"));
    rows.remove(key("k"));
    assertFalse(rows.complete(removed, "row"));
    RowCache.Loading abandoned = rows.begin(key("k"));
    rows.abandon(abandoned);
    assertEquals(0, rows.figures().entries());
  }

  @Test
  void theRowCacheStaysWithinItsBytes() {
    for (int i = 0; i < 1_000; i++) {
      rows.complete(rows.begin(key("k" + i)), "x".repeat(500));
    }
    assertTrue(rows.figures().weight() <= 10_000, rows.figures()::toString);
  }

  private static RowKey key(String name) {
    byte[] bytes = name.getBytes(StandardCharsets.UTF_8);
    return new RowKey(bytes, bytes);
  }
}
