package dev.colonnade.cli.shell.grammar;

import java.util.Collection;
import java.util.Locale;
import java.util.Optional;

/** Finds the word that was probably meant. */
public final class Spelling {

  /** No word of the vocabulary is longer; a longer one is not compared. */
  private static final int MAX_LENGTH = 40;

  private Spelling() {}

  /** The nearest of the words, if it is near. */
  public static Optional<String> nearest(String written, Collection<String> words) {
    String lower = written.toLowerCase(Locale.ROOT);
    Optional<String> best = Optional.empty();
    int bestDistance = Math.max(1, Math.min(lower.length() / 3, 3)) + 1;
    if (lower.length() < 2 || lower.length() > MAX_LENGTH) {
      return best;
    }
    for (String word : words) {
      int distance = distance(lower, word.toLowerCase(Locale.ROOT));
      if (distance < bestDistance && distance > 0) {
        best = Optional.of(word);
        bestDistance = distance;
      }
    }
    return best;
  }

  /** How many letters to add, drop, change, or swap with their neighbour. */
  private static int distance(String a, String b) {
    int[][] table = new int[a.length() + 1][b.length() + 1];
    for (int i = 0; i <= a.length(); i++) {
      table[i][0] = i;
    }
    for (int j = 0; j <= b.length(); j++) {
      table[0][j] = j;
    }
    for (int i = 1; i <= a.length(); i++) {
      for (int j = 1; j <= b.length(); j++) {
        int change = a.charAt(i - 1) == b.charAt(j - 1) ? 0 : 1;
        int best = Math.min(table[i - 1][j], table[i][j - 1]) + 1;
        best = Math.min(best, table[i - 1][j - 1] + change);
        if (i > 1
            && j > 1
            && a.charAt(i - 1) == b.charAt(j - 2)
            && a.charAt(i - 2) == b.charAt(j - 1)) {
          best = Math.min(best, table[i - 2][j - 2] + 1);
        }
        table[i][j] = best;
      }
    }
    return table[a.length()][b.length()];
  }
}
