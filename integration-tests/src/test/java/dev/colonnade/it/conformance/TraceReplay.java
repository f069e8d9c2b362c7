package dev.colonnade.it.conformance;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Sends the requests of a recording to a node and compares what comes back. */
final class TraceReplay {

  /** Enough to see what is wrong; a broken node would fill the screen. */
  private static final int MISMATCHES_SHOWN = 20;

  /** Figures and mismatches of one replay. */
  record Report(String trace, int compared, int leftOut, int undefined, List<String> mismatches) {

    boolean clean() {
      return mismatches.isEmpty();
    }

    @Override
    public String toString() {
      StringBuilder text = new StringBuilder();
      text.append(trace)
          .append(": ")
          .append(compared)
          .append(" compared, ")
          .append(leftOut)
          .append(" left out, ")
          .append(undefined)
          .append(" undefined, ")
          .append(mismatches.size())
          .append(" different");
      mismatches.stream().limit(MISMATCHES_SHOWN).forEach(line -> text.append('\n').append(line));
      return text.toString();
    }
  }

  /** Something to do to the node while a recording is replayed. */
  record Interruption(int everyNth, Consumer<NodeUnderTest> action) {

    static final Interruption NONE = new Interruption(Integer.MAX_VALUE, node -> {});

    static Interruption everyNth(int n, Consumer<NodeUnderTest> action) {
      return new Interruption(n, action);
    }
  }

  private final NodeUnderTest node;
  private final Differences differences;
  private final ReadStyle style;
  private final Interruption interruption;

  TraceReplay(
      NodeUnderTest node, Differences differences, ReadStyle style, Interruption interruption) {
    this.node = node;
    this.differences = differences;
    this.style = style;
    this.interruption = interruption;
  }

  Report replay(Trace trace) {
    TraceSchema schema = TraceSchema.of(trace);
    schema.createOn(node.channel());
    TraceCalls calls = new TraceCalls(node.channel(), style, differences);
    ExpiringTies ties = ExpiringTies.of(trace);
    List<String> mismatches = new ArrayList<>();
    int compared = 0;
    int leftOut = 0;
    int undefined = 0;
    int sent = 0;
    for (JsonObject line : trace.lines()) {
      if (TraceRequests.text(line, "op").equals("sleep")) {
        node.pass(Duration.ofMillis(line.get("ms").getAsLong()));
        continue;
      }
      Set<Trait> traits = Trait.of(line, schema.indexedFamilies(), ties);
      if (differences.leavesOut(traits)) {
        leftOut++;
        continue;
      }
      if (differences.rewrites(Trait.EXPIRING_TIE, traits)) {
        ties.takeTimesToLiveOff(line);
      }
      if (++sent % interruption.everyNth() == 0) {
        interruption.action().accept(node);
        calls = new TraceCalls(node.channel(), style, differences);
      }
      Outcome answer = calls.call(line, traits);
      if (line.has("undefined")) {
        undefined++;
        continue;
      }
      compared++;
      String mismatch = compare(line, traits, answer, !trace.random());
      if (mismatch != null) {
        mismatches.add(mismatch);
      }
    }
    return new Report(trace.name(), compared, leftOut, undefined, mismatches);
  }

  private @Nullable String compare(
      JsonObject line, Set<Trait> traits, Outcome answer, boolean compareTtl) {
    Outcome recorded = Outcome.recorded(line.getAsJsonObject("res"));
    String instead =
        differences.expectedInstead(
            traits, recorded.errorClass() == null ? "ok" : recorded.errorClass());
    Outcome wanted = instead == null ? recorded : Outcome.error(instead);
    if (answer.matches(wanted, compareTtl)) {
      return null;
    }
    if (line.has("alt")) {
      for (JsonElement alternative : line.getAsJsonObject("alt").asMap().values()) {
        if (answer.matchesAlternative(
            Outcome.recorded(alternative.getAsJsonObject()), compareTtl)) {
          return null;
        }
      }
    }
    JsonObject request = line.deepCopy();
    List.of("res", "alt", "i").forEach(request::remove);
    return "line "
        + line.get("i")
        + " "
        + request
        + "\n  wanted "
        + wanted
        + "\n  got    "
        + answer;
  }
}
