package dev.colonnade.it.ycsb;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Properties;

/** The mixes of calls. Those of one letter are YCSB's own. */
enum YcsbWorkload {
  LOAD("load", "inserts every row once", 0, 0, 0, 0, 0, "uniform"),
  A("a", "half reads, half updates", 50, 50, 0, 0, 0, "zipfian"),
  B("b", "95 % reads, 5 % updates", 95, 5, 0, 0, 0, "zipfian"),
  C("c", "reads", 100, 0, 0, 0, 0, "zipfian"),
  D("d", "95 % reads of what was inserted last, 5 % inserts", 95, 0, 5, 0, 0, "latest"),
  E("e", "95 % scans of 1 to 100 rows, 5 % inserts", 0, 0, 5, 95, 0, "zipfian"),
  F("f", "half reads, half reads followed by an update", 50, 0, 0, 0, 50, "zipfian"),
  UPDATE("update", "updates", 0, 100, 0, 0, 0, "zipfian"),
  READ("read", "reads of any row, not of popular ones above all", 100, 0, 0, 0, 0, "uniform"),
  SCAN("scan", "scans of 50 rows", 0, 0, 0, 100, 0, "zipfian");

  private static final int FIELDS = 10;
  private static final int FIELD_BYTES = 100;
  private static final int SCANNED_ROWS = 50;
  private static final int MOST_SCANNED_ROWS = 100;
  private static final double PERCENT = 100;

  private final String title;
  private final String meaning;
  private final int reads;
  private final int updates;
  private final int inserts;
  private final int scans;
  private final int readsThenUpdates;
  private final String distribution;

  /** Shares are percentages. */
  YcsbWorkload(
      String title,
      String meaning,
      int reads,
      int updates,
      int inserts,
      int scans,
      int readsThenUpdates,
      String distribution) {
    this.title = title;
    this.meaning = meaning;
    this.reads = reads;
    this.updates = updates;
    this.inserts = inserts;
    this.scans = scans;
    this.readsThenUpdates = readsThenUpdates;
    this.distribution = distribution;
  }

  /** The name on the command line and in tables. */
  String title() {
    return title;
  }

  /** A line for help. */
  String meaning() {
    return meaning;
  }

  /**
   * Names separated by commas.
   *
   * @throws IllegalArgumentException if one is not known; the message lists those that are
   */
  static List<YcsbWorkload> parse(String titles) {
    return Arrays.stream(titles.split(",", -1)).map(YcsbWorkload::one).toList();
  }

  private static YcsbWorkload one(String title) {
    return Arrays.stream(values())
        .filter(each -> each.title.equals(title.strip().toLowerCase(Locale.ROOT)))
        .findFirst()
        .orElseThrow(
            () ->
                new IllegalArgumentException(
                    "there is no workload "
                        + title
                        + "; there are "
                        + String.join(
                            ", ", Arrays.stream(values()).map(YcsbWorkload::title).toList())));
  }

  /**
   * As YCSB's CoreWorkload takes them: rows of ten fields of 100 bytes, read as a whole and updated
   * in one field.
   */
  Properties properties(int rows) {
    Properties properties = new Properties();
    properties.setProperty("recordcount", Integer.toString(rows));
    // YCSB sizes its choice of keys for the inserts to come, as a share of the operations. Keys not
    // inserted yet are drawn again, so a number far above the rows would cost the client.
    properties.setProperty("operationcount", Integer.toString(rows));
    properties.setProperty("fieldcount", Integer.toString(FIELDS));
    properties.setProperty("fieldlength", Integer.toString(FIELD_BYTES));
    properties.setProperty("readallfields", "true");
    properties.setProperty("writeallfields", "false");
    properties.setProperty("requestdistribution", distribution);
    properties.setProperty("scanlengthdistribution", "uniform");
    properties.setProperty("minscanlength", Integer.toString(this == SCAN ? SCANNED_ROWS : 1));
    properties.setProperty(
        "maxscanlength", Integer.toString(this == SCAN ? SCANNED_ROWS : MOST_SCANNED_ROWS));
    share(properties, "readproportion", reads);
    share(properties, "updateproportion", updates);
    share(properties, "insertproportion", inserts);
    share(properties, "scanproportion", scans);
    share(properties, "readmodifywriteproportion", readsThenUpdates);
    return properties;
  }

  private static void share(Properties properties, String name, int percent) {
    properties.setProperty(name, Double.toString(percent / PERCENT));
  }
}
