package dev.colonnade.cli.demo;

import dev.colonnade.cli.demo.story.CallCount;
import dev.colonnade.cli.demo.story.Check;
import dev.colonnade.cli.demo.story.Guide;
import dev.colonnade.cli.demo.story.Narration;
import dev.colonnade.cli.demo.story.Walkthrough;
import dev.colonnade.client.Colonnade;
import dev.colonnade.client.ColonnadeException;
import dev.colonnade.client.ColumnFamilyDefinition;
import dev.colonnade.client.KeyspaceDefinition;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Runs walkthroughs on a node, one after the other, each in a keyspace that is new. The keyspaces
 * are marked, so that no other keyspace is ever dropped. For one thread.
 */
public final class Tour {

  /** The comment of every family that a demo makes. */
  private static final String MARK = "made by colonnade demo, and dropped by it";

  private final Colonnade client;
  private final CallCount calls;
  private final Narration narration;
  private final Stage stage;

  /**
   * Where a tour takes place.
   *
   * @param replicas how many nodes have each row
   * @param keeping whether the keyspaces stay for looking around; the next tour drops them
   * @param outage how the tour ends, if a node may be killed for it; the remaining nodes keep what
   *     the tour made
   */
  public record Stage(int replicas, boolean keeping, Optional<Outage> outage) {

    /** A single node, where every walkthrough drops its keyspace at its end. */
    public static final Stage SINGLE = new Stage(1, false, Optional.empty());
  }

  /**
   * @param calls the listener of that client
   */
  public Tour(Colonnade client, CallCount calls, Narration narration, Stage stage) {
    this.client = client;
    this.calls = calls;
    this.narration = narration;
    this.stage = stage;
  }

  /**
   * Runs walkthroughs and sums up.
   *
   * @return all checks; the tour has succeeded when each holds
   * @throws KeyspaceInUseException before anything is changed
   * @throws ColonnadeException when a call fails; the walkthroughs after it were not run
   */
  public List<Check> run(List<Walkthrough> walkthroughs) throws KeyspaceInUseException {
    for (Walkthrough walkthrough : walkthroughs) {
      String keyspace = walkthrough.keyspace().name();
      if (existing(keyspace).filter(found -> !isOurs(found)).isPresent()) {
        throw new KeyspaceInUseException(keyspace);
      }
    }
    List<Check> checks = new ArrayList<>();
    RerunAfterFailure encore = new RerunAfterFailure(narration);
    for (Walkthrough walkthrough : walkthroughs) {
      narration.headline(walkthrough.title());
      Guide guide = run(walkthrough);
      if (guide.checks().stream().allMatch(Check::holds)) {
        narration.summary(guide.checks().size(), walkthrough.title());
      }
      checks.addAll(guide.checks());
      encore.add(walkthrough.name(), guide.questions());
    }
    List<Check> afterwards = stage.outage().map(encore::run).orElse(List.of());
    sumUp(checks, afterwards);
    checks.addAll(afterwards);
    return checks;
  }

  private Guide run(Walkthrough walkthrough) {
    KeyspaceDefinition keyspace = walkthrough.keyspace();
    if (existing(keyspace.name()).isPresent()) {
      client.schema().dropKeyspace(keyspace.name());
    }
    client.schema().create(marked(keyspace));
    Guide guide = new Guide(client, calls, narration);
    try {
      walkthrough.run(guide);
    } catch (RuntimeException e) {
      try {
        drop(keyspace.name());
      } catch (ColonnadeException also) {
        e.addSuppressed(also);
      }
      throw e;
    }
    drop(keyspace.name());
    return guide;
  }

  private void drop(String keyspace) {
    if (!stage.keeping() && stage.outage().isEmpty()) {
      client.schema().dropKeyspace(keyspace);
    }
  }

  private void sumUp(List<Check> checks, List<Check> afterwards) {
    narration.headline("Summary");
    List<Check> differing =
        Stream.concat(checks.stream(), afterwards.stream())
            .filter(check -> !check.holds())
            .toList();
    if (differing.isEmpty()) {
      narration.sayAlways(
          "All %d answers are what the articles promise, from %d calls."
              .formatted(checks.size(), calls.total()));
      if (!afterwards.isEmpty()) {
        narration.sayAlways("With one of the nodes dead they are the same.");
      }
    } else {
      narration.sayAlways(
          "%d of %d checks failed:".formatted(differing.size(), checks.size() + afterwards.size()));
      differing.forEach(narration::verdict);
    }
  }

  private Optional<KeyspaceDefinition> existing(String name) {
    return client.schema().keyspaces().stream()
        .filter(keyspace -> keyspace.name().equals(name))
        .findFirst();
  }

  /** A keyspace without families holds no data, and may be left over from an interrupted tour. */
  private static boolean isOurs(KeyspaceDefinition keyspace) {
    return keyspace.columnFamilies().stream().allMatch(family -> family.comment().equals(MARK));
  }

  private KeyspaceDefinition marked(KeyspaceDefinition keyspace) {
    KeyspaceDefinition marked =
        KeyspaceDefinition.named(keyspace.name()).withReplicationFactor(stage.replicas());
    for (ColumnFamilyDefinition family : keyspace.columnFamilies()) {
      marked = marked.with(family.withComment(MARK));
    }
    return marked;
  }
}
