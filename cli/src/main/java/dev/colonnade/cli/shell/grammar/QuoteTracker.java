package dev.colonnade.cli.shell.grammar;

/** Follows a text by characters and knows whether a quote or a comment is open. */
final class QuoteTracker {

  private enum State {
    PLAIN,
    QUOTED,
    ESCAPED,
    LINE_COMMENT,
    BLOCK_COMMENT
  }

  private State state = State.PLAIN;
  private char quote;
  private char last;

  void reset() {
    state = State.PLAIN;
    last = 0;
  }

  /** Takes the next character and tells whether it is a {@code ;} that ends the statement. */
  boolean endsStatement(char c) {
    State before = state;
    state = after(c);
    // What has ended one comment does not begin another.
    boolean goesOn = state == before || (state == State.PLAIN && before != State.BLOCK_COMMENT);
    last = goesOn ? c : 0;
    return before == State.PLAIN && c == ';';
  }

  /** Whether a quote or a block comment is open. */
  boolean isOpen() {
    return state != State.PLAIN && state != State.LINE_COMMENT;
  }

  private State after(char c) {
    return switch (state) {
      case PLAIN -> {
        if (c == '\'' || c == '"') {
          quote = c;
          yield State.QUOTED;
        }
        if (last == '-' && c == '-') {
          yield State.LINE_COMMENT;
        }
        yield last == '/' && c == '*' ? State.BLOCK_COMMENT : State.PLAIN;
      }
      case QUOTED -> c == '\\' ? State.ESCAPED : c == quote ? State.PLAIN : State.QUOTED;
      case ESCAPED -> State.QUOTED;
      case LINE_COMMENT -> c == '\n' ? State.PLAIN : State.LINE_COMMENT;
      case BLOCK_COMMENT -> last == '*' && c == '/' ? State.PLAIN : State.BLOCK_COMMENT;
    };
  }
}
