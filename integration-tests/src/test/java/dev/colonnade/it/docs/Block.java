package dev.colonnade.it.docs;

/**
 * A fenced block of a page.
 *
 * @param language the word after the fence; empty for none
 * @param line of its fence, from 1
 * @param indent blanks in front of the fence, as within a list
 */
record Block(String language, String text, int line, String indent) {

  /** Whether it shows what the block before it prints. */
  boolean isAnswer() {
    return language.equals("text") || language.equals("json");
  }
}
