package dev.colonnade.cli.local.sstable;

import dev.colonnade.cli.shell.Consoles;
import java.io.PrintWriter;
import java.util.Locale;
import java.util.concurrent.TimeUnit;

/** How far long work is, on one line that is overwritten; nothing away from a terminal. */
public final class ProgressLine {

  private static final long EVERY_NANOS = TimeUnit.MILLISECONDS.toNanos(200);
  private static final String CLEAR_REST = "\u001b[K";

  private final PrintWriter err;
  private final boolean live;
  private final long startedNanos = System.nanoTime();
  private long shownNanos = startedNanos;
  private boolean shown;

  /**
   * Creates one.
   *
   * @param wanted false if what is printed beside it would be disturbed
   */
  public ProgressLine(PrintWriter err, boolean wanted) {
    this.err = err;
    this.live = wanted && Consoles.isTerminal();
  }

  /** Shows it now and then. */
  public void show(String what, long doneBytes, long totalBytes) {
    long now = System.nanoTime();
    if (!live || now - shownNanos < EVERY_NANOS) {
      return;
    }
    shownNanos = now;
    shown = true;
    double seconds = (now - startedNanos) / 1e9;
    err.print(
        "\r"
            + String.format(
                Locale.ROOT,
                "%s: %.1f of %.1f MB, %.1f MB/s",
                what,
                doneBytes / 1e6,
                totalBytes / 1e6,
                doneBytes / 1e6 / seconds)
            + CLEAR_REST);
    err.flush();
  }

  /** Removes the line. */
  public void clear() {
    if (shown) {
      shown = false;
      err.print("\r" + CLEAR_REST);
      err.flush();
    }
  }
}
