package dev.colonnade.it.terminal;

import dev.colonnade.it.Await;
import dev.colonnade.it.ChildJvm;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.io.Reader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jline.builtins.ScreenTerminal;

/**
 * A process behind a pseudo-terminal, which {@code script} of util-linux makes, with a screen to
 * look at and a keyboard. For one thread.
 */
final class Pty implements AutoCloseable {

  static final String ENTER = "\r";
  static final String TAB = "\t";
  static final String CTRL_C = "\u0003";
  static final String CTRL_D = "\u0004";
  static final String CTRL_L = "\f";
  static final String CTRL_R = "\u0012";

  /** For machines under load; no wait is longer than necessary. */
  private static final Duration LIMIT = Duration.ofSeconds(60);

  private static final Duration AGAIN = Duration.ofSeconds(5);

  private final Process process;
  private final ScreenTerminal screen;
  private static final Pattern PROMPT = Pattern.compile("(?:^|\n)\\[default@\\w+]$");

  private final int columns;
  private final int rows;

  private Pty(Process process, ScreenTerminal screen, int columns, int rows) {
    this.process = process;
    this.screen = screen;
    this.columns = columns;
    this.rows = rows;
  }

  /** Why there can be no pseudo-terminal here; empty if there can. */
  static Optional<String> missing() {
    try {
      Process version = new ProcessBuilder("script", "--version").start();
      String told = new String(version.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      return told.contains("util-linux")
          ? Optional.empty()
          : Optional.of("`script` is not the one of util-linux");
    } catch (IOException e) {
      return Optional.of("no `script` of util-linux here: " + e.getMessage());
    }
  }

  /** Starts a command on a screen of that size. */
  static Pty start(List<String> command, int columns, int rows, Map<String, String> environment)
      throws IOException {
    String words =
        command.stream()
            .map(word -> "'" + word.replace("'", "'\\''") + "'")
            .collect(Collectors.joining(" "));
    String sized = "stty cols " + columns + " rows " + rows + "; exec " + withCtrlC() + words;
    ProcessBuilder builder =
        new ProcessBuilder("script", "-q", "-e", "-c", sized, "/dev/null")
            .redirectErrorStream(true);
    builder.environment().keySet().removeAll(List.of("NO_COLOR", "XDG_STATE_HOME"));
    builder.environment().putAll(Map.of("TERM", "xterm-256color", "SHELL", "/bin/sh"));
    builder.environment().putAll(environment);
    Process process = builder.start();
    ScreenTerminal screen = new ScreenTerminal(columns, rows);
    Thread reading = new Thread(() -> read(process, screen), "screen");
    reading.setDaemon(true);
    reading.start();
    return new Pty(process, screen, columns, rows);
  }

  /**
   * A build that runs in the background of a script has been told to ignore Ctrl-C, and so would
   * all that it starts.
   */
  private static String withCtrlC() throws IOException {
    String prefix = "env --default-signal=INT ";
    Process probe =
        new ProcessBuilder("sh", "-c", prefix + "true")
            .redirectOutput(ProcessBuilder.Redirect.DISCARD)
            .redirectError(ProcessBuilder.Redirect.DISCARD)
            .start();
    return ChildJvm.exited(probe, LIMIT) && probe.exitValue() == 0 ? prefix : "";
  }

  /** Presses keys. */
  void type(String keys) throws IOException {
    OutputStream keyboard = process.getOutputStream();
    keyboard.write(keys.getBytes(StandardCharsets.UTF_8));
    keyboard.flush();
  }

  /** Waits until a text stands on the screen. */
  void await(String text) {
    Await.until(
        () -> lines().collect(Collectors.joining("\n")).contains(text),
        LIMIT,
        () -> "no \"" + text + "\" on this screen:\n" + screen());
  }

  /**
   * Waits until the shell asks again. Before that the terminal is not the shell's, and keys that
   * are pressed while it changes hands can be lost.
   */
  void awaitPrompt() {
    Await.until(
        () -> PROMPT.matcher(screen()).find(), LIMIT, () -> "no prompt at the end:\n" + screen());
  }

  /** Waits until the screen is this, blank lines at its end aside. */
  void awaitScreen(String wanted) {
    Await.until(
        () -> screen().equals(wanted.stripTrailing()),
        LIMIT,
        () -> "wanted:\n" + wanted + "\nbut the screen is:\n" + screen());
  }

  /**
   * Presses keys, and again after some seconds, until a text stands on the screen: between two
   * modes a terminal swallows a key.
   */
  void typeUntil(String keys, String text) throws IOException {
    long end = System.nanoTime() + LIMIT.toNanos();
    while (!lines().collect(Collectors.joining("\n")).contains(text)
        && System.nanoTime() - end < 0) {
      type(keys);
      long again = System.nanoTime() + AGAIN.toNanos();
      Await.until(
          () ->
              lines().collect(Collectors.joining("\n")).contains(text)
                  || System.nanoTime() - again > 0,
          LIMIT,
          this::screen);
    }
    await(text);
  }

  /** Waits until the cursor stands in that line, counted from 0. */
  void awaitCursorAtLine(int line) {
    Await.until(
        () -> cursorLine() == line,
        LIMIT,
        () -> "the cursor is not in line " + line + ":\n" + screen());
  }

  private int cursorLine() {
    int[] cursor = new int[2];
    screen.dump(new long[columns * rows], 0, 0, rows, columns, cursor);
    return cursor[1];
  }

  /** Waits for the end and tells the status. */
  int awaitEnd() {
    if (!ChildJvm.exited(process, LIMIT)) {
      throw new AssertionError("still running after " + LIMIT + ":\n" + screen());
    }
    return process.exitValue();
  }

  /** What stands there, without blanks at the ends of lines, and without times. */
  String screen() {
    return lines()
        .map(line -> line.replaceAll("timestamp=\\d+", "timestamp=T"))
        .collect(Collectors.joining("\n"))
        .stripTrailing();
  }

  private Stream<String> lines() {
    return screen.toString().lines().map(String::stripTrailing);
  }

  private static void read(Process process, ScreenTerminal screen) {
    char[] buffer = new char[4096];
    try (Reader output = new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8)) {
      int length = output.read(buffer);
      while (length >= 0) {
        screen.write(new String(buffer, 0, length));
        length = output.read(buffer);
      }
    } catch (IOException e) {
      screen.write("\r\n[the terminal is gone: " + e + "]");
    }
  }

  @Override
  public void close() {
    process.descendants().forEach(ProcessHandle::destroyForcibly);
    process.destroyForcibly();
    boolean unused = ChildJvm.exited(process, Duration.ofNanos(TimeUnit.SECONDS.toNanos(5)));
  }

  /** Where the shell under test keeps its history. */
  static Map<String, String> historyIn(Path file) {
    return Map.of("COLONNADE_HISTORY", file.toString());
  }
}
