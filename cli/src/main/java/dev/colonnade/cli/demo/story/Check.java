package dev.colonnade.cli.demo.story;

/**
 * A promise held against an answer.
 *
 * @param claim what is promised, as a sentence
 * @param expected what the article shows
 * @param found what the node answered, written in the same way
 */
public record Check(String claim, String expected, String found) {

  /** Whether the answer is what was promised. */
  public boolean holds() {
    return expected.equals(found);
  }

  /** The claim, and when it does not hold also what was expected and found. */
  @Override
  public String toString() {
    return holds() ? claim : claim + ": expected \"" + expected + "\", found \"" + found + "\"";
  }
}
