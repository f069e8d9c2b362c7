package dev.colonnade.it.bench.search;

/** What is searched for. Each finds the ten newest mails that match, or fewer. */
enum QueryKind {
  /** A word of one of the user's mails, be it frequent or rare. */
  ONE_WORD("one word"),
  /** Two words of one mail, anywhere in it. */
  TWO_WORDS("two words"),
  /** Two words that follow each other in a mail. */
  PHRASE("phrase"),
  /** The first three letters of a word. */
  PREFIX("prefix"),
  /** One of the most frequent words, which most mails have: only the newest have to be read. */
  NEWEST_TEN("newest ten"),
  /** Mails that were exchanged with somebody. */
  INTERACTIONS("interactions");

  private final String title;

  QueryKind(String title) {
    this.title = title;
  }

  String title() {
    return title;
  }
}
