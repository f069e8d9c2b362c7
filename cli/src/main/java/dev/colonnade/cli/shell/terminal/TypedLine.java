package dev.colonnade.cli.shell.terminal;

import java.util.ArrayList;
import java.util.List;
import org.jline.reader.CompletingParsedLine;

/**
 * A line as far as it is typed: what JLine completes is the word or the open quote that ends at the
 * cursor, or nothing.
 *
 * @param line all of it, perhaps of several lines
 * @param cursor an index in it
 */
record TypedLine(String line, int cursor) implements CompletingParsedLine {

  /** The pieces of the statement before the word at the cursor. */
  List<Piece> before() {
    List<Piece> pieces = new ArrayList<>(Piece.ofLastStatement(line.substring(0, cursor)));
    if (!pieces.isEmpty() && atCursor(pieces.get(pieces.size() - 1))) {
      pieces.remove(pieces.size() - 1);
    }
    return pieces;
  }

  /** Whether the cursor stands where nothing can be suggested. */
  boolean inComment() {
    List<Piece> pieces = Piece.cut(line.substring(0, cursor));
    if (pieces.isEmpty()) {
      return false;
    }
    Piece last = pieces.get(pieces.size() - 1);
    return last.kind() == Piece.Kind.OPEN_COMMENT;
  }

  @Override
  public String word() {
    List<Piece> pieces = Piece.cut(line.substring(0, cursor));
    if (pieces.isEmpty() || !atCursor(pieces.get(pieces.size() - 1))) {
      return "";
    }
    return pieces.get(pieces.size() - 1).text();
  }

  @Override
  public int wordCursor() {
    return word().length();
  }

  @Override
  public int wordIndex() {
    return before().size();
  }

  @Override
  public List<String> words() {
    List<String> words = new ArrayList<>();
    before().forEach(piece -> words.add(piece.text()));
    words.add(word());
    return words;
  }

  @Override
  public CharSequence escape(CharSequence candidate, boolean complete) {
    return candidate;
  }

  @Override
  public int rawWordCursor() {
    return wordCursor();
  }

  @Override
  public int rawWordLength() {
    return wordCursor();
  }

  private boolean atCursor(Piece piece) {
    return piece.end() == cursor && (piece.isWord() || piece.kind() == Piece.Kind.OPEN_QUOTE);
  }
}
