package dev.colonnade.cli.shell.run;

import dev.colonnade.cli.shell.statement.Literal;
import dev.colonnade.cli.shell.value.Edge;
import dev.colonnade.cli.shell.value.LiteralException;
import dev.colonnade.cli.shell.value.Shown;
import dev.colonnade.cli.shell.value.ValueType;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * What keys and values are where nobody said: any bytes, shown as text if they are nothing but
 * printable text.
 */
record TextOrBytes(ValueType any) implements ValueType {

  @Override
  public String name() {
    return any.name();
  }

  @Override
  public byte[] bytes(Literal literal, Edge edge) throws LiteralException {
    return any.bytes(literal, edge);
  }

  @Override
  public boolean isValid(byte[] bytes) {
    return true;
  }

  @Override
  public Shown shown(byte[] bytes) {
    String text = text(bytes);
    return text == null ? any.shown(bytes) : new Shown(text, Shown.Form.TEXT);
  }

  private static @Nullable String text(byte[] bytes) {
    try {
      String text = StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes)).toString();
      boolean printable =
          text.codePoints()
              .noneMatch(
                  c -> !Character.isDefined(c) || (Character.isISOControl(c) && !isOfText(c)));
      return printable ? text : null;
    } catch (CharacterCodingException e) {
      // Not text: that is an answer, not a failure.
      return null;
    }
  }

  private static boolean isOfText(int c) {
    return c == '\n' || c == '\r' || c == '\t';
  }
}
