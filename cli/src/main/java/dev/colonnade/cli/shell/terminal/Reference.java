package dev.colonnade.cli.shell.terminal;

import java.util.List;

/**
 * How far {@code keyspace.family['key']['name']} has been typed.
 *
 * @param family as written; empty if it is not there yet
 * @param opened how many brackets were opened
 * @param inBrackets whether the last of them is still open
 * @param end how many pieces belong to it
 */
record Reference(String family, int opened, boolean inBrackets, int end) {

  static Reference of(List<Piece> pieces) {
    int at = 0;
    if (pieces.size() > 1 && pieces.get(1).is(".")) {
      at = 2;
    }
    if (at >= pieces.size() || pieces.get(at).kind() == Piece.Kind.SYMBOL) {
      return new Reference("", 0, false, at);
    }
    String family = pieces.get(at).text();
    int opened = 0;
    boolean open = false;
    for (at++; at < pieces.size(); at++) {
      Piece piece = pieces.get(at);
      if (!open && !piece.is("[")) {
        break;
      }
      if (piece.is("[")) {
        opened++;
        open = true;
      } else if (piece.is("]")) {
        open = false;
      }
    }
    return new Reference(family, opened, open, at);
  }

  /** Whether the family stands there. */
  boolean named() {
    return !family.isEmpty();
  }
}
