package dev.colonnade.it.reliability;

import java.util.List;

/** The table of what {@link Hunt} found, as Markdown. */
final class HuntTable {

  private HuntTable() {}

  static void write(StringBuilder text, List<Hunt.Result> results) {
    ReliabilityPage.row(text, "how", "classes", "runs", "tests run", "failed", "seconds", "commit");
    ReliabilityPage.row(text, "---", "---", "---", "---", "---", "---", "---");
    for (Hunt.Result result : results) {
      ReliabilityPage.row(
          text,
          result.inWords(),
          result.classes(),
          Integer.toString(result.runs()),
          Long.toString(result.tests()),
          Integer.toString(result.failed().stream().mapToInt(Hunt.Failed::times).sum()),
          Long.toString(result.seconds()),
          result.commit());
    }
    if (results.stream().anyMatch(result -> !result.failed().isEmpty())) {
      text.append('\n');
    }
    for (Hunt.Result result : results) {
      for (Hunt.Failed failed : result.failed()) {
        text.append("* `")
            .append(failed.test())
            .append("` failed ")
            .append(failed.times())
            .append(" times in ")
            .append(result.runs())
            .append(" runs ")
            .append(result.inWords())
            .append(": ")
            .append(failed.first())
            .append('\n');
      }
    }
  }
}
