package dev.colonnade.cli.shell.run;

import dev.colonnade.cli.shell.grammar.Vocabulary;
import dev.colonnade.cli.shell.run.Assumptions.Part;
import dev.colonnade.cli.shell.statement.Path;
import dev.colonnade.cli.shell.value.ValueType;
import dev.colonnade.cli.shell.value.ValueTypes;
import dev.colonnade.client.ColumnFamilyDefinition;
import dev.colonnade.client.KeyspaceDefinition;
import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

/** Finds the family that a path means, and the types of what is in it. */
final class Families {

  private static final String ANY_BYTES = "BytesType";

  private final Session session;

  Families(Session session) {
    this.session = session;
  }

  /** The keyspace that is meant, which need not exist. */
  String keyspace(Optional<String> named) throws StatementFailure {
    Optional<String> keyspace = named.or(session::keyspaceInUse);
    return keyspace.orElseThrow(
        () ->
            StatementFailure.of(
                ExitStatus.STATEMENT_FAILED,
                "NO_KEYSPACE",
                "no keyspace is in use: enter `use KEYSPACE;` first, or write KEYSPACE.FAMILY",
                null));
  }

  /** The definition of a keyspace. */
  KeyspaceDefinition keyspaceDefinition(String name) throws StatementFailure {
    Optional<KeyspaceDefinition> found = session.schema().keyspace(name);
    return found.orElseThrow(
        () ->
            missing(
                "KEYSPACE_NOT_FOUND",
                "there is no keyspace " + name,
                session.schema().refresh().stream()
                    .map(KeyspaceDefinition::name)
                    .collect(Collectors.joining(", "))));
  }

  /** The definition of a family. */
  ColumnFamilyDefinition definition(String keyspace, String name) throws StatementFailure {
    Optional<ColumnFamilyDefinition> found = session.schema().family(keyspace, name);
    if (found.isPresent()) {
      return found.get();
    }
    throw missing(
        "COLUMN_FAMILY_NOT_FOUND",
        "keyspace " + keyspace + " has no column family " + name,
        keyspaceDefinition(keyspace).columnFamilies().stream()
            .map(ColumnFamilyDefinition::name)
            .collect(Collectors.joining(", ")));
  }

  /** The family of a path, with what is assumed about it. */
  Family of(Path path) throws StatementFailure {
    String keyspace = keyspace(path.keyspace());
    ColumnFamilyDefinition definition = definition(keyspace, path.family());
    Optional<String> nothing = Optional.empty();
    return new Family(
        keyspace,
        path.family(),
        definition.isSuper(),
        type(keyspace, path.family(), Part.KEYS, nothing, definition.keyType()),
        type(
            keyspace,
            path.family(),
            Part.COMPARATOR,
            Optional.of(definition.compareWith()),
            nothing),
        type(
            keyspace,
            path.family(),
            Part.SUB_COMPARATOR,
            definition.compareSubcolumnsWith(),
            nothing),
        type(keyspace, path.family(), Part.VALIDATOR, nothing, definition.valueType()),
        columnValues(keyspace, definition));
  }

  /** The types of single columns, unless the session assumes one type for all values. */
  private Map<ByteBuffer, ValueType> columnValues(
      String keyspace, ColumnFamilyDefinition definition) {
    Map<ByteBuffer, ValueType> types = new HashMap<>();
    if (session.assumptions().type(keyspace, definition.name(), Part.VALIDATOR, true).isEmpty()) {
      definition.columnValueTypes().forEach((name, type) -> types.put(name, forPeople(type)));
    }
    return types;
  }

  /** A type that a definition names for people; one that the shell does not know says nothing. */
  private ValueType forPeople(String name) {
    ValueType untyped = session.types().untyped();
    return session
        .types()
        .known(name)
        .<ValueType>map(type -> new AssumedType(type, untyped))
        .orElse(untyped);
  }

  /** The type of keys of which only the keyspace is known. */
  ValueType keys(String keyspace) {
    return type(keyspace, "", Part.KEYS, Optional.empty(), Optional.empty());
  }

  /** The type of that name. */
  ValueType named(String name) throws StatementFailure {
    return named(session.types(), name);
  }

  static ValueType named(ValueTypes types, String name) throws StatementFailure {
    return types
        .known(name)
        .orElseThrow(
            () ->
                StatementFailure.refused(
                    "there is no type "
                        + name
                        + "; there are "
                        + String.join(", ", Vocabulary.TYPES)));
  }

  /**
   * The type of a part of a family; untyped if neither the session nor the definition says more.
   *
   * @param comparator of the definition, if the part has one
   * @param forPeople the type that the definition gives for people, if any
   */
  private ValueType type(
      String keyspace,
      String family,
      Part part,
      Optional<String> comparator,
      Optional<String> forPeople) {
    ValueType declared = session.types().of(comparator.orElse(ANY_BYTES));
    boolean says =
        forPeople.isPresent() || comparator.filter(name -> !name.equals(ANY_BYTES)).isPresent();
    Optional<ValueType> assumed = session.assumptions().type(keyspace, family, part, says);
    ValueType type =
        assumed
            .<ValueType>map(said -> new AssumedType(said, declared))
            .or(() -> forPeople.map(this::forPeople))
            .orElse(declared);
    // What is shown of a key or a name is typed to find it again, and must not mean another one.
    return part == Part.VALIDATOR ? type : new ExactType(type);
  }

  private static StatementFailure missing(String reason, String what, String there) {
    return StatementFailure.of(
        ExitStatus.STATEMENT_FAILED,
        reason,
        what + (there.isEmpty() ? "" : "; there is " + there) + ". Case matters in names",
        null);
  }
}
