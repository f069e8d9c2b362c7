package dev.colonnade.cli.demo.search;

import java.util.Locale;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.regex.Pattern;

/** Splits text into words that can be searched for. */
public final class Words {

  private static final Pattern BETWEEN = Pattern.compile("[^\\p{L}\\p{N}]+");

  private Words() {}

  /** Each word of a text in lower case, and how often it is there. */
  public static SortedMap<String, Integer> of(String text) {
    SortedMap<String, Integer> counts = new TreeMap<>();
    for (String word : BETWEEN.split(text.toLowerCase(Locale.ROOT), -1)) {
      if (!word.isEmpty()) {
        counts.merge(word, 1, Integer::sum);
      }
    }
    return counts;
  }
}
