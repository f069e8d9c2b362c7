package dev.colonnade.connectors.hadoop;

import dev.colonnade.client.CallOptions;
import dev.colonnade.client.ClientBuilder;
import dev.colonnade.client.Colonnade;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.apache.hadoop.conf.Configuration;

/** Makes the client of a job or a task of what its configuration says. */
final class Clients {

  /**
   * Longer than it takes to notice that a machine is gone, so that the reading goes on elsewhere.
   */
  private static final Duration DEADLINE = Duration.ofMinutes(1);

  private Clients() {}

  /**
   * A client.
   *
   * @param firstOf nodes that it calls before the contact points of the configuration
   * @throws IllegalArgumentException if there is no contact point, or a setting that is none
   */
  static Colonnade connect(Configuration conf, Collection<String> firstOf) {
    return builder(conf, firstOf).connect();
  }

  /** How a job calls nodes. */
  static CallOptions calls(Configuration conf) {
    return builder(conf, List.of()).options().calls();
  }

  private static ClientBuilder builder(Configuration conf, Collection<String> firstOf) {
    Map<String, String> settings = new TreeMap<>();
    conf.getPropsWithPrefix(ConfigHelper.CLIENT_PREFIX).forEach(settings::put);
    ClientBuilder builder =
        Colonnade.builder()
            .options(it -> it.withCalls(it.calls().withDeadline(DEADLINE)))
            .properties(settings);
    if (builder.contactPoints().isEmpty()) {
      throw new IllegalArgumentException(
          "the job's configuration lacks "
              + ConfigHelper.CLIENT_PREFIX
              + "contact_points, HOST:PORT of one node or more");
    }
    if (builder.options().discovery()) {
      Set<String> all = new LinkedHashSet<>(firstOf);
      all.addAll(builder.contactPoints());
      List<String> targets = new ArrayList<>(all);
      builder.contactPoints(targets);
    }
    return builder;
  }
}
