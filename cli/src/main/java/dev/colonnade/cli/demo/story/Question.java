package dev.colonnade.cli.demo.story;

import java.util.List;
import java.util.function.Supplier;

/**
 * Something that was asked in a walkthrough, and can be asked again.
 *
 * @param statement as it was told
 * @param drawn asks, and gives the answer as {@link Drawing} takes it
 */
public record Question(String statement, Supplier<Object> drawn) {

  /** Asks once more; the lines of the answer. */
  public List<String> ask() {
    return Drawing.of(drawn.get());
  }
}
