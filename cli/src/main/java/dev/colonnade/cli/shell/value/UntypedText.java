package dev.colonnade.cli.shell.value;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;

/** Tells text from other bytes where nothing says what they are. */
final class UntypedText {

  private UntypedText() {}

  /**
   * The text that the bytes are in UTF-8 if a person can read it, and otherwise the bytes; also of
   * text that looks like bytes, so that what looks like bytes is bytes.
   */
  static Shown show(byte[] bytes) {
    if (mayBeText(bytes)) {
      try {
        String text = StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes)).toString();
        if (isReadable(text) && !text.startsWith(SerializedType.HEX_PREFIX)) {
          return new Shown(text, Shown.Form.TEXT);
        }
      } catch (CharacterCodingException e) {
        // This is how a decoder says that bytes are no text.
        return new Shown(SerializedType.hex(bytes), Shown.Form.HEX);
      }
    }
    return new Shown(SerializedType.hex(bytes), Shown.Form.HEX);
  }

  /** A quick look: numbers have bytes below the blank, as a rule, and need not be decoded. */
  private static boolean mayBeText(byte[] bytes) {
    for (byte b : bytes) {
      if (b >= 0 && b < ' ' && !breaks(b)) {
        return false;
      }
    }
    return true;
  }

  private static boolean breaks(int c) {
    return c == '\n' || c == '\r' || c == '\t';
  }

  /** Whether it has something to be seen, and nothing that cannot be. */
  private static boolean isReadable(String text) {
    boolean visible = false;
    for (int i = 0; i < text.length(); ) {
      int c = text.codePointAt(i);
      i += Character.charCount(c);
      if (breaks(c)) {
        continue;
      }
      switch (Character.getType(c)) {
        case Character.CONTROL,
            Character.LINE_SEPARATOR,
            Character.PARAGRAPH_SEPARATOR,
            Character.PRIVATE_USE,
            Character.SURROGATE,
            Character.UNASSIGNED -> {
          return false;
        }
        case Character.FORMAT -> {
          if (!joins(c)) {
            return false;
          }
        }
        case Character.SPACE_SEPARATOR -> {
          // Seen only between others.
        }
        default -> visible = true;
      }
    }
    return visible;
  }

  /** The two joiners that scripts and emoji are written with. */
  private static boolean joins(int c) {
    return c == 0x200c || c == 0x200d;
  }
}
