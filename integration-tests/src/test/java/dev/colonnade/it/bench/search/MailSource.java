package dev.colonnade.it.bench.search;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;

/**
 * Mails and queries by seed. The words of a mail are of a vocabulary whose n-th word is n times as
 * rare as its first. Thread-safe, and pure: a number has the same mail each time.
 */
final class MailSource {

  /** Words to choose from; the most frequent one is a tenth of all. */
  private static final int VOCABULARY = 20_000;

  private static final int FEWEST_WORDS = 20;
  private static final int MOST_WORDS = 120;

  /** Those whom one user exchanges mails with. */
  private static final int CONTACTS = 20;

  private static final int PREFIX_LETTERS = 3;
  private static final int FREQUENT_WORDS = 5;
  private static final int PAYLOAD_WORDS = 6;

  private static final String CONSONANTS = "bdfghklmnprstvwz";
  private static final String VOWELS = "aeiou";
  private static final int SYLLABLES = CONSONANTS.length() * VOWELS.length();
  private static final int SYLLABLES_OF_WORD = 3;

  /** Has no divisor in common with the number of possible words, so that no word comes twice. */
  private static final long SCATTER = 104_729;

  /** An odd number without a pattern, which sets the seeds of neighbours apart. */
  private static final long MIX = 0xD1342543DE82EF95L;

  private final long seed;
  private final int users;
  private final double[] cumulative = new double[VOCABULARY];

  /**
   * Creates a source.
   *
   * @param users how many have mails
   */
  MailSource(long seed, int users) {
    this.seed = seed;
    this.users = users;
    double sum = 0;
    for (int rank = 0; rank < VOCABULARY; rank++) {
      sum += 1.0 / (rank + 1);
      cumulative[rank] = sum;
    }
  }

  /**
   * A mail.
   *
   * @param id the greater, the newer
   * @param user whose it is
   * @param participants sender and receiver
   */
  record Mail(long id, String user, List<String> words, List<String> participants) {

    String text() {
      return String.join(" ", words);
    }

    /** What is shown of it in a list. */
    String payload() {
      return String.join(" ", words.subList(0, PAYLOAD_WORDS));
    }
  }

  /**
   * A question.
   *
   * @param text words, the beginning of one, or a participant
   */
  record Query(QueryKind kind, String user, String text) {}

  /** How many users there are. */
  int users() {
    return users;
  }

  String user(int number) {
    return "user" + number;
  }

  /**
   * The mail of a number.
   *
   * @param number from 0
   */
  Mail mail(int number) {
    SplittableRandom random = new SplittableRandom(seed ^ ((number + 1L) * MIX));
    int owner = random.nextInt(users);
    int count = random.nextInt(FEWEST_WORDS, MOST_WORDS + 1);
    List<String> words = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      words.add(word(rank(random)));
    }
    return new Mail(
        number + 1L, user(owner), words, List.of(contact(owner, random), contact(owner, random)));
  }

  private String contact(int owner, SplittableRandom random) {
    return user((owner + 1 + random.nextInt(CONTACTS)) % (users + CONTACTS));
  }

  /**
   * A query of a kind, made of a mail among the first ones, so that it finds something.
   *
   * @param mails how many there are
   */
  Query query(QueryKind kind, int number, int mails) {
    SplittableRandom random =
        new SplittableRandom(~seed ^ ((number + 1L) * MIX + kind.title().hashCode()));
    Mail mail = mail(random.nextInt(mails));
    List<String> words = mail.words();
    int at = random.nextInt(words.size() - 1);
    String text =
        switch (kind) {
          case ONE_WORD -> words.get(at);
          case TWO_WORDS -> words.get(at) + " " + words.get(random.nextInt(words.size()));
          case PHRASE -> words.get(at) + " " + words.get(at + 1);
          case PREFIX -> words.get(at).substring(0, PREFIX_LETTERS);
          case NEWEST_TEN -> word(random.nextInt(FREQUENT_WORDS));
          case INTERACTIONS -> mail.participants().get(0);
        };
    return new Query(kind, mail.user(), text);
  }

  private int rank(SplittableRandom random) {
    double point = random.nextDouble() * cumulative[VOCABULARY - 1];
    int at = Arrays.binarySearch(cumulative, point);
    return Math.min(at < 0 ? -at - 1 : at, VOCABULARY - 1);
  }

  /** Words of neighbouring ranks begin differently, so that a prefix is of some of each. */
  private static String word(int rank) {
    long possible = (long) SYLLABLES * SYLLABLES * SYLLABLES;
    long rest = (rank + 1) * SCATTER % possible;
    StringBuilder word = new StringBuilder();
    for (int i = 0; i < SYLLABLES_OF_WORD; i++) {
      int syllable = (int) (rest % SYLLABLES);
      rest /= SYLLABLES;
      word.append(CONSONANTS.charAt(syllable / VOWELS.length()));
      word.append(VOWELS.charAt(syllable % VOWELS.length()));
    }
    return word.toString();
  }
}
