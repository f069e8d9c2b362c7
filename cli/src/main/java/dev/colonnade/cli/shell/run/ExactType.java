package dev.colonnade.cli.shell.run;

import dev.colonnade.cli.shell.statement.Literal;
import dev.colonnade.cli.shell.statement.Position;
import dev.colonnade.cli.shell.value.Edge;
import dev.colonnade.cli.shell.value.LiteralException;
import dev.colonnade.cli.shell.value.Shown;
import dev.colonnade.cli.shell.value.ValueType;
import java.util.Arrays;
import java.util.HexFormat;

/**
 * A type whose text always gives the same bytes again. What it would show differently is shown as
 * {@code 0x…}: for example a whole number with more bytes than it needs, which as a key is another
 * row than the number itself.
 *
 * @param type shows and reads everything else
 */
record ExactType(ValueType type) implements ValueType {

  private static final Position NOWHERE = new Position(1, 1);

  @Override
  public String name() {
    return type.name();
  }

  @Override
  public byte[] bytes(Literal literal, Edge edge) throws LiteralException {
    return type.bytes(literal, edge);
  }

  @Override
  public boolean isValid(byte[] bytes) {
    return type.isValid(bytes);
  }

  @Override
  public Shown shown(byte[] bytes) {
    Shown shown = type.shown(bytes);
    return shown.form() == Shown.Form.HEX || isReadAs(shown.text(), bytes)
        ? shown
        : new Shown("0x" + HexFormat.of().formatHex(bytes), Shown.Form.HEX);
  }

  private boolean isReadAs(String text, byte[] bytes) {
    try {
      return Arrays.equals(type.bytes(new Literal.Text(NOWHERE, text, true)), bytes);
    } catch (LiteralException e) {
      // It shows a value that cannot be written in this way.
      return false;
    }
  }
}
