package dev.colonnade.cli.demo.search;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/** Generated mail: random words, the first of the list more often than the last. */
public final class MailSample {

  /** When the first mail of a sample arrives, in microseconds: in July 2008. */
  public static final long FIRST_MICROS = 1_216_000_000_000_000L;

  /** One arrives each minute. */
  public static final long MICROS_BETWEEN = 60_000_000L;

  private static final List<String> WORDS =
      List.of(
          "the",
          "you",
          "we",
          "mail",
          "friend",
          "photo",
          "today",
          "meeting",
          "party",
          "guitar",
          "lunch",
          "movie",
          "ticket",
          "concert",
          "cassandra",
          "inbox",
          "ring",
          "token",
          "gossip",
          "birthday",
          "holiday",
          "bicycle",
          "mountain",
          "river",
          "breakfast",
          "umbrella",
          "piano",
          "violin",
          "scream",
          "godfather");

  private static final int LONGEST = 14;

  private MailSample() {}

  /** A number of mails, always the same for a seed. */
  public static List<Mail> of(int count, long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    List<Mail> mails = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      StringBuilder text = new StringBuilder("Mail number ").append(i).append(':');
      int length = random.nextInt(1, LONGEST + 1);
      for (int word = 0; word < length; word++) {
        String next = WORDS.get(random.nextInt(1 + random.nextInt(WORDS.size())));
        text.append(word > 0 && random.nextInt(4) == 0 ? ", " : " ");
        text.append(
            random.nextInt(4) == 0 ? Character.toUpperCase(next.charAt(0)) : next.charAt(0));
        text.append(next, 1, next.length());
      }
      mails.add(new Mail(FIRST_MICROS + i * MICROS_BETWEEN, text.append('.').toString()));
    }
    return mails;
  }

  /** The words that it is made of. */
  public static List<String> words() {
    return WORDS;
  }
}
