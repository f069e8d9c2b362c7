package dev.colonnade.cli.shell.statement;

import java.util.List;
import java.util.Optional;

/**
 * {@code keyspace.family['key']['name']['name']}.
 *
 * @param keyspace empty for the keyspace in use
 * @param key empty where the statement means the whole family
 * @param names none, one or two: within a Standard family a column, within a Super family a super
 *     column and perhaps one of its columns
 */
public record Path(
    Position position,
    Optional<String> keyspace,
    String family,
    Optional<Literal> key,
    List<Literal> names) {

  /** Copies the list. */
  public Path {
    names = List.copyOf(names);
  }
}
