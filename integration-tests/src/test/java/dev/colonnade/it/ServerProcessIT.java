package dev.colonnade.it;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** {@code colonnade server} as a user starts and stops it: output and exit statuses. */
@Timeout(180)
final class ServerProcessIT {

  private static final Duration LIMIT = Duration.ofSeconds(60);
  private static final Pattern PORT = Pattern.compile("serving clients on 127\\.0\\.0\\.1:(\\d+)");

  @TempDir Path folder;

  private final List<Process> started = new ArrayList<>();

  private record Ended(int status, String out, String err) {}

  @AfterEach
  void endWhatIsLeft() {
    started.forEach(Process::destroyForcibly);
  }

  @Test
  void printsOneLineWhenItServesAndStopsWithStatusZeroOnSigterm() throws IOException {
    Path log = ChildJvm.besideData(folder.resolve("data"));
    Process server = start(folder.resolve("data"), log);

    server.destroy();

    assertTrue(ChildJvm.exited(server, LIMIT), "it did not stop");
    assertEquals(0, server.exitValue());
    List<String> lines = Files.readAllLines(log);
    assertEquals(1, lines.size(), lines.toString());
    assertTrue(lines.get(0).contains(folder.resolve("data").toString()), lines.get(0));
    assertTrue(lines.get(0).contains("RandomPartitioner"), lines.get(0));
    assertFalse(lines.get(0).contains(":0,"), "the ports it really has: " + lines.get(0));
  }

  @Test
  void secondServerOnTheSameDataIsRefusedInOneLine() throws IOException {
    start(folder.resolve("data"), ChildJvm.besideData(folder.resolve("data")));

    Ended second = end("server", "--data", folder.resolve("data").toString());

    assertEquals(1, second.status());
    assertEquals("", second.out());
    assertTrue(complaint(second).contains("is in use"), second.err());
  }

  @Test
  void takenPortIsRefusedInOneLine() throws IOException {
    Path log = ChildJvm.besideData(folder.resolve("data"));
    start(folder.resolve("data"), log);
    Matcher port = PORT.matcher(Files.readString(log));
    assertTrue(port.find());

    Ended second =
        end(
            "server",
            "--data",
            folder.resolve("other").toString(),
            "--http-port",
            "0",
            "--client-port",
            port.group(1));

    assertEquals(1, second.status());
    assertTrue(complaint(second).contains("--client-port"), second.err());
  }

  @Test
  void dataOfAnotherPartitionerIsRefusedAsMisconfigured() throws IOException {
    Path log = ChildJvm.besideData(folder.resolve("data"));
    Process first = start(folder.resolve("data"), log);
    first.destroy();
    assertTrue(ChildJvm.exited(first, LIMIT));

    Ended second =
        end(
            "server",
            "--data",
            folder.resolve("data").toString(),
            "--partitioner",
            "ByteOrderedPartitioner");

    assertEquals(2, second.status());
    assertTrue(complaint(second).contains("RandomPartitioner"), second.err());
  }

  @Test
  void demoEndsWithStatusZeroAndLeavesNothingBehind() throws IOException {
    Path temporary = Files.createDirectories(folder.resolve("tmp"));

    Ended demo =
        endOf(ChildJvm.colonnade(List.of("-Djava.io.tmpdir=" + temporary)), "demo", "--verbose");

    assertEquals(0, demo.status(), demo.out() + demo.err());
    assertEquals("", demo.err());
    List<String> lines = demo.out().lines().map(String::strip).toList();
    assertTrue(lines.contains("ok  LongType sorts by number: 3 123 976 832416"), demo.out());
    assertTrue(lines.contains("ok  UTF8Type sorts by character: 123 3 832416 976"), demo.out());
    assertTrue(lines.contains("ok  mail: 5 of 5 answers are as before"), demo.out());
    assertNothingLeftIn(temporary);
  }

  @Test
  void demoThatIsToldToStopLeavesNeitherNodesNorFiles() throws IOException {
    Path temporary = Files.createDirectories(folder.resolve("tmp"));
    Process demo = demoUnderWay(temporary);
    List<ProcessHandle> nodes = demo.children().toList();
    assertEquals(3, nodes.size());

    demo.destroy();

    assertTrue(ChildJvm.exited(demo, LIMIT), "it did not stop");
    nodes.forEach(node -> assertFalse(node.isAlive(), "left behind: " + node.info()));
    assertNothingLeftIn(temporary);
  }

  @Test
  void nodesOfADemoThatIsKilledStopByThemselves() throws IOException {
    Process demo = demoUnderWay(Files.createDirectories(folder.resolve("tmp")));
    List<ProcessHandle> nodes = demo.children().toList();

    demo.destroyForcibly();

    Await.until(
        () -> nodes.stream().noneMatch(ProcessHandle::isAlive), LIMIT, () -> "nodes live on");
  }

  /** One that has started its nodes and begun to walk through. */
  private Process demoUnderWay(Path temporary) throws IOException {
    List<String> command = ChildJvm.colonnade(List.of("-Djava.io.tmpdir=" + temporary));
    command.addAll(List.of("demo", "--verbose"));
    Process demo = ChildJvm.start(command, folder.resolve("demo.out"), "Numbers", LIMIT);
    started.add(demo);
    return demo;
  }

  private static void assertNothingLeftIn(Path temporary) throws IOException {
    try (Stream<Path> left = Files.list(temporary)) {
      assertEquals(
          List.of(),
          left.filter(p -> p.getFileName().toString().startsWith("colonnade-")).toList());
    }
  }

  private Process start(Path data, Path log) throws IOException {
    List<String> command = ChildJvm.colonnade(List.of());
    command.addAll(
        List.of(
            "server",
            "--data",
            data.toString(),
            "--client-port",
            "0",
            "--peer-port",
            "0",
            "--http-port",
            "0"));
    Process server = ChildJvm.start(command, log, "serving", LIMIT);
    started.add(server);
    return server;
  }

  private Ended end(String... arguments) throws IOException {
    return endOf(ChildJvm.colonnade(List.of()), arguments);
  }

  private Ended endOf(List<String> command, String... arguments) throws IOException {
    command.addAll(List.of(arguments));
    Path out = Files.createTempFile(folder, "out", ".txt");
    Path err = Files.createTempFile(folder, "err", ".txt");
    Process process =
        new ProcessBuilder(command)
            .redirectOutput(out.toFile())
            .redirectError(err.toFile())
            .start();
    started.add(process);
    assertTrue(ChildJvm.exited(process, LIMIT), "it did not end: " + Files.readString(err));
    return new Ended(
        process.exitValue(),
        Files.readString(out, StandardCharsets.UTF_8),
        Files.readString(err, StandardCharsets.UTF_8));
  }

  /** The last line of standard error: log lines may stand before it, a stack trace nowhere. */
  private static String complaint(Ended ended) {
    assertFalse(ended.err().contains("\tat "), ended.err());
    List<String> lines = ended.err().lines().toList();
    assertFalse(lines.isEmpty());
    String last = lines.get(lines.size() - 1);
    assertTrue(last.startsWith("colonnade server: "), ended.err());
    return last;
  }
}
