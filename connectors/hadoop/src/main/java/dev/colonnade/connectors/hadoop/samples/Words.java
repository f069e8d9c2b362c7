package dev.colonnade.connectors.hadoop.samples;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** What the samples take for a word: letters and digits, in small letters. */
final class Words {

  private static final Pattern WORD = Pattern.compile("[\\p{L}\\p{Nd}]+");

  private Words() {}

  static List<String> of(String text) {
    List<String> words = new ArrayList<>();
    Matcher matcher = WORD.matcher(text);
    while (matcher.find()) {
      words.add(matcher.group().toLowerCase(Locale.ROOT));
    }
    return words;
  }
}
