package dev.colonnade.connectors.samples;

import dev.colonnade.client.Colonnade;
import dev.colonnade.client.ColumnFamily;
import dev.colonnade.client.Serializers;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;

/** What the commands of the samples have in common. */
public final class SampleCommands {

  private static final int SHOWN = 10;
  private static final int COPIES = 3;
  private static final int TOLD_EACH = 10_000;

  private SampleCommands() {}

  /** Writes tweets and followers, into a keyspace that is made if there is none. */
  public static void fill(Colonnade client, int tweets, PrintStream out) {
    TwissandraData data = new TwissandraData(1, tweets);
    boolean present =
        client.schema().keyspaces().stream()
            .anyMatch(each -> each.name().equals(TwissandraData.KEYSPACE));
    if (!present) {
      int nodes = client.cluster().ring("").nodes().size();
      TwissandraData.define(client, Math.min(COPIES, nodes));
    }
    data.write(
        client.keyspace(TwissandraData.KEYSPACE),
        client,
        written -> {
          if (written % TOLD_EACH == 0) {
            out.println(written + " of " + tweets + " tweets");
          }
        });
    out.println("wrote " + tweets + " tweets of " + data.users() + " users");
  }

  /** A family of texts. */
  public static ColumnFamily<String, String, String> family(Colonnade client, String name) {
    return client
        .keyspace(TwissandraData.KEYSPACE)
        .columnFamily(name, Serializers.UTF8, Serializers.UTF8, Serializers.UTF8);
  }

  /** Shows the most frequent words. */
  public static void show(Map<String, Long> counts, PrintStream out) {
    List<Map.Entry<String, Long>> sorted = new ArrayList<>(counts.entrySet());
    sorted.sort(
        Map.Entry.<String, Long>comparingByValue(Comparator.reverseOrder())
            .thenComparing(Map.Entry.comparingByKey()));
    sorted.stream()
        .limit(SHOWN)
        .forEach(each -> out.println(each.getValue() + "\t" + each.getKey()));
    out.println(counts.size() + " words in all");
  }
}
