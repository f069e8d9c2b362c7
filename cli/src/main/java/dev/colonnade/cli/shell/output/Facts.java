package dev.colonnade.cli.shell.output;

import java.util.List;

/**
 * A description: of the cluster, a keyspace, a family.
 *
 * @param kind for programs, such as {@code keyspace}
 * @param name of what is described
 * @param heading for people, the first line
 * @param parts what it consists of
 */
public record Facts(String kind, String name, String heading, List<Fact> facts, List<Group> parts) {

  /** Copies the lists. */
  public Facts {
    facts = List.copyOf(facts);
    parts = List.copyOf(parts);
  }

  /**
   * One property.
   *
   * @param name for programs, such as {@code gc_grace}
   * @param label for people
   */
  public record Fact(String name, String label, String value) {}

  /**
   * Parts of one kind.
   *
   * @param name for programs, such as {@code column_families}
   * @param label for people
   */
  public record Group(String name, String label, List<Facts> parts) {
    /** Copies the list. */
    public Group {
      parts = List.copyOf(parts);
    }
  }
}
