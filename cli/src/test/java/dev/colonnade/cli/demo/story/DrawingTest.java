package dev.colonnade.cli.demo.story;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

final class DrawingTest {

  @Test
  void leavesAreOneLine() {
    assertEquals(List.of("243"), Drawing.of(243L));
    assertEquals(List.of("\"FC\""), Drawing.of("FC"));
    assertEquals(List.of("\"FC\""), Drawing.of(Optional.of("FC")));
    assertEquals(List.of("(nothing)"), Drawing.of(Optional.empty()));
    assertEquals(List.of("{}"), Drawing.of(Map.of()));
    assertEquals(List.of("[]"), Drawing.of(List.of()));
  }

  @Test
  void outermostBracesAreOpened() {
    Map<String, Object> friends = new LinkedHashMap<>();
    friends.put("John", Map.of("zip", "94404"));
    friends.put("Kim", Map.of("zip", "87876"));
    assertEquals(
        List.of("{", "  John: {zip: \"94404\"},", "  Kim: {zip: \"87876\"},", "}"),
        Drawing.of(friends));
  }

  @Test
  void whatFitsOnNoLineIsOpened() {
    String text = "x".repeat(50);
    assertEquals(
        List.of("[", "  \"" + text + "\",", "  \"" + text + "\",", "]"),
        Drawing.of(Optional.of(List.of(text, text))));
  }

  @Test
  void namesThatAreNoWordsAndTextThatIsNotPlainAreQuotedAndEscaped() {
    assertEquals(
        List.of("{\"Arin Sarkissian\": \"a \\\"b\\\" \\\\ \\u00fc\\u000a\"}"),
        Drawing.of(Map.of("Arin Sarkissian", "a \"b\" \\ \u00fc\n")));
  }

  @Test
  void longTextIsCut() {
    assertEquals(List.of('"' + "y".repeat(57) + "...\""), Drawing.of("y".repeat(61)));
  }

  @Test
  void longAnswersShowTheirBeginning() {
    List<String> lines =
        Drawing.of(IntStream.range(0, 50).mapToObj(i -> "value number " + i).toList());
    assertEquals(15, lines.size());
    assertEquals("  ... and 38 more", lines.get(13));
  }
}
