package dev.colonnade.it.release;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.Message;
import dev.colonnade.it.Await;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipInputStream;
import java.util.zip.ZipOutputStream;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * This build opens the data of each release: two nodes' directories of it, one killed with rows in
 * its log and hints for the other, which was stopped in order. What each release answered is beside
 * them. {@code ./test ReleasedDataTest -Dcolonnade.release.write=VERSION} adds what this build
 * writes, before a release.
 */
@Timeout(180)
final class ReleasedDataTest {

  private static final Path RELEASES = Path.of("src/test/resources/releases");
  private static final String WRITE = System.getProperty("colonnade.release.write", "");
  private static final String ANSWERS = "answers.txt";
  private static final List<String> NODES = List.of("node1", "node2");
  private static final Duration LIMIT = Duration.ofSeconds(60);

  /** When the data is written and, behind the end of short times to live, when it is read. */
  private static final Instant WRITTEN = Instant.parse("2026-11-27T00:00:00Z");

  private static final Instant READ = WRITTEN.plus(Duration.ofMinutes(10));

  @TempDir Path folder;

  static List<String> versions() throws IOException {
    if (!WRITE.isEmpty()) {
      return List.of(WRITE);
    }
    try (Stream<Path> all = Files.list(RELEASES)) {
      return all.filter(Files::isDirectory)
          .map(path -> path.getFileName().toString())
          .sorted()
          .toList();
    }
  }

  @ParameterizedTest
  @MethodSource("versions")
  void theDataOfTheReleaseIsReadAsItWas(String version) throws Exception {
    Path release = RELEASES.resolve(version);
    if (!WRITE.isEmpty()) {
      Files.createDirectories(release);
      write(release);
    }
    for (String node : NODES) {
      unpack(release.resolve(node + ".zip"), folder.resolve(node));
    }
    Path questions = WRITE.isEmpty() ? release.resolve(ANSWERS) : RELEASES.resolve("read.txt");
    List<RecordedCall> calls = RecordedCall.read(questions);
    List<String> answered = new ArrayList<>();
    Map<String, ReleaseNode> nodes = new TreeMap<>();
    try {
      for (RecordedCall call : calls) {
        ReleaseNode node = nodes.get(call.node());
        if (node == null) {
          node = startNext(nodes, READ);
          nodes.put(call.node(), node);
          if (nodes.size() == NODES.size()) {
            awaitHints(nodes);
          }
        }
        List<Message> came = call.make(node.channel());
        answered.add(call.withAnswers(came));
        if (WRITE.isEmpty()) {
          assertEquals(call.recorded(), came, () -> version + ": " + call.withAnswers(came));
        }
      }
    } finally {
      nodes.values().forEach(ReleaseNode::close);
    }
    if (!WRITE.isEmpty()) {
      Files.writeString(release.resolve(ANSWERS), String.join("\n", answered));
    }
    assertTrue(answered.size() > 20, "each kind of data was asked for");
    String all = String.join("\n", answered);
    assertTrue(all.contains("only in the log"), "a write that no data file has");
    assertFalse(all.contains("expired when it is read"), "a column whose time has passed");
    assertFalse(all.contains("before the truncation"), "a row that was truncated");
  }

  private ReleaseNode startNext(Map<String, ReleaseNode> running, Instant now) throws Exception {
    String seeds = running.isEmpty() ? "" : of(running, NODES.get(0)).peerAddress();
    return ReleaseNode.start(folder.resolve(NODES.get(running.size())), now, seeds);
  }

  private static ReleaseNode of(Map<String, ReleaseNode> nodes, String name) {
    return Objects.requireNonNull(nodes.get(name), name);
  }

  /** Returns when both nodes are up and nothing is kept for either of them. */
  private static void awaitHints(Map<String, ReleaseNode> nodes) {
    Await.until(
        () ->
            nodes.values().stream()
                .allMatch(node -> node.up() == NODES.size() && !node.keepsHints()),
        LIMIT,
        () -> "the hints did not arrive");
  }

  private void write(Path release) throws Exception {
    Map<String, ReleaseNode> nodes = new TreeMap<>();
    for (String name : NODES) {
      nodes.put(name, startNext(nodes, WRITTEN));
    }
    awaitHints(nodes);
    for (RecordedCall call : RecordedCall.read(RELEASES.resolve("written.txt"))) {
      if (call.method().equals("stop")) {
        of(nodes, call.node()).close();
        nodes.remove(call.node());
        Await.until(
            () -> nodes.values().stream().allMatch(node -> node.up() == 1),
            LIMIT,
            () -> "the node that was stopped counts as up");
      } else {
        List<Message> unused = call.make(of(nodes, call.node()).channel());
      }
    }
    nodes.values().forEach(ReleaseNode::kill);
    for (String name : NODES) {
      Path data = folder.resolve(name);
      pack(data, release.resolve(name + ".zip"));
      delete(data);
    }
  }

  private static void pack(Path directory, Path archive) throws IOException {
    try (OutputStream file = Files.newOutputStream(archive);
        ZipOutputStream zip = new ZipOutputStream(file)) {
      zip.setLevel(9);
      for (Path path : files(directory)) {
        ZipEntry entry = new ZipEntry(directory.relativize(path).toString());
        entry.setTime(0);
        zip.putNextEntry(entry);
        Files.copy(path, zip);
        zip.closeEntry();
      }
    }
  }

  private static void unpack(Path archive, Path directory) throws IOException {
    try (InputStream file = Files.newInputStream(archive);
        ZipInputStream zip = new ZipInputStream(file)) {
      for (ZipEntry entry = zip.getNextEntry(); entry != null; entry = zip.getNextEntry()) {
        Path target = directory.resolve(entry.getName());
        Files.createDirectories(target.getParent());
        Files.copy(zip, target);
      }
    }
  }

  private static void delete(Path directory) throws IOException {
    for (Path path : files(directory)) {
      Files.delete(path);
    }
  }

  private static List<Path> files(Path directory) throws IOException {
    try (Stream<Path> all = Files.walk(directory)) {
      return all.filter(Files::isRegularFile).sorted().toList();
    }
  }
}
