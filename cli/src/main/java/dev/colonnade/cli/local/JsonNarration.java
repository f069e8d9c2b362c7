package dev.colonnade.cli.local;

import dev.colonnade.cli.demo.story.Check;
import dev.colonnade.cli.demo.story.ShortNarration;
import dev.colonnade.cli.shell.output.Listing;
import dev.colonnade.cli.shell.output.Output;
import java.io.PrintWriter;
import java.io.Writer;
import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** For programs: an object for each promise, and nothing else. */
final class JsonNarration extends ShortNarration {

  private final List<Map<String, Object>> checks = new ArrayList<>();

  /** A promise that was not kept is told again at the end. */
  private final Set<Check> told = Collections.newSetFromMap(new IdentityHashMap<>());

  JsonNarration() {
    super(new PrintWriter(Writer.nullWriter()), false);
  }

  @Override
  public void verdict(Check check) {
    if (!told.add(check)) {
      return;
    }
    Map<String, Object> fields = new LinkedHashMap<>();
    fields.put("claim", check.claim());
    fields.put("expected", check.expected());
    fields.put("found", check.found());
    fields.put("holds", check.holds());
    checks.add(fields);
  }

  /** Writes all of them. */
  void end(Output output) {
    output.listing(new Listing("check", "checks", List.of(), List.of(), checks, ""));
  }
}
