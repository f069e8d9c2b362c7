package dev.colonnade.connectors.samples;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** What the samples take for a word: letters and digits, in small letters. */
public final class Words {

  private static final Pattern WORD = Pattern.compile("[\\p{L}\\p{Nd}]+");

  private Words() {}

  /** The words of a text, in order. */
  public static List<String> of(String text) {
    List<String> words = new ArrayList<>();
    Matcher matcher = WORD.matcher(text);
    while (matcher.find()) {
      words.add(matcher.group().toLowerCase(Locale.ROOT));
    }
    return words;
  }
}
