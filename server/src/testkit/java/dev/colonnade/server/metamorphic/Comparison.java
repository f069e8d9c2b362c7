package dev.colonnade.server.metamorphic;

import dev.colonnade.server.cluster.ring.Partitioner;
import dev.colonnade.server.sim.SimFileSystem;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Holds a list's answers under each configuration against those of the model. */
final class Comparison {

  /** Each operation has so much time, of which it needs little. */
  private static final Duration STEP = Duration.ofSeconds(4);

  private static final int TRIES = 2_000;

  private final RandomLists.Kind kind;
  private final List<Configuration> configurations;
  private final Map<Configuration, SimFileSystem> disks = new HashMap<>();

  Comparison(RandomLists.Kind kind, List<Configuration> configurations) {
    this.kind = kind;
    this.configurations = configurations;
  }

  /** Compares the list of that seed; throws with the smallest list that shows the difference. */
  void run(long seed) {
    List<Operation> list = RandomLists.list(seed, kind);
    Map<String, List<List<Object>>> expected = new HashMap<>();
    for (Configuration configuration : configurations) {
      Partitioner partitioner = configuration.partitioner();
      List<List<Object>> answers =
          expected.computeIfAbsent(partitioner.name(), name -> expected(list, partitioner));
      if (difference(list, answers, configuration).isPresent()) {
        throw new AssertionError(report(seed, list, configuration));
      }
    }
  }

  private String report(long seed, List<Operation> list, Configuration configuration) {
    List<Operation> smallest =
        Shrinker.shrink(list, shorter -> difference(shorter, configuration).isPresent(), TRIES);
    StringBuilder text = new StringBuilder();
    text.append("seed ").append(seed).append(", configuration: ").append(configuration);
    text.append("; of ").append(list.size()).append(" operations these suffice:\n");
    smallest.forEach(operation -> text.append("  ").append(operation).append('\n'));
    return text.append(difference(smallest, configuration).orElse("(it passes now)")).toString();
  }

  private SimFileSystem disk(Configuration configuration) throws Exception {
    SimFileSystem disk = disks.get(configuration);
    if (disk == null) {
      disk = StoreTarget.disk(configuration, kind.fields());
      disks.put(configuration, disk);
    }
    return disk;
  }

  /** How the answers of a store differ from the model's; empty if they do not. */
  Optional<String> difference(List<Operation> list, Configuration configuration) {
    return difference(list, expected(list, configuration.partitioner()), configuration);
  }

  private static List<List<Object>> expected(List<Operation> list, Partitioner partitioner) {
    Target model = new ModelTarget(partitioner);
    List<List<Object>> answers = new ArrayList<>();
    for (Operation operation : list) {
      model.pass(STEP);
      try {
        answers.add(operation.run(model));
      } catch (Exception e) {
        throw new AssertionError("the model cannot do " + operation, e);
      }
    }
    return answers;
  }

  private Optional<String> difference(
      List<Operation> list, List<List<Object>> expected, Configuration configuration) {
    int at = 0;
    try {
      StoreTarget store = StoreTarget.on(disk(configuration), configuration, kind.fields());
      for (; at < list.size(); at++) {
        store.pass(STEP);
        List<Object> answer = list.get(at).run(store);
        if (!answer.equals(expected.get(at))) {
          return Optional.of(
              at
                  + " "
                  + list.get(at)
                  + "\n  must give "
                  + expected.get(at)
                  + "\n  and gave   "
                  + answer);
        }
        store.afterOperation(at, list.get(at));
      }
      store.close();
      return Optional.empty();
    } catch (Exception | AssertionError e) {
      String where = at < list.size() ? at + " " + list.get(at) : "closing";
      return Optional.of(where + " failed: " + e + " at " + List.of(e.getStackTrace()).get(0));
    }
  }
}
