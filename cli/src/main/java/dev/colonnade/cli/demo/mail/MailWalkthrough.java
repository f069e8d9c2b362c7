package dev.colonnade.cli.demo.mail;

import dev.colonnade.cli.demo.story.Guide;
import dev.colonnade.cli.demo.story.Walkthrough;
import dev.colonnade.client.KeyspaceDefinition;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Three people write to one another; one of them reads the inbox and looks for a word. */
public final class MailWalkthrough implements Walkthrough {

  private static final String KEYSPACE = "Mail";
  private static final String JOHN = "u1";
  private static final String KIM = "u2";
  private static final String TOD = "u3";

  private static final Letter PARTY =
      new Letter(KIM, List.of(JOHN, TOD), "Party on Friday", "Bring a guitar.");
  private static final Letter LUNCH =
      new Letter(TOD, List.of(JOHN), "Lunch", "And then a look at my guitar?");
  private static final Letter BIKES =
      new Letter(TOD, List.of(JOHN), "A bicycle", "It is blue, and yours.");
  private static final Letter LATER =
      new Letter(KIM, List.of(JOHN, TOD), "Party on Friday", "Not before nine.");

  /** For the list of walkthroughs. */
  public MailWalkthrough() {}

  @Override
  public String name() {
    return "mail";
  }

  @Override
  public String title() {
    return "Mail: an inbox out of four families";
  }

  @Override
  public KeyspaceDefinition keyspace() {
    return MailApplication.definition(KEYSPACE);
  }

  @Override
  public void run(Guide guide) {
    MailApplication mail =
        new MailApplication(guide.client().keyspace(KEYSPACE), guide.client().timeUuids()::now);
    guide.say("Info knows the names: from a user's id to what the user is called.");
    Map.of(JOHN, "John", KIM, "Kim", TOD, "Tod").entrySet().stream()
        .sorted(Map.Entry.comparingByKey())
        .forEach(
            user ->
                guide.tell(
                    "set Info['%s']['name'] = '%s';".formatted(user.getKey(), user.getValue()),
                    () -> mail.name(user.getKey(), user.getValue())));
    guide.say("A letter is one batch: the message into Msg_store, the subject into Msg_threads,");
    guide.say("the thread into the Mailbox of each who gets it, and its words into their lists.");
    String party = send(guide, mail, PARTY);
    String lunch = send(guide, mail, LUNCH);
    send(guide, mail, BIKES);
    guide.tell(
        "mail.reply(thread, {from: %s, body: \"%s\"})".formatted(LATER.from(), LATER.body()),
        () -> mail.reply(party, LATER));
    inbox(guide, mail);
    thread(guide, mail, party);
    words(guide, mail, party, lunch);
  }

  private static String send(Guide guide, MailApplication mail, Letter letter) {
    String[] thread = new String[1];
    guide.tell(
        "mail.send({from: %s, to: %s, subject: \"%s\", body: \"%s\"})"
            .formatted(letter.from(), letter.to(), letter.subject(), letter.body()),
        () -> thread[0] = mail.send(letter));
    return thread[0];
  }

  private static void inbox(Guide guide, MailApplication mail) {
    int before = guide.calls().total();
    List<InboxLine> lines =
        guide.ask("mail.inbox(u1, 10)", () -> mail.inbox(JOHN, 10), MailWalkthrough::drawn);
    guide.check(
        "a page is joined from four families: Mailbox, Msg_threads, Msg_store, Info",
        List.of("GetSlice", "MultigetSlice", "MultigetSlice", "MultigetSlice"),
        guide.calls().since(before));
    guide.check(
        "the thread that went on is first, and is there once",
        "Party on Friday, Kim: Not before nine. | A bicycle, Tod: It is blue, and yours."
            + " | Lunch, Tod: And then a look at my guitar?",
        lines.stream()
            .map(
                line ->
                    "%s, %s: %s"
                        .formatted(line.subject(), line.newest().sender(), line.newest().body()))
            .toList());
    guide.say("Names are joined and not copied, so that a new one shows in old mail:");
    guide.tell("set Info['u3']['name'] = 'Todd';", () -> mail.name(TOD, "Todd"));
    guide.check(
        "Tod is Todd now",
        List.of("Kim", "Todd", "Todd"),
        mail.inbox(JOHN, 10).stream().map(line -> line.newest().sender()).toList());
  }

  private static void thread(Guide guide, MailApplication mail, String party) {
    guide.check(
        "a thread is read in the order of its messages",
        List.of(PARTY.body(), LATER.body()),
        guide.ask(
            "get Msg_store['" + party + "'];",
            () -> mail.thread(party).stream().map(Message::body).toList()));
  }

  private static void words(Guide guide, MailApplication mail, String party, String lunch) {
    guide.say("Three lists know what of John's mail has the word guitar:");
    guide.check(
        "mails by name",
        List.of("Lunch", "Party on Friday"),
        guide.ask("get MailList['u1']['guitar'];", () -> mail.words().subjects(JOHN, "guitar")));
    guide.check(
        "threads by time",
        List.of(lunch, party),
        guide.ask(
            "get ThreadList['u1']['guitar'] reversed;",
            () -> mail.words().threads(JOHN, "guitar")));
    guide.check(
        "people by time",
        List.of(TOD, KIM),
        guide.ask(
            "get UserList['u1']['guitar'] reversed;", () -> mail.words().users(JOHN, "guitar")));
  }

  private static List<Map<String, String>> drawn(List<InboxLine> lines) {
    return lines.stream().map(MailWalkthrough::drawn).toList();
  }

  private static Map<String, String> drawn(InboxLine line) {
    Map<String, String> drawing = new LinkedHashMap<>();
    drawing.put("subject", line.subject());
    drawing.put("from", line.newest().sender());
    drawing.put("newest", line.newest().body());
    return drawing;
  }
}
