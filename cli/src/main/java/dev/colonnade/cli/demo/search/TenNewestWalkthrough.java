package dev.colonnade.cli.demo.search;

import dev.colonnade.cli.demo.story.Guide;
import dev.colonnade.cli.demo.story.Walkthrough;
import dev.colonnade.client.CallOptions;
import dev.colonnade.client.CallStatistics;
import dev.colonnade.client.KeyspaceDefinition;
import dev.colonnade.client.Node;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** The ten newest mails of an inbox that is very long, and how little of it is read for them. */
public final class TenNewestWalkthrough implements Walkthrough {

  private static final String KEYSPACE = "TenNewest";
  private static final String USER = "phatduckk";
  private static final int TEN = 10;
  private static final int MAILS_IN_A_CALL = 2_000;
  private static final int CALLS_IN_FLIGHT = 8;
  private static final int PARTS_TOLD = 5;
  private static final long MOST_BLOCKS = 2;

  private final int columns;

  /**
   * @param columns how long the inbox is, at least ten
   */
  public TenNewestWalkthrough(int columns) {
    this.columns = columns;
  }

  @Override
  public String name() {
    return "ten-newest";
  }

  @Override
  public String title() {
    return "Ten newest: the end of a long row";
  }

  @Override
  public KeyspaceDefinition keyspace() {
    return KeyspaceDefinition.named(KEYSPACE).with(Inbox.definition());
  }

  @Override
  public void run(Guide guide) {
    Inbox inbox = new Inbox(guide.client().keyspace(KEYSPACE));
    guide.say(
        String.format(
            Locale.ROOT,
            "One inbox gets %,d mails, %,d in a call, and is then written to a data file:",
            columns,
            MAILS_IN_A_CALL));
    fill(guide, inbox);
    Node node = guide.client().node();
    guide.tell("client.node().flush(TenNewest)", () -> node.flush(KEYSPACE));
    guide.tell(
        "client.node().compact(TenNewest)",
        () -> node.compact(KEYSPACE, List.of(Inbox.FAMILY), progress -> {}));

    Queue<CallStatistics> statistics = new ConcurrentLinkedQueue<>();
    List<Mail> newest =
        guide.ask(
            "get Inbox['phatduckk'] reversed limit 10;",
            () ->
                inbox
                    .with(CallOptions.defaults().withStatistics(statistics::add))
                    .newest(USER, TEN),
            TenNewestWalkthrough::drawn);
    guide.check(
        "the ten newest come, the newest first",
        IntStream.rangeClosed(1, TEN).mapToObj(i -> mail(columns - i)).toList(),
        newest);
    long blocks = statistics.stream().mapToLong(CallStatistics::blocksRead).sum();
    long files = statistics.stream().mapToLong(CallStatistics::sstablesRead).sum();
    guide.say("Blocks of the data file that were looked at for it: " + blocks + ".");
    guide.check("they come from the one file", 1L, files);
    guide.check(
        "which is read in " + MOST_BLOCKS + " blocks at most",
        true,
        blocks >= 1 && blocks <= MOST_BLOCKS);
  }

  private void fill(Guide guide, Inbox inbox) {
    int told = 0;
    Deque<CompletableFuture<@Nullable Void>> underWay = new ArrayDeque<>();
    for (int from = 0; from < columns; from += MAILS_IN_A_CALL) {
      int to = Math.min(columns, from + MAILS_IN_A_CALL);
      List<Mail> mails = new ArrayList<>();
      for (int i = from; i < to; i++) {
        mails.add(mail(i));
      }
      underWay.add(inbox.put(USER, mails));
      if (underWay.size() == CALLS_IN_FLIGHT) {
        underWay.remove().join();
      }
      if ((long) to * PARTS_TOLD / columns > told) {
        told++;
        guide.show(List.of(String.format(Locale.ROOT, "%,d mails", to)));
      }
    }
    underWay.forEach(CompletableFuture::join);
  }

  private static Mail mail(int i) {
    return new Mail(MailSample.FIRST_MICROS + i * MailSample.MICROS_BETWEEN, "mail " + i);
  }

  private static Map<Long, String> drawn(List<Mail> mails) {
    Map<Long, String> drawing = new LinkedHashMap<>();
    mails.forEach(mail -> drawing.put(mail.id(), mail.text()));
    return drawing;
  }
}
