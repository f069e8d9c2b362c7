package dev.colonnade.cli.demo.search;

import dev.colonnade.cli.demo.story.Guide;
import dev.colonnade.cli.demo.story.Walkthrough;
import dev.colonnade.client.KeyspaceDefinition;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;

/** A thousand mails, found by word, and the same as a search of their text finds. */
public final class InboxSearchWalkthrough implements Walkthrough {

  private static final String KEYSPACE = "InboxSearch";
  private static final String USER = "phatduckk";
  private static final int MAILS = 1000;
  private static final int MAILS_IN_A_CALL = 100;
  private static final long SEED = 2008;

  /** For the list of walkthroughs. */
  public InboxSearchWalkthrough() {}

  @Override
  public String name() {
    return "inbox-search";
  }

  @Override
  public String title() {
    return "Inbox search: a super column for each word";
  }

  @Override
  public KeyspaceDefinition keyspace() {
    return InboxSearch.definition(KEYSPACE);
  }

  @Override
  public void run(Guide guide) {
    InboxSearch search = new InboxSearch(guide.client().keyspace(KEYSPACE));
    guide.say("A mail is a column of its user's inbox, and one in the super column of each word:");
    guide.tell(
        "search.deliver(phatduckk, \"Guitar lunch? Bring the guitar.\")",
        () -> search.deliver(USER, List.of(new Mail(1, "Guitar lunch? Bring the guitar."))));
    guide.check(
        "a word in capitals is the same word, and its rank is how often it is there",
        List.of(new Hit(new Mail(1, "Guitar lunch? Bring the guitar."), 2)),
        guide.ask(
            "search.search(phatduckk, [GUITAR], 10)",
            () -> search.search(USER, List.of("GUITAR"), 10),
            InboxSearchWalkthrough::drawn));

    List<Mail> mails = MailSample.of(MAILS, SEED);
    guide.tell(
        "search.deliver(phatduckk, a thousand mails)",
        () -> {
          for (int from = 0; from < MAILS; from += MAILS_IN_A_CALL) {
            search.deliver(USER, mails.subList(from, from + MAILS_IN_A_CALL));
          }
        });
    for (String word : List.of("cassandra", "gossip", "nonsense")) {
      guide.check(
          "as many mails have the word as a search of their text finds",
          grep(mails, word),
          guide.ask(
              "count TermIndex['phatduckk']['" + word + "'];", () -> search.count(USER, word)));
    }
    both(guide, search, mails);
  }

  private static void both(Guide guide, InboxSearch search, List<Mail> mails) {
    int before = guide.calls().total();
    List<Hit> hits =
        guide.ask(
            "search.search(phatduckk, [cassandra, gossip], 10)",
            () -> search.search(USER, List.of("cassandra", "gossip"), 10),
            InboxSearchWalkthrough::drawn);
    guide.check(
        "two words cost two slices, and a third for the mails",
        List.of("GetSlice", "GetSlice", "GetSlice"),
        guide.calls().since(before));
    guide.check(
        "all that were found have both words",
        hits.size(),
        (int)
            mails.stream()
                .filter(mail -> matches(mail, "cassandra") && matches(mail, "gossip"))
                .filter(mail -> hits.stream().anyMatch(hit -> hit.mail().equals(mail)))
                .count());
    guide.check(
        "the best first",
        hits.stream().map(Hit::rank).sorted((one, other) -> other - one).toList(),
        hits.stream().map(Hit::rank).toList());
  }

  private static long grep(List<Mail> mails, String word) {
    return mails.stream().filter(mail -> matches(mail, word)).count();
  }

  private static boolean matches(Mail mail, String word) {
    return Pattern.compile("\\b" + word + "\\b", Pattern.CASE_INSENSITIVE)
        .matcher(mail.text())
        .find();
  }

  private static Map<Long, Object> drawn(List<Hit> hits) {
    Map<Long, Object> drawing = new LinkedHashMap<>();
    for (Hit hit : hits) {
      Map<String, Object> entry = new LinkedHashMap<>();
      entry.put("rank", hit.rank());
      entry.put("text", hit.mail().text());
      drawing.put(hit.mail().id(), entry);
    }
    return drawing;
  }
}
