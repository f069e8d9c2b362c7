package dev.colonnade.cli.shell.terminal;

import dev.colonnade.cli.shell.grammar.Vocabulary;
import java.util.List;
import org.jline.reader.Highlighter;
import org.jline.reader.LineReader;
import org.jline.utils.AttributedString;
import org.jline.utils.AttributedStringBuilder;
import org.jline.utils.AttributedStyle;

/** Colours what is typed, a little: the verb, what stands in quotes, bytes and comments. */
final class StatementColours implements Highlighter {

  private static final AttributedStyle VERB = AttributedStyle.DEFAULT.bold();
  private static final AttributedStyle TEXT =
      AttributedStyle.DEFAULT.foreground(AttributedStyle.GREEN);
  private static final AttributedStyle NUMBER =
      AttributedStyle.DEFAULT.foreground(AttributedStyle.CYAN);
  private static final AttributedStyle COMMENT = AttributedStyle.DEFAULT.faint();

  @Override
  public AttributedString highlight(LineReader reader, String buffer) {
    AttributedStringBuilder coloured = new AttributedStringBuilder(buffer.length());
    List<Piece> pieces = Piece.cut(buffer);
    int at = 0;
    boolean first = true;
    for (Piece piece : pieces) {
      coloured.append(buffer, at, piece.start());
      coloured.styled(style(piece, first), piece.text());
      at = piece.end();
      first = piece.is(";") || (first && piece.kind() == Piece.Kind.COMMENT);
    }
    return coloured.append(buffer, at, buffer.length()).toAttributedString();
  }

  private static AttributedStyle style(Piece piece, boolean first) {
    return switch (piece.kind()) {
      case QUOTED, OPEN_QUOTE -> TEXT;
      case COMMENT, OPEN_COMMENT -> COMMENT;
      case WORD -> word(piece, first);
      case SYMBOL -> AttributedStyle.DEFAULT;
    };
  }

  private static AttributedStyle word(Piece piece, boolean first) {
    if (first && Vocabulary.verb(piece.text()).isPresent()) {
      return VERB;
    }
    char begin = piece.text().charAt(0);
    return begin >= '0' && begin <= '9' ? NUMBER : AttributedStyle.DEFAULT;
  }
}
