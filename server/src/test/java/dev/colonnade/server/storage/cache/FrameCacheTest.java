package dev.colonnade.server.storage.cache;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** Frames are found as they were put, or not at all. */
final class FrameCacheTest {
  private static final int SEGMENT = 4 << 10;
  private static final int FRAME_MAX = 1 << 10;

  private final FrameCache frames = new FrameCache(16 << 10, SEGMENT, ByteBuffer::allocate);
  private final ByteBuffer found = ByteBuffer.allocateDirect(FRAME_MAX);

  @Test
  void aFrameIsKeptWhenItComesFromTheDiskAgain() {
    frames.put(1, 5, frame(1, 5, 100), 100);
    assertEquals(-1, frames.find(1, 5, found));
    frames.put(1, 5, frame(1, 5, 100), 100);
    assertEquals(100, frames.find(1, 5, found));
    assertEquals(frame(1, 5, 100), found.duplicate().position(0).limit(100));
    assertEquals(-1, frames.find(1, 6, found));
    assertEquals(-1, frames.find(2, 5, found));
    assertEquals(1, frames.figures().hits());
  }

  @Test
  void theOldestGiveWayAndTheCapacityHolds() {
    for (int i = 0; i < 1_000; i++) {
      putTwice(frames, 1, i, 700);
      assertEquals(700, frames.find(1, i, found), "the newest is there");
    }
    CacheFigures figures = frames.figures();
    assertTrue(figures.weight() <= 16 << 10, figures::toString);
    assertTrue(figures.entries() >= 15, figures::toString);
    assertEquals(1_000, figures.evictions() + figures.entries());
    for (int i = 0; i < 1_000; i++) {
      boolean isHere = frames.find(1, i, found) >= 0;
      assertEquals(i >= 1_000 - figures.entries(), isHere, "frame " + i);
    }
  }

  @Test
  void aFrameLongerThanItsBufferIsNotKept() {
    ByteBuffer large = ByteBuffer.allocate(SEGMENT + 1);
    frames.put(1, 1, large, SEGMENT + 1);
    frames.put(1, 1, large, SEGMENT + 1);
    assertTrue(frames.isEmpty());
  }

  @Test
  void aRemovedFrameIsNotFoundAndMayComeBack() {
    putTwice(frames, 1, 1, 10);
    frames.remove(1, 1);
    assertEquals(-1, frames.find(1, 1, found));
    frames.put(1, 1, frame(1, 1, 10), 10);
    assertEquals(10, frames.find(1, 1, found));
  }

  @Test
  void withoutCapacityNothingIsKept() {
    putTwice(FrameCache.NONE, 1, 1, 10);
    assertEquals(-1, FrameCache.NONE.find(1, 1, found));
  }

  @Test
  void whenMemoryIsRefusedWhatIsThereStays() {
    AtomicLong left = new AtomicLong(1);
    FrameCache small =
        new FrameCache(
            16 << 10,
            SEGMENT,
            bytes -> {
              if (left.getAndDecrement() <= 0) {
                throw new OutOfMemoryError("Cannot reserve 4096 bytes of direct buffer memory");
              }
              return ByteBuffer.allocate(bytes);
            });
    for (int i = 0; i < 100; i++) {
      putTwice(small, 1, i, 1_000);
    }
    assertEquals(4, small.figures().entries());
    assertEquals(1_000, small.find(1, 0, found));
  }

  /**
   * Readers copy frames while writers overwrite the ring many times over. The content of a frame
   * says which one it is in every byte, so one that changed under its reader shows.
   */
  @Test
  void aFrameThatIsOverwrittenWhileItIsReadIsNotFound() throws InterruptedException {
    FrameCache small = new FrameCache(2 * FRAME_MAX, 2 * FRAME_MAX, ByteBuffer::allocateDirect);
    int readers = 3;
    long rounds = 30_000;
    AtomicLong newest = new AtomicLong();
    CompletableFuture<String> wrong = new CompletableFuture<>();
    CountDownLatch reading = new CountDownLatch(readers);
    AtomicLong hits = new AtomicLong();
    List<Thread> threads = new ArrayList<>();
    for (int t = 0; t < readers; t++) {
      SplittableRandom random = new SplittableRandom(t);
      Thread reader =
          new Thread(
              () -> {
                ByteBuffer copy = ByteBuffer.allocate(FRAME_MAX);
                reading.countDown();
                while (newest.get() < rounds && !wrong.isDone()) {
                  long offset = Math.max(0, newest.get() - random.nextInt(3));
                  int length = small.find(1, offset, copy);
                  if (length >= 0) {
                    hits.incrementAndGet();
                    check(copy, length, offset, wrong);
                  }
                }
              });
      reader.start();
      threads.add(reader);
    }
    reading.await();
    ByteBuffer frame = ByteBuffer.allocate(FRAME_MAX);
    for (long i = 1; i <= rounds && !wrong.isDone(); i++) {
      int length = FRAME_MAX / 2 + (int) (i % (FRAME_MAX / 2));
      fill(frame, i, length);
      small.put(1, i, frame, length);
      small.put(1, i, frame, length);
      newest.set(i);
    }
    newest.set(rounds);
    for (Thread each : threads) {
      each.join();
    }
    assertEquals("right", wrong.getNow("right"));
    assertTrue(hits.get() > 0, "frames were found while others were written");
  }

  private static void check(
      ByteBuffer copy, int length, long offset, CompletableFuture<String> wrong) {
    for (int i = 0; i + Long.BYTES <= length; i += Long.BYTES) {
      if (copy.getLong(i) != offset) {
        wrong.complete("byte " + i + " of frame " + offset + " is of frame " + copy.getLong(i));
        return;
      }
    }
  }

  private static void putTwice(FrameCache cache, long file, long offset, int length) {
    cache.put(file, offset, frame(file, offset, length), length);
    cache.put(file, offset, frame(file, offset, length), length);
  }

  private static ByteBuffer frame(long file, long offset, int length) {
    ByteBuffer frame = ByteBuffer.allocate(length);
    SplittableRandom random = new SplittableRandom(file * 31 + offset);
    while (frame.hasRemaining()) {
      frame.put((byte) random.nextInt());
    }
    return frame.flip();
  }

  private static void fill(ByteBuffer frame, long offset, int length) {
    for (int i = 0; i + Long.BYTES <= length; i += Long.BYTES) {
      frame.putLong(i, offset);
    }
  }
}
