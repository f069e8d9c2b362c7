package dev.colonnade.cli.local;

import java.io.IOException;
import java.util.List;

/** Makes another process stand still and go on, as a machine that hangs would. POSIX only. */
final class PausedProcess {

  private final long pid;

  PausedProcess(long pid) {
    this.pid = pid;
  }

  void begin() {
    signal("-STOP");
  }

  /** Also for one that did not stand still. */
  void end() {
    signal("-CONT");
  }

  private void signal(String signal) {
    try {
      int status =
          new ProcessBuilder(List.of("kill", signal, Long.toString(pid)))
              .redirectErrorStream(true)
              .redirectOutput(ProcessBuilder.Redirect.DISCARD)
              .start()
              .waitFor();
      if (status != 0) {
        throw new IllegalStateException("kill " + signal + " " + pid + " ended with " + status);
      }
    } catch (IOException e) {
      throw new IllegalStateException(
          "processes cannot be stopped here; say --standstill 0: " + e.getMessage(), e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted", e);
    }
  }
}
