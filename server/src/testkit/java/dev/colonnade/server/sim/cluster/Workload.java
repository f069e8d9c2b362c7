package dev.colonnade.server.sim.cluster;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** What happens in a run while clients read and write and things go wrong. */
public enum Workload {
  /** Always the same nodes. */
  DATA,
  /** Nodes join, leave, move, die for good and are replaced. */
  MEMBERSHIP,
  /** The schema is changed at all nodes at once. */
  SCHEMA;

  /** Runs a seed. */
  public RunReport run(long seed, DataRun.Settings settings) {
    return switch (this) {
      case DATA -> DataRun.of(seed, settings);
      case MEMBERSHIP -> MembershipRun.of(seed, settings);
      case SCHEMA -> SchemaRun.of(seed, settings);
    };
  }

  /** Whether something got done in a run. */
  boolean madeProgress(RunReport report) {
    return this == SCHEMA
        // Of changes at random many are of what is not there.
        ? report.acknowledged() >= 5 && report.answered() > 0
        : report.madeProgress();
  }

  /** What must be seen in at least one of a hundred runs. */
  List<String> sometimes() {
    if (this == SCHEMA) {
      return List.of(
          "message lost",
          "message cut off",
          "message doubled",
          "connection refused",
          "schema fetched",
          "change unknown or refused",
          "family set aside",
          "changed by two at once");
    }
    List<String> all =
        new ArrayList<>(
            List.of(
                "message lost",
                "message cut off",
                "message doubled",
                "connection refused",
                "hint delivered",
                "digest mismatch",
                "stale replica mended",
                "schema fetched",
                "rows streamed",
                "torn tail",
                "write unknown or refused"));
    all.addAll(SetUp.SOMETIMES);
    all.addAll(Manners.SOMETIMES);
    if (this == DATA) {
      all.addAll(
          List.of(
              "node started again",
              "replicas repaired",
              "replicas repaired by one",
              "family truncated",
              "two keyspaces",
              "hints waited for minutes",
              "equal by hints alone"));
    } else {
      all.addAll(RingDrill.SOMETIMES);
      for (RingDrill.Kind kind : RingDrill.Kind.values()) {
        all.add("done: " + kind.word());
      }
    }
    return all;
  }

  /** As in commands. */
  public String word() {
    return name().toLowerCase(Locale.ROOT);
  }

  /** The one of that name. */
  public static Workload of(String word) {
    return valueOf(word.toUpperCase(Locale.ROOT));
  }
}
