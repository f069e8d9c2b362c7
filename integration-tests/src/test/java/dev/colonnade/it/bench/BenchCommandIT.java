package dev.colonnade.it.bench;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import dev.colonnade.it.ChildJvm;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;

/** That the benchmarks of {@code colonnade bench} run; figures of so short a run say nothing. */
@Timeout(400)
final class BenchCommandIT {

  private static final Duration LIMIT = Duration.ofMinutes(5);

  @TempDir Path folder;

  @EnabledIfSystemProperty(named = "colonnade.cluster.long", matches = "true")
  @Test
  void theBenchmarkOfAClusterHasAllFiguresAndLeavesNothingBehind() throws IOException {
    List<JsonObject> lines =
        bench(
            "cluster --rows 200 --warmup 0 --seconds 1 --rounds 1 --pace 100 --standstill 2 -o json");

    List<JsonObject> calls = of("bench_call", lines);
    assertEquals(5, calls.size());
    for (JsonObject call : calls) {
      assertTrue(call.get("callsPerSecond").getAsDouble() > 0, call.toString());
      assertTrue(call.get("serverCpuMicrosPerCall").getAsDouble() > 0, call.toString());
    }
    List<JsonObject> windows = of("bench_window", lines);
    assertTrue(
        windows.stream().anyMatch(window -> window.get("state").getAsString().equals("STOPPED")));
    assertEquals(0, windows.stream().mapToInt(window -> window.get("failures").getAsInt()).sum());
    assertEquals(
        List.of("write_cpu_ratio", "stopped_replica_recovery_seconds"),
        of("bench_limit", lines).stream().map(limit -> limit.get("name").getAsString()).toList());
  }

  @Test
  void theBenchmarkOfTheTransportMeasuresEachLoad() throws IOException {
    List<JsonObject> loads = of("bench_load", bench("transport --warmup 0 --seconds 1 -o json"));

    assertEquals(9, loads.size());
    for (JsonObject load : loads) {
      assertTrue(load.get("perSecond").getAsDouble() > 0, load.toString());
    }
  }

  private static List<JsonObject> of(String kind, List<JsonObject> lines) {
    return lines.stream()
        .filter(line -> line.has(kind))
        .map(line -> line.getAsJsonObject(kind))
        .toList();
  }

  private List<JsonObject> bench(String arguments) throws IOException {
    Path temporary = Files.createDirectories(folder.resolve("tmp"));
    List<String> command = ChildJvm.colonnade(List.of("-Djava.io.tmpdir=" + temporary));
    command.add("bench");
    command.addAll(List.of(arguments.split(" ", -1)));
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
    assertEquals(0, process.exitValue(), Files.readString(err));
    try (Stream<Path> left = Files.list(temporary)) {
      assertFalse(left.anyMatch(path -> path.getFileName().toString().startsWith("colonnade-")));
    }
    return Files.readAllLines(out).stream()
        .map(line -> JsonParser.parseString(line).getAsJsonObject())
        .toList();
  }
}
