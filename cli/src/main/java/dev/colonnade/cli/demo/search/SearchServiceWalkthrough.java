package dev.colonnade.cli.demo.search;

import dev.colonnade.cli.demo.story.Guide;
import dev.colonnade.cli.demo.story.Walkthrough;
import dev.colonnade.client.AsyncSearchIndex;
import dev.colonnade.client.ColumnFamilyDefinition;
import dev.colonnade.client.Comparators;
import dev.colonnade.client.Document;
import dev.colonnade.client.Hit;
import dev.colonnade.client.KeyspaceDefinition;
import dev.colonnade.client.SearchIndex;
import dev.colonnade.client.SearchQuery;
import dev.colonnade.client.Serializers;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import java.util.stream.IntStream;

/**
 * The talk's two queries over an inbox, term search and interactions, as the node answers them: one
 * call each, and the same answers as a search of all texts gives.
 */
public final class SearchServiceWalkthrough implements Walkthrough {

  private static final String KEYSPACE = "SearchService";
  private static final String INDEX = "Inbox";
  private static final String USER = "phatduckk";
  private static final int MAILS = 200;
  private static final int CALLS_IN_FLIGHT = 16;
  private static final int NEWEST = 5;
  private static final long SEED = 2009;
  private static final List<String> PEOPLE = List.of("ada", "bob", "cy");

  /** For the list of walkthroughs. */
  public SearchServiceWalkthrough() {}

  @Override
  public String name() {
    return "search-service";
  }

  @Override
  public String title() {
    return "Inbox search by the node: terms and interactions";
  }

  @Override
  public KeyspaceDefinition keyspace() {
    return KeyspaceDefinition.named(KEYSPACE)
        .with(ColumnFamilyDefinition.searchIndex(INDEX, "english", Comparators.LONG));
  }

  @Override
  public void run(Guide guide) {
    SearchIndex<String, Long> index =
        guide.client().keyspace(KEYSPACE).searchIndex(INDEX, Serializers.UTF8, Serializers.LONG);
    guide.say("An index of the node has an analyzer, which knows that 'lunches' are 'lunch':");
    guide.tell(
        "search index Inbox['phatduckk'][1] 'Lunch?', 'Bring the guitar' with 'ada' payload"
            + " 'Lunch?';",
        () ->
            index.index(
                USER,
                Document.of(1L, "Lunch?", "Bring the guitar").with("ada").withPayload("Lunch?")));
    guide.check(
        "another form of a word is the same term",
        List.of(1L),
        ids(
            guide.ask(
                "search terms Inbox['phatduckk'] all 'lunches';",
                () -> index.find(USER, SearchQuery.allOf("lunches"), NEWEST),
                SearchServiceWalkthrough::drawn)));

    List<Mail> mails = MailSample.of(MAILS, SEED);
    guide.tell(
        "index.async().index(phatduckk, each of " + MAILS + " mails, with ada, bob or cy)",
        () -> fill(index.async(), mails));
    terms(guide, index, mails);
    interactions(guide, index, mails);
    changes(guide, index);
  }

  private static void fill(AsyncSearchIndex<String, Long> index, List<Mail> mails) {
    Deque<CompletableFuture<Boolean>> underWay = new ArrayDeque<>();
    for (int i = 0; i < mails.size(); i++) {
      Mail mail = mails.get(i);
      underWay.add(
          index.index(
              USER,
              Document.of(mail.id(), mail.text()).with(personOf(i)).withPayload(mail.text())));
      if (underWay.size() == CALLS_IN_FLIGHT) {
        underWay.remove().join();
      }
    }
    underWay.forEach(CompletableFuture::join);
  }

  private static void terms(Guide guide, SearchIndex<String, Long> index, List<Mail> mails) {
    int before = guide.calls().total();
    List<Hit<Long>> both =
        guide.ask(
            "search terms Inbox['phatduckk'] all 'friend photo' limit " + NEWEST + ";",
            () -> index.find(USER, SearchQuery.allOf("friend photo"), NEWEST),
            SearchServiceWalkthrough::drawn);
    guide.check("a search is one call", List.of("SearchTerms"), guide.calls().since(before));
    guide.check(
        "the newest mails with both words, as a search of all texts finds them",
        newest(mails, i -> has(mails.get(i), "friend") && has(mails.get(i), "photo")),
        ids(both));
    guide.check(
        "a phrase finds the words one after the other",
        newest(mails, i -> matches(mails.get(i), "\\byou\\W+friend\\b")),
        ids(
            guide.ask(
                "search terms Inbox['phatduckk'] phrase 'you friend' limit " + NEWEST + ";",
                () -> index.find(USER, SearchQuery.phrase("you friend"), NEWEST),
                SearchServiceWalkthrough::drawn)));
    guide.check(
        "a word that nobody wrote finds nothing",
        List.of(),
        ids(
            guide.ask(
                "search terms Inbox['phatduckk'] any 'nonsense';",
                () -> index.find(USER, SearchQuery.anyOf("nonsense"), NEWEST),
                SearchServiceWalkthrough::drawn)));
  }

  private static void interactions(Guide guide, SearchIndex<String, Long> index, List<Mail> mails) {
    guide.check(
        "the newest mails with somebody",
        newest(mails, i -> personOf(i).equals("bob")),
        ids(
            guide.ask(
                "search with Inbox['phatduckk'] 'bob' limit " + NEWEST + ";",
                () -> index.interactions(USER, "bob", NEWEST),
                SearchServiceWalkthrough::drawn)));
  }

  private static void changes(Guide guide, SearchIndex<String, Long> index) {
    guide.tell(
        "search index Inbox['phatduckk'][1] 'Dinner?' with 'ada' payload 'Dinner?';",
        () -> index.index(USER, Document.of(1L, "Dinner?").with("ada").withPayload("Dinner?")));
    guide.check(
        "a document that is indexed again has its new words",
        List.of(1L),
        ids(
            guide.ask(
                "search terms Inbox['phatduckk'] all 'dinner';",
                () -> index.find(USER, SearchQuery.allOf("dinner"), NEWEST),
                SearchServiceWalkthrough::drawn)));
    guide.check(
        "and no longer its old ones",
        false,
        ids(guide.ask(
                "search terms Inbox['phatduckk'] all 'bring guitar' limit 200;",
                () -> index.find(USER, SearchQuery.allOf("bring guitar"), MAILS),
                SearchServiceWalkthrough::drawn))
            .contains(1L));
    guide.tell("search delete Inbox['phatduckk'][1];", () -> index.delete(USER, 1L));
    guide.check(
        "a deleted document is gone",
        List.of(),
        ids(
            guide.ask(
                "search terms Inbox['phatduckk'] all 'dinners';",
                () -> index.find(USER, SearchQuery.allOf("dinners"), NEWEST),
                SearchServiceWalkthrough::drawn)));
  }

  private static String personOf(int mail) {
    return PEOPLE.get(mail % PEOPLE.size());
  }

  /** The ids of the newest mails of those numbers that a search of their text finds. */
  private static List<Long> newest(List<Mail> mails, Predicate<Integer> isHit) {
    return IntStream.iterate(mails.size() - 1, i -> i >= 0, i -> i - 1)
        .filter(isHit::test)
        .limit(NEWEST)
        .mapToObj(i -> mails.get(i).id())
        .toList();
  }

  private static boolean has(Mail mail, String word) {
    return matches(mail, "\\b" + word + "\\b");
  }

  private static boolean matches(Mail mail, String pattern) {
    return Pattern.compile(pattern, Pattern.CASE_INSENSITIVE).matcher(mail.text()).find();
  }

  private static List<Long> ids(List<Hit<Long>> hits) {
    return hits.stream().map(Hit::id).toList();
  }

  private static Map<Long, Object> drawn(List<Hit<Long>> hits) {
    Map<Long, Object> drawing = new LinkedHashMap<>();
    hits.forEach(hit -> drawing.put(hit.id(), hit.payloadText()));
    return drawing;
  }
}
