package dev.colonnade.server.service.search;

import dev.colonnade.server.sim.Rng;
import java.util.ArrayList;
import java.util.List;

/** Mails by seed, of words that are as unevenly frequent as those of a language. */
final class Mails {

  private static final List<String> WORDS =
      List.of(
          "the",
          "and",
          "to",
          "meeting",
          "lunch",
          "report",
          "reports",
          "reporting",
          "budget",
          "Tulsa",
          "guitar",
          "guitars",
          "running",
          "runs",
          "ran",
          "house",
          "houses",
          "Zürich",
          "naïve",
          "e-mail",
          "O'Neill",
          "3.14",
          "42",
          "x",
          "sushi",
          "bar",
          "party",
          "friday",
          "Friday's",
          "draft",
          "final",
          "plan",
          "planning",
          "planned",
          "ünï",
          "日本語",
          "привет");

  private static final List<String> USERS =
      List.of("ada", "bob", "cy", "dee", "eve", "fay", "gus", "hal");

  private final Rng rng;

  Mails(Rng rng) {
    this.rng = rng;
  }

  /** A word; the earlier ones of the list are far more frequent. */
  String word() {
    int at = rng.between(0, rng.between(0, WORDS.size() - 1));
    // A few words that hardly any other mail has.
    return rng.chance(50) ? "w" + rng.between(0, 3_000) : WORDS.get(at);
  }

  /** Some words. */
  String words(int least, int most) {
    int count = rng.between(least, most);
    List<String> words = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      words.add(word() + (rng.chance(100) ? "," : ""));
    }
    return String.join(" ", words);
  }

  /** Somebody to exchange a mail with. */
  String somebody() {
    return rng.oneOf(USERS);
  }

  /** A query: of words, of a phrase, of a prefix, or of several of them. */
  SearchText query() {
    int kind = rng.between(0, 5);
    return switch (kind) {
      case 0 -> TestIndex.allOf(words(1, 3));
      case 1 -> TestIndex.anyOf(words(1, 4));
      case 2 -> TestIndex.phrase(words(2, 3));
      case 3 -> TestIndex.prefix(beginning());
      case 4 -> new SearchText(word(), word() + " " + word(), "", beginning(), List.of());
      default ->
          new SearchText(
              rng.chance(500) ? word() : "",
              "",
              rng.chance(300) ? words(2, 2) : "",
              "",
              List.of(TestIndex.bytes(somebody())));
    };
  }

  private String beginning() {
    String word = word();
    return word.substring(0, Math.min(word.length(), rng.between(2, 4)));
  }
}
