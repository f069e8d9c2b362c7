package dev.colonnade.it.demo;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.colonnade.cli.demo.mail.InboxLine;
import dev.colonnade.cli.demo.mail.Letter;
import dev.colonnade.cli.demo.mail.MailApplication;
import dev.colonnade.cli.demo.mail.Message;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/** The talk's mail application: an inbox joined from four families, and three lists of words. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
final class MailIT {

  private final ExampleNode node;
  private final MailApplication mail;

  MailIT(@TempDir Path folder) throws Exception {
    node = ExampleNode.in(folder);
    mail =
        new MailApplication(
            node.create(MailApplication.definition("Mail")), node.client().timeUuids()::now);
  }

  @BeforeAll
  void name() {
    mail.name("kim", "Kim");
    mail.name("tod", "Tod");
  }

  @AfterAll
  void stop() {
    node.close();
  }

  @Test
  void aPageOfTheInboxIsFourCalls() {
    for (int i = 0; i < 12; i++) {
      mail.send(new Letter(i % 2 == 0 ? "kim" : "tod", List.of("john"), "Subject " + i, "B" + i));
    }
    int before = node.calls().total();
    List<InboxLine> lines = mail.inbox("john", 10);
    assertEquals(
        List.of("GetSlice", "MultigetSlice", "MultigetSlice", "MultigetSlice"),
        node.calls().since(before));
    assertEquals(10, lines.size());
    assertEquals("Subject 11", lines.get(0).subject());
    assertEquals("Tod", lines.get(0).newest().sender());
    assertEquals("Kim", lines.get(1).newest().sender());
    assertEquals("B2", lines.get(9).newest().body());
  }

  @Test
  void aThreadThatGoesOnIsFirstAndOnlyOnce() {
    Letter first = new Letter("kim", List.of("mary"), "First", "one");
    String thread = mail.send(first);
    mail.send(new Letter("tod", List.of("mary"), "Second", "two"));
    mail.reply(thread, new Letter("nobody", List.of("mary"), "First", "three"));
    assertEquals(List.of("First", "Second"), subjects(mail.inbox("mary", 10)));
    assertEquals("nobody", mail.inbox("mary", 10).get(0).newest().sender());
    assertEquals(List.of("First"), subjects(mail.inbox("mary", 1)));
    assertEquals(
        List.of("Kim: one", "nobody: three"),
        mail.thread(thread).stream().map(MailIT::spoken).toList());
  }

  @Test
  void aVeryLongThreadDoesNotHideTheOthers() {
    mail.send(new Letter("kim", List.of("patient"), "Short", "once"));
    Letter again = new Letter("tod", List.of("patient"), "Long", "again");
    String thread = mail.send(again);
    for (int i = 0; i < 450; i++) {
      mail.reply(thread, again);
    }
    assertEquals(List.of("Long", "Short"), subjects(mail.inbox("patient", 10)));
    assertEquals(451, mail.thread(thread).size());
  }

  @Test
  void anInboxWithoutMailIsEmpty() {
    assertEquals(List.of(), mail.inbox("lonely", 10));
    assertEquals(List.of(), mail.thread("no-such-thread"));
  }

  @Test
  void wordsAreListedByNameAndByTime() {
    List<String> threads = new ArrayList<>();
    for (String subject : List.of("Zebra", "Apple", "Mango", "Apple")) {
      threads.add(
          mail.send(
              new Letter("from-" + subject, List.of("reader"), subject, "Fruit, or not. FRUIT!")));
    }
    mail.send(new Letter("kim", List.of("reader"), "Nothing of it", "at all"));
    mail.send(new Letter("kim", List.of("other"), "Fruit", "for another"));
    assertEquals(
        List.of("Apple", "Apple", "Mango", "Zebra"), mail.words().subjects("reader", "fruit"));
    Collections.reverse(threads);
    assertEquals(threads, mail.words().threads("reader", "Fruit"));
    assertEquals(
        List.of("from-Apple", "from-Mango", "from-Zebra"), mail.words().users("reader", "fruit"));
    mail.reply(threads.get(3), new Letter("kim", List.of("reader"), "Zebra", "fruit again"));
    assertEquals(threads.get(3), mail.words().threads("reader", "fruit").get(0));
    assertEquals("kim", mail.words().users("reader", "fruit").get(0));
    assertEquals(List.of(), mail.words().threads("reader", "vegetable"));
  }

  private static List<String> subjects(List<InboxLine> lines) {
    return lines.stream().map(InboxLine::subject).toList();
  }

  private static String spoken(Message message) {
    return message.sender() + ": " + message.body();
  }
}
