package dev.colonnade.cli.shell.terminal;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The keys that were typed last in this session, by family; a few of each. Thread-confined. */
final class RecentKeys {

  private static final int MAX_FAMILIES = 64;
  private static final int MAX_KEYS = 20;

  /** A longer key is not worth a line in a list. */
  private static final int MAX_KEY_LENGTH = 60;

  private final Map<String, Deque<String>> keys =
      new LinkedHashMap<>() {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<String, Deque<String>> eldest) {
          return size() > MAX_FAMILIES;
        }
      };

  /** Notes the keys in a text that was typed: what stands in quotes in first brackets. */
  void note(String typed) {
    List<Piece> pieces = Piece.cut(typed);
    for (int i = 0; i + 2 < pieces.size(); i++) {
      Piece key = pieces.get(i + 2);
      if (pieces.get(i).isWord()
          && pieces.get(i + 1).is("[")
          && key.kind() == Piece.Kind.QUOTED
          && key.text().length() <= MAX_KEY_LENGTH
          && key.text().indexOf('\\') < 0) {
        note(pieces.get(i).text(), key.text().substring(1, key.text().length() - 1));
      }
    }
  }

  /** The last one first. */
  List<String> of(String family) {
    return List.copyOf(keys.getOrDefault(family, new ArrayDeque<>()));
  }

  private void note(String family, String key) {
    Deque<String> known = keys.computeIfAbsent(family, name -> new ArrayDeque<>());
    known.remove(key);
    known.addFirst(key);
    if (known.size() > MAX_KEYS) {
      known.removeLast();
    }
  }
}
