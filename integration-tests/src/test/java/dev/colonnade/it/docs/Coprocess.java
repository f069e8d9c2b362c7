package dev.colonnade.it.docs;

import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.IOException;
import java.io.OutputStreamWriter;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * A process that is fed text and read up to a line which tells that it has come to the end of it.
 * Its standard error counts as output.
 */
final class Coprocess implements AutoCloseable {

  private static final String END_OF_OUTPUT = "\0";

  private final Process process;
  private final BufferedWriter input;
  private final BlockingQueue<String> output = new LinkedBlockingQueue<>();

  Coprocess(ProcessBuilder command) throws IOException {
    process = command.redirectErrorStream(true).start();
    input =
        new BufferedWriter(
            new OutputStreamWriter(process.getOutputStream(), StandardCharsets.UTF_8));
    Thread reader = new Thread(this::read, "coprocess-reader");
    reader.setDaemon(true);
    reader.start();
  }

  /**
   * Feeds text and returns what was printed before a line that has the mark in it.
   *
   * @throws AssertionError if the mark does not come
   */
  String ask(String text, String mark, Duration limit) throws IOException, InterruptedException {
    input.write(text);
    input.flush();
    StringBuilder printed = new StringBuilder();
    long deadline = System.nanoTime() + limit.toNanos();
    while (true) {
      @Nullable String line = output.poll(deadline - System.nanoTime(), TimeUnit.NANOSECONDS);
      if (line == null || line.equals(END_OF_OUTPUT)) {
        throw new AssertionError(
            (line == null ? "no end within " + limit : "the process ended")
                + "; it was fed:\n"
                + text
                + "\nand printed:\n"
                + printed);
      }
      if (line.contains(mark)) {
        return printed.toString();
      }
      printed.append(line).append('\n');
    }
  }

  private void read() {
    try (BufferedReader reader = process.inputReader(StandardCharsets.UTF_8)) {
      for (String line = reader.readLine(); line != null; line = reader.readLine()) {
        output.add(line);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } finally {
      output.add(END_OF_OUTPUT);
    }
  }

  @Override
  public void close() {
    process.destroyForcibly();
  }
}
