package dev.colonnade.cli.demo;

import com.google.protobuf.ByteString;
import dev.colonnade.v1.Column;
import java.nio.ByteBuffer;
import java.util.List;

/** The same four names under two comparators: numbers in one family, text in the other. */
final class SortedNames implements Scenario {

  private static final String ROW = "names";

  /** As the article lists them before they are sorted. */
  private static final List<Named> UNSORTED =
      List.of(
          new Named(123, "hello there"),
          new Named(832416, "kjjkbcjkcbbd"),
          new Named(3, "101010101010"),
          new Named(976, "kjjkbcjkcbbd"));

  private record Named(long name, String value) {}

  @Override
  public String title() {
    return "Columns are sorted by name, and the family says how";
  }

  @Override
  public List<Check> run(Calls calls) {
    Samples.createIn(calls);
    Promises promises = new Promises(calls.narration());

    calls.narration().say("Under LongType a name is a number of 64 bits:");
    for (Named column : UNSORTED) {
      calls.insert(Samples.AS_NUMBERS, ROW, number(column.name()), column.value());
    }
    List<Column> asNumbers = calls.slice(Samples.AS_NUMBERS, ROW);
    String numbers = Layout.order(NameForm.NUMBER, asNumbers);
    calls.narration().lines(List.of("", numbers, ""));
    promises.check("LongType sorts by number", "3 123 976 832416", numbers);

    calls.narration().say("Under UTF8Type the same names are text:");
    for (Named column : UNSORTED) {
      ByteString name = ByteString.copyFromUtf8(String.valueOf(column.name()));
      calls.insert(Samples.AS_TEXT, ROW, name, column.value());
    }
    List<Column> asText = calls.slice(Samples.AS_TEXT, ROW);
    String text = Layout.order(NameForm.TEXT, asText);
    calls.narration().lines(List.of("", text, ""));
    promises.check("UTF8Type sorts by character", "123 3 832416 976", text);

    promises.check(
        "the values stay with their names",
        "123=hello there, 3=101010101010, 832416=kjjkbcjkcbbd, 976=kjjkbcjkcbbd",
        Layout.pairs(asText));
    return promises.made();
  }

  private static ByteString number(long name) {
    return ByteString.copyFrom(ByteBuffer.allocate(Long.BYTES).putLong(name).flip());
  }
}
