package dev.colonnade.it.ycsb;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import dev.colonnade.it.ChildJvm;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** That {@code integration-tests/ycsb} runs; figures of so short a run say nothing. */
@Timeout(200)
final class YcsbCommandIT {

  private static final Duration LIMIT = Duration.ofMinutes(3);

  @TempDir Path folder;

  @Test
  void workloadsRunOnANodeAndBesideAStoreThatDoesNothing() throws Exception {
    Path temporary = Files.createDirectories(folder.resolve("tmp"));
    List<String> command =
        ChildJvm.main(
            List.of(
                "-Djava.io.tmpdir=" + temporary,
                "-Dcolonnade.jar=" + System.getProperty("colonnade.jar")),
            YcsbCommand.class.getName());
    command.addAll(
        List.of("--quick", "--family", "super", "--workloads", "load,a,e", "--output", "json"));
    Path out = folder.resolve("out.txt");
    Path err = folder.resolve("err.txt");
    Process process =
        new ProcessBuilder(command)
            .redirectOutput(out.toFile())
            .redirectError(err.toFile())
            .start();
    try {
      assertTrue(ChildJvm.exited(process, LIMIT), "it did not end: " + Files.readString(err));
    } finally {
      process.destroy();
    }
    assertEquals(0, process.exitValue(), Files.readString(err) + Files.readString(out));

    List<JsonObject> lines =
        Files.readAllLines(out).stream()
            .map(line -> JsonParser.parseString(line).getAsJsonObject())
            .map(line -> line.getAsJsonObject("ycsb_workload"))
            .toList();
    assertEquals(
        List.of("load node", "load no-op", "a node", "a no-op", "e node", "e no-op"),
        lines.stream()
            .map(line -> line.get("workload").getAsString() + " " + line.get("store").getAsString())
            .toList());
    for (JsonObject line : lines) {
      assertTrue(line.get("callsPerSecond").getAsDouble() > 0, line.toString());
      assertEquals(0, line.get("failures").getAsLong(), line.toString());
    }
    try (var left = Files.list(temporary)) {
      assertEquals(
          List.of(), left.filter(each -> each.toString().contains("colonnade-ycsb")).toList());
    }
  }
}
