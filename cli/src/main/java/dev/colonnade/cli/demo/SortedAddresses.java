package dev.colonnade.cli.demo;

import com.google.protobuf.ByteString;
import dev.colonnade.v1.SuperColumn;
import java.util.List;

/** Super columns are sorted like columns, and the columns inside them by an order of their own. */
final class SortedAddresses implements Scenario {

  private static final String ROW = "arin";

  @Override
  public String title() {
    return "Super columns are sorted too, outside and inside";
  }

  @Override
  public List<Check> run(Calls calls) {
    Samples.createIn(calls);
    Promises promises = new Promises(calls.narration());

    calls.narration().say("Work is written before home, the street before the city:");
    calls.write(List.of(address("workAddress"), address("homeAddress")));
    List<SuperColumn> found = calls.superColumns(Samples.ADDRESSES, ROW);

    promises.check(
        "homeAddress comes before workAddress",
        "homeAddress workAddress",
        String.join(" ", found.stream().map(address -> Layout.text(address.getName())).toList()));
    for (SuperColumn address : found) {
      promises.check(
          "inside " + Layout.text(address.getName()) + " the columns are sorted",
          "city=san francisco, street=1234 x street, zip=94107",
          Layout.pairs(address.getColumnsList()));
    }
    return promises.made();
  }

  private static Write address(String name) {
    return Write.superColumn(
        Samples.ADDRESSES,
        ROW,
        ByteString.copyFromUtf8(name),
        "street",
        "1234 x street",
        "city",
        "san francisco",
        "zip",
        "94107");
  }
}
