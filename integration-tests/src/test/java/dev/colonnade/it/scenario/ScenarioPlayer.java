package dev.colonnade.it.scenario;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import io.grpc.StatusRuntimeException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.concurrent.TimeUnit;

/**
 * Plays {@code proto/clients/scenario/scenario.json} with the generated stubs, and prints how many
 * steps passed. The README beside that file says what the steps and the environment mean.
 */
final class ScenarioPlayer {

  private static final long NO_LIMIT_MILLIS = 60_000;
  private static final long AGAIN_MILLIS = 200;
  private static final int SHOWN_CHARACTERS = 1_000;

  private ScenarioPlayer() {}

  /** Exits with status 0 if all steps passed. */
  public static void main(String[] arguments) throws Exception {
    Path file = Path.of(variable("COLONNADE_SCENARIO"));
    JsonObject scenario = JsonParser.parseString(Files.readString(file)).getAsJsonObject();
    int passed = 0;
    int failed = 0;
    try (ScenarioNodes nodes =
        new ScenarioNodes(
            list("COLONNADE_NODES"),
            list("COLONNADE_PIDS"),
            variable("COLONNADE_SECURED_NODE"),
            Path.of(variable("COLONNADE_SECURED_ROOTS")))) {
      ScenarioCalls calls = new ScenarioCalls(nodes);
      for (JsonElement each : scenario.getAsJsonArray("steps")) {
        if (passes(calls, new Step(each.getAsJsonObject()))) {
          passed++;
        } else {
          failed++;
        }
      }
    }
    System.out.println(passed + " passed, " + failed + " failed");
    System.exit(failed == 0 ? 0 : 1);
  }

  private static List<String> list(String name) {
    return List.of(variable(name).split(","));
  }

  private static String variable(String name) {
    return Objects.requireNonNull(System.getenv(name), name + " is not set");
  }

  private static boolean passes(ScenarioCalls calls, Step step) throws InterruptedException {
    long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(step.number("retry_for_ms", 0));
    while (true) {
      long begun = System.nanoTime();
      JsonObject answer;
      try {
        answer = calls.play(step);
      } catch (StatusRuntimeException e) {
        answer = ScenarioErrors.described(e, step.isWrite());
      }
      long millis = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - begun);
      if (matches(step.json().get("expect"), answer)
          && millis <= step.number("max_ms", NO_LIMIT_MILLIS)) {
        return true;
      }
      if (System.nanoTime() - end >= 0) {
        String got = answer.toString();
        System.out.printf(
            Locale.ROOT,
            "FAILED: %s: expected %s, got %s after %d ms%n",
            step.text("name"),
            step.json().get("expect"),
            got.substring(0, Math.min(got.length(), SHOWN_CHARACTERS)),
            millis);
        return false;
      }
      TimeUnit.MILLISECONDS.sleep(AGAIN_MILLIS);
    }
  }

  /** Whether the answer has all that is expected; it may have more. */
  private static boolean matches(JsonElement expected, JsonElement actual) {
    if (expected.isJsonObject()) {
      return actual.isJsonObject()
          && expected.getAsJsonObject().entrySet().stream()
              .allMatch(
                  entry -> {
                    JsonElement found = actual.getAsJsonObject().get(entry.getKey());
                    return found == null
                        ? entry.getValue().isJsonNull()
                        : matches(entry.getValue(), found);
                  });
    }
    if (expected.isJsonArray()) {
      JsonArray wanted = expected.getAsJsonArray();
      if (!actual.isJsonArray() || actual.getAsJsonArray().size() != wanted.size()) {
        return false;
      }
      for (int i = 0; i < wanted.size(); i++) {
        if (!matches(wanted.get(i), actual.getAsJsonArray().get(i))) {
          return false;
        }
      }
      return true;
    }
    if (expected.isJsonPrimitive() && expected.getAsJsonPrimitive().isString()) {
      String text = expected.getAsString();
      if (text.equals("*")) {
        return !actual.isJsonNull();
      }
      if (actual.isJsonPrimitive() && ScenarioData.isBytes(actual.getAsString())) {
        return actual.equals(ScenarioData.shown(ScenarioData.bytes(text)));
      }
    }
    return expected.equals(actual);
  }
}
