package dev.colonnade.it.demo;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import dev.colonnade.cli.demo.Tour;
import dev.colonnade.cli.demo.search.Hit;
import dev.colonnade.cli.demo.search.InboxSearch;
import dev.colonnade.cli.demo.search.Mail;
import dev.colonnade.cli.demo.search.MailSample;
import dev.colonnade.cli.demo.search.TenNewestWalkthrough;
import dev.colonnade.cli.demo.story.Check;
import dev.colonnade.cli.demo.story.Narration;
import java.io.PrintWriter;
import java.io.Writer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/** Search by word against a plain search of the text, and the end of a very long row. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
final class InboxSearchIT {

  private static final String USER = "phatduckk";
  private static final int MAILS = 1000;
  private static final int MAILS_IN_A_CALL = 200;
  private static final int MILLION = 1_000_000;

  private final ExampleNode node;
  private final InboxSearch search;
  private final List<Mail> mails = MailSample.of(MAILS, 42);

  InboxSearchIT(@TempDir Path folder) throws Exception {
    node = ExampleNode.in(folder);
    search = new InboxSearch(node.create(InboxSearch.definition("InboxSearch")));
  }

  @BeforeAll
  void deliver() {
    for (int from = 0; from < MAILS; from += MAILS_IN_A_CALL) {
      search.deliver(USER, mails.subList(from, from + MAILS_IN_A_CALL));
    }
  }

  @AfterAll
  void stop() {
    node.close();
  }

  @Test
  void everyWordFindsWhatASearchOfTheTextFinds() {
    List<String> words = new ArrayList<>(MailSample.words());
    words.addAll(List.of("number", "Mail", "GUITAR", "17", "guit", "nonsense"));
    for (String word : words) {
      Map<Mail, Integer> expected = grep(word);
      assertEquals(expected, ranks(search.search(USER, List.of(word), MAILS)), word);
      assertEquals(expected.size(), search.count(USER, word), word);
    }
  }

  @Test
  void severalWordsFindWhatHasThemAll() {
    Map<Mail, Integer> expected = grep("cassandra");
    Map<Mail, Integer> others = grep("gossip");
    expected.keySet().retainAll(others.keySet());
    expected.replaceAll((mail, rank) -> rank + others.getOrDefault(mail, 0));
    assertFalse(expected.isEmpty());
    assertEquals(expected, ranks(search.search(USER, List.of("cassandra", "gossip"), MAILS)));
    assertEquals(List.of(), search.search(USER, List.of("cassandra", "nonsense"), MAILS));
  }

  @Test
  void theBestComeFirstAndOfEqualsTheNewest() {
    List<Hit> hits = search.search(USER, List.of("the"), 50);
    assertEquals(50, hits.size());
    for (int i = 1; i < hits.size(); i++) {
      Hit before = hits.get(i - 1);
      Hit after = hits.get(i);
      boolean ordered =
          before.rank() > after.rank()
              || (before.rank() == after.rank() && before.mail().id() > after.mail().id());
      assertEquals(true, ordered, before + " stands before " + after);
    }
  }

  @Test
  void mailOfAnotherUserIsNotFound() {
    search.deliver("ieure", List.of(new Mail(1, "Xylophone")));
    assertEquals(0, search.count(USER, "xylophone"));
    assertEquals(1, search.count("ieure", "xylophone"));
    assertEquals(0, search.count("ieure", "the"));
  }

  @Test
  void theTenNewestOfAMillionAreReadInTwoBlocks() throws Exception {
    Narration silent = new Narration(new PrintWriter(Writer.nullWriter()), false);
    List<Check> checks =
        new Tour(node.client(), node.calls(), silent, Tour.Stage.SINGLE)
            .run(List.of(new TenNewestWalkthrough(MILLION)));
    assertFalse(checks.isEmpty());
    assertEquals(List.of(), checks.stream().filter(check -> !check.holds()).toList());
  }

  /** The mails with a word, and how often it is there. */
  private Map<Mail, Integer> grep(String word) {
    Pattern pattern = Pattern.compile("\\b" + word + "\\b", Pattern.CASE_INSENSITIVE);
    Map<Mail, Integer> found = new HashMap<>();
    for (Mail mail : mails) {
      int times = (int) pattern.matcher(mail.text()).results().count();
      if (times > 0) {
        found.put(mail, times);
      }
    }
    return found;
  }

  private static Map<Mail, Integer> ranks(List<Hit> hits) {
    Map<Mail, Integer> ranks = new HashMap<>();
    hits.forEach(hit -> ranks.put(hit.mail(), hit.rank()));
    return ranks;
  }
}
