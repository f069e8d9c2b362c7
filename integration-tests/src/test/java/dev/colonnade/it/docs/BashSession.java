package dev.colonnade.it.docs;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.time.Duration;

/** A terminal with bash, in which the commands of a page are run one block after the other. */
final class BashSession implements AutoCloseable {

  private static final Duration LIMIT = Duration.ofMinutes(3);

  private final Coprocess bash;
  private int asked;

  /** One that a process of bash is started for, where and with what it says. */
  BashSession(ProcessBuilder bash) throws IOException {
    this.bash = new Coprocess(bash);
  }

  /** Runs commands, whose last one must succeed; returns what they printed. */
  String done(String commands) throws IOException, InterruptedException {
    String printed = ask(commands);
    int status = printed.lastIndexOf('\n', printed.length() - 2);
    assertEquals("0", printed.substring(status + 1).strip(), "status of:\n" + commands + printed);
    return printed.substring(0, status + 1);
  }

  /** Ends all that was started in the background. */
  void endJobs() throws IOException, InterruptedException {
    String unused = ask("kill $(jobs -p) 2>/dev/null; wait");
  }

  private String ask(String commands) throws IOException, InterruptedException {
    asked++;
    String mark = "end_of_block_" + asked;
    // The status is on a line of its own before the mark, after the output.
    return bash.ask(commands + "\nprintf '\\n%s\\n%s\\n' $? " + mark + "\n", mark, LIMIT);
  }

  @Override
  public void close() {
    bash.close();
  }

  /** A port that is free on the first address of loopback, and most likely on the others. */
  static int freePort() throws IOException {
    try (ServerSocket free = new ServerSocket(0, 1, InetAddress.getByName("127.0.0.1"))) {
      return free.getLocalPort();
    }
  }
}
