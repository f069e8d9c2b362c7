package dev.colonnade.it.docs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

final class AnswerTest {

  @Test
  void linesMustBeTheSame() {
    assertTrue(Answer.matches("a\nb\n", "\na\nb  \n\n"));
    assertFalse(Answer.matches("a\nb\n", "a\nc\n"));
    assertFalse(Answer.matches("a\n", "a\nb\n"));
    assertFalse(Answer.matches("a.c\n", "abc\n"));
  }

  @Test
  void anEllipsisStandsForAPartOfALineOrForLines() {
    assertTrue(Answer.matches("took … ms\n", "took 12 ms\n"));
    assertFalse(Answer.matches("took … ms\n", "took 12\n ms\n"));
    assertTrue(Answer.matches("a\n…\nz\n", "a\nb\nc\nz\n"));
    assertFalse(Answer.matches("a\n…\nz\n", "a\nb\nc\n"));
  }

  @Test
  void clocksAreLeftOpen() {
    assertEquals(
        "(timestamp=…)\n\"timestamp\":\"…\" 1273636800000000",
        Answer.shown(
            "(timestamp=1790000000000000)\n\"timestamp\":\"1790000000000000\" 1273636800000000"));
  }
}
