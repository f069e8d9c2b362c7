package dev.colonnade.cli.shell.terminal;

import java.util.List;
import org.jline.reader.Candidate;
import org.jline.reader.Completer;
import org.jline.reader.LineReader;
import org.jline.reader.ParsedLine;
import org.jspecify.annotations.Nullable;

/** Hands suggestions to JLine. */
final class StatementCompleter implements Completer {

  private final Completions completions;

  StatementCompleter(Completions completions) {
    this.completions = completions;
  }

  @Override
  public void complete(LineReader reader, ParsedLine line, List<Candidate> candidates) {
    TypedLine typed = new TypedLine(line.line(), line.cursor());
    if (typed.inComment()) {
      return;
    }
    int order = 0;
    for (Suggestion suggestion : completions.behind(typed.before())) {
      candidates.add(
          new Candidate(
              suggestion.text(),
              suggestion.shown(),
              orNull(suggestion.group()),
              null,
              null,
              null,
              suggestion.ended(),
              order++));
    }
  }

  private static @Nullable String orNull(String text) {
    return text.isEmpty() ? null : text;
  }
}
