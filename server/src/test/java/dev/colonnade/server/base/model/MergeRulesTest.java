package dev.colonnade.server.base.model;

import static org.junit.jupiter.api.Assertions.assertSame;

import dev.colonnade.server.cases.TextCases;
import dev.colonnade.server.cases.TextCases.Case;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Which version of a cell stands: the cases of {@code testdata/merge-rules.txt}. */
final class MergeRulesTest {

  private static final PathOrder ORDER = new PathOrder(ColumnComparators.UTF8, null);
  private static final byte[] NAME = bytes("n");

  @Test
  void versionsStandAsTheCasesSay() throws IOException {
    TextCases.check("merge-rules.txt", MergeRulesTest::stands);
  }

  /** The version that stands, whatever the order in which they are merged. */
  private static List<String> stands(Case one) {
    List<Cell> versions = one.input().stream().map(MergeRulesTest::cell).toList();
    Cell first = versions.stream().reduce(Reconcile::pick).orElseThrow();
    Cell last = versions.stream().reduce((a, b) -> Reconcile.pick(b, a)).orElseThrow();
    assertSame(first, last, "line " + one.line());
    return List.of(one.input().get(versions.indexOf(first)));
  }

  /**
   * {@code @timestamp live VALUE}, {@code @timestamp expires AT VALUE}, {@code @timestamp expired
   * AT}, whose value a merge dropped, or {@code @timestamp deleted AT}.
   */
  private static Cell cell(String line) {
    String[] words = line.split(" ", -1);
    long timestamp = Long.parseLong(words[0].substring(1));
    return switch (words[1]) {
      case "live" -> Cell.live(NAME, null, bytes(words[2]), timestamp);
      case "expires" -> expiring(words[3], timestamp, words[2]);
      case "expired" -> ORDER.withoutValue(expiring("dropped", timestamp, words[2]));
      case "deleted" ->
          Cell.deleted(NAME, null, new DeletionTime(timestamp, Long.parseLong(words[2])));
      default -> throw new IllegalArgumentException(line);
    };
  }

  private static Cell expiring(String value, long timestamp, String at) {
    return Cell.expiring(NAME, null, bytes(value), timestamp, 60, Long.parseLong(at));
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }
}
