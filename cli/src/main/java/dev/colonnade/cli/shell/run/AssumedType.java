package dev.colonnade.cli.shell.run;

import dev.colonnade.cli.shell.statement.Literal;
import dev.colonnade.cli.shell.value.Edge;
import dev.colonnade.cli.shell.value.LiteralException;
import dev.colonnade.cli.shell.value.Shown;
import dev.colonnade.cli.shell.value.ValueType;

/**
 * A type that the session assumes: it helps with reading and writing, and forbids nothing. A
 * statement that writes bytes or names a type is taken literally.
 *
 * @param assumed how bytes are shown, and text and numbers are read
 * @param declared what the family itself takes
 */
record AssumedType(ValueType assumed, ValueType declared) implements ValueType {

  @Override
  public String name() {
    return assumed.name();
  }

  @Override
  public byte[] bytes(Literal literal, Edge edge) throws LiteralException {
    boolean says = literal instanceof Literal.Hex || literal instanceof Literal.Typed;
    return (says ? declared : assumed).bytes(literal, edge);
  }

  @Override
  public boolean isValid(byte[] bytes) {
    return declared.isValid(bytes);
  }

  @Override
  public Shown shown(byte[] bytes) {
    return assumed.shown(bytes);
  }
}
