package dev.colonnade.cli.local;

import java.io.IOException;
import java.util.List;

/** Pauses and resumes another process, like a machine that hangs. POSIX only. */
final class PausedProcess {

  private final long pid;

  PausedProcess(long pid) {
    this.pid = pid;
  }

  void begin() {
    signal("-STOP");
  }

  /** Also for a process that is not paused. */
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
