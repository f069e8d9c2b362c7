package dev.colonnade.cli.shell.value;

import dev.colonnade.cli.shell.statement.Literal;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.function.Supplier;

/** The types that the shell knows. Immutable; thread-safe if the sources of UUIDs are. */
public final class ValueTypes {

  /** The package of the original's classes. */
  private static final String OLD_PACKAGE = "org.apache.cassandra.db.marshal.";

  private final Supplier<UUID> timeUuids;
  private final Supplier<UUID> randomUuids;
  private final Map<String, SerializedType<?>> types;
  private final SerializedType<?> untyped;

  /**
   * @param timeUuids what {@code timeuuid()} is, as {@code new TimeUuids()::now}
   * @param randomUuids what {@code lexicaluuid()} is, as {@code UUID::randomUUID}
   */
  public ValueTypes(Supplier<UUID> timeUuids, Supplier<UUID> randomUuids) {
    this.timeUuids = timeUuids;
    this.randomUuids = randomUuids;
    this.types = TypeTable.types(this::call);
    this.untyped = TypeTable.untyped(this::call);
  }

  /**
   * Bytes of which nothing says what they are: shown as text if they are text that a person can
   * read, and otherwise as {@code 0x…}.
   */
  public ValueType untyped() {
    return untyped;
  }

  /**
   * The type of a comparator. BytesType says nothing about what the bytes are, nor does that of a
   * plug-in, which the shell cannot know: both are {@link #untyped}, the latter under its name.
   *
   * @param name as a schema has it, also with the package of the original
   */
  public ValueType of(String name) {
    return known(name)
        .filter(type -> !type.name().equals(untyped.name()))
        .orElseGet(() -> known(name).isPresent() ? untyped : untyped.named(name));
  }

  /** The type of that name, in any case, if the shell knows it. */
  public Optional<ValueType> known(String name) {
    String shortName = name.startsWith(OLD_PACKAGE) ? name.substring(OLD_PACKAGE.length()) : name;
    return Optional.ofNullable(types.get(shortName.toLowerCase(Locale.ROOT)));
  }

  /** All names that are known, in lower case. */
  public List<String> names() {
    return List.copyOf(types.keySet());
  }

  private byte[] call(Literal.Typed call, Edge edge) throws LiteralException {
    String function = call.function().toLowerCase(Locale.ROOT);
    ValueType type =
        known(function)
            .orElseThrow(
                () ->
                    new LiteralException(
                        call.position(), "there is no function " + call.function()));
    if (call.argument().isPresent()) {
      Literal argument = call.argument().get();
      return function.equals("bytes") ? hexadecimal(argument) : type.bytes(argument, edge);
    }
    return switch (function) {
      case "timeuuid" -> type.bytes(uuid(call, timeUuids.get()));
      case "lexicaluuid" -> type.bytes(uuid(call, randomUuids.get()));
      default ->
          throw new LiteralException(
              call.position(), function + "() needs a value, as in " + function + "('…')");
    };
  }

  /** The one function whose text is not read as its type reads text, which would be as it is. */
  private static byte[] hexadecimal(Literal argument) throws LiteralException {
    String digits = "-";
    if (argument instanceof Literal.Text text) {
      digits = text.text();
    } else if (argument instanceof Literal.Numeral numeral) {
      digits = numeral.digits();
    } else if (argument instanceof Literal.Hex hex) {
      digits = hex.digits();
    }
    try {
      return HexFormat.of().parseHex(digits);
    } catch (IllegalArgumentException e) {
      LiteralException failure =
          new LiteralException(
              argument.position(),
              "bytes('…') needs hexadecimal digits, two for each byte; for text: utf8('…')");
      failure.initCause(e);
      throw failure;
    }
  }

  private static Literal uuid(Literal.Typed call, UUID uuid) {
    return new Literal.Text(call.position(), uuid.toString(), true);
  }
}
