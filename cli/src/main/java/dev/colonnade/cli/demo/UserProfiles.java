package dev.colonnade.cli.demo;

import dev.colonnade.v1.Column;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Rows as objects: no two need to have the same columns. */
final class UserProfiles implements Scenario {

  private static final int MANY = 1989;

  @Override
  public String title() {
    return "UserProfile: rows without a list of columns";
  }

  @Override
  public List<Check> run(Calls calls) {
    Samples.createIn(calls);
    Promises promises = new Promises(calls.narration());

    calls.write(
        List.of(
            Write.columns(
                Samples.USER_PROFILE,
                "phatduckk",
                "username",
                "phatduckk",
                "email",
                "phatduckk@example.com",
                "phone",
                "(900) 976-6666"),
            Write.columns(
                Samples.USER_PROFILE,
                "ieure",
                "username",
                "ieure",
                "email",
                "ieure@example.com",
                "phone",
                "(888) 555-1212",
                "age",
                "66",
                "gender",
                "undecided")));
    Map<String, List<Column>> users =
        calls.multiget(Samples.USER_PROFILE, List.of("phatduckk", "ieure", "nobody"));

    promises.check(
        "phatduckk has three columns",
        "email=phatduckk@example.com, phone=(900) 976-6666, username=phatduckk",
        Layout.pairs(users.getOrDefault("phatduckk", List.of())));
    promises.check(
        "ieure has two more, age and gender",
        "age=66, email=ieure@example.com, gender=undecided, phone=(888) 555-1212, username=ieure",
        Layout.pairs(users.getOrDefault("ieure", List.of())));
    promises.check(
        "a row that nobody wrote is empty, and no error",
        "",
        Layout.pairs(users.getOrDefault("nobody", List.of())));

    calls.narration().say("One row may have " + MANY + " columns and its neighbour two:");
    calls.write(
        List.of(
            Write.columns(Samples.USER_PROFILE, "wide", manyColumns()),
            Write.columns(Samples.USER_PROFILE, "narrow", "foo", "1", "bar", "2")));
    promises.check(
        "each row has the columns that were written to it",
        "wide=" + MANY + " narrow=2",
        calls.counts(Samples.USER_PROFILE, List.of("wide", "narrow")));
    return promises.made();
  }

  private static String[] manyColumns() {
    List<String> namesAndValues = new ArrayList<>();
    for (int i = 1; i <= MANY; i++) {
      namesAndValues.add("column-" + i);
      namesAndValues.add(String.valueOf(i));
    }
    return namesAndValues.toArray(new String[0]);
  }
}
