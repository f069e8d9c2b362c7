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

/**
 * Runs walkthroughs on a node, one after the other, each in a keyspace that is new. The keyspaces
 * bear a mark, so that nobody else's is ever dropped. For one thread.
 */
public final class Tour {

  /** The comment of every family that a demo makes. */
  private static final String MARK = "made by colonnade demo, and dropped by it";

  private final Colonnade client;
  private final CallCount calls;
  private final Narration narration;
  private final boolean keeping;

  /**
   * @param calls the listener of that client
   * @param keeping whether the keyspaces stay for looking around; the next tour drops them
   */
  public Tour(Colonnade client, CallCount calls, Narration narration, boolean keeping) {
    this.client = client;
    this.calls = calls;
    this.narration = narration;
    this.keeping = keeping;
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
    for (Walkthrough walkthrough : walkthroughs) {
      narration.headline(walkthrough.title());
      checks.addAll(run(walkthrough));
    }
    sumUp(checks);
    return checks;
  }

  private List<Check> run(Walkthrough walkthrough) {
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
    return guide.checks();
  }

  private void drop(String keyspace) {
    if (!keeping) {
      client.schema().dropKeyspace(keyspace);
    }
  }

  private void sumUp(List<Check> checks) {
    narration.headline("Summary");
    List<Check> differing = checks.stream().filter(check -> !check.holds()).toList();
    if (differing.isEmpty()) {
      narration.say(
          "All %d answers are what the articles promise, from %d calls."
              .formatted(checks.size(), calls.total()));
    } else {
      narration.say(
          "%d of %d answers differ from the articles:".formatted(differing.size(), checks.size()));
      differing.forEach(narration::verdict);
    }
  }

  private Optional<KeyspaceDefinition> existing(String name) {
    return client.schema().keyspaces().stream()
        .filter(keyspace -> keyspace.name().equals(name))
        .findFirst();
  }

  /** One without families has nothing to lose, and may be the rest of a tour that was cut off. */
  private static boolean isOurs(KeyspaceDefinition keyspace) {
    return keyspace.columnFamilies().stream().allMatch(family -> family.comment().equals(MARK));
  }

  private static KeyspaceDefinition marked(KeyspaceDefinition keyspace) {
    KeyspaceDefinition marked = KeyspaceDefinition.named(keyspace.name());
    for (ColumnFamilyDefinition family : keyspace.columnFamilies()) {
      marked = marked.with(family.withComment(MARK));
    }
    return marked;
  }
}
