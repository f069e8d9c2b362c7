package dev.colonnade.server.history;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;

/**
 * Histories of one row "x" from a seed. Of odd seeds each change has a greater timestamp than those
 * that began before.
 */
final class RandomHistories {
  private final Random random;
  private final boolean ordered;
  private final List<String> columns;
  private final History history = new History();
  private final List<History.Write> openWrites = new ArrayList<>();
  private final List<History.Read> openReads = new ArrayList<>();
  private final List<History.Write> applied = new ArrayList<>();
  private final Map<String, Version> held = new TreeMap<>();
  private long timestamp;
  private int values;

  private RandomHistories(long seed, String columns) {
    this.random = new Random(seed);
    this.ordered = isOrdered(seed);
    this.columns = List.of(columns.split(""));
  }

  static boolean isOrdered(long seed) {
    return seed % 2 != 0;
  }

  /** What a row in one place could have shown: nothing is wrong with it. */
  static History good(long seed, int steps, String columns) {
    RandomHistories made = new RandomHistories(seed, columns);
    for (int i = 0; i < steps; i++) {
      made.goodStep();
    }
    return made.history;
  }

  /** Anything: reads see whatever was written lately, whenever. */
  static History any(long seed, int steps, String columns) {
    RandomHistories made = new RandomHistories(seed, columns);
    for (int i = 0; i < steps; i++) {
      made.anyStep();
    }
    return made.history;
  }

  private void goodStep() {
    switch (random.nextInt(4)) {
      case 0 -> begin();
      case 1 -> openReads.add(history.begin("r", "x", Promise.FRESH_AND_WHOLE));
      case 2 -> {
        if (!openWrites.isEmpty()) {
          // Applied in any order, with any timestamps: each column keeps the greatest.
          History.Write write = openWrites.get(random.nextInt(openWrites.size()));
          int fate = random.nextInt(10);
          if (fate == 0) {
            apply(write);
          } else if (fate == 1 && !isApplied(write)) {
            openWrites.remove(write);
            history.end(write, Outcome.REFUSED);
          } else {
            apply(write);
            openWrites.remove(write);
            history.end(write, fate == 2 ? Outcome.UNKNOWN : Outcome.DONE);
          }
        }
      }
      default -> {
        if (!openReads.isEmpty()) {
          end(openReads.remove(random.nextInt(openReads.size())));
        }
      }
    }
  }

  private boolean isApplied(History.Write write) {
    return applied.contains(write);
  }

  private void apply(History.Write write) {
    applied.add(write);
    HistoryCheck.versions(write, columns)
        .forEach((column, version) -> held.merge(column, version, HistoryCheck::newer));
  }

  private void end(History.Read read) {
    if (random.nextInt(5) == 0) {
      long count = held.values().stream().filter(version -> !version.isDeletion()).count();
      history.end(read, Answer.ofRow(), count);
    } else {
      Answer answer = Answer.ofRow();
      held.forEach(
          (column, version) -> {
            if (version.value() != null) {
              answer.saw(column, Seen.version(version.timestamp(), version.value()));
            }
          });
      history.end(read, answer);
    }
  }

  private void anyStep() {
    switch (random.nextInt(4)) {
      case 0 -> begin();
      case 1 -> openReads.add(history.begin("r", "x", Promise.FRESH));
      case 2 -> {
        if (!openWrites.isEmpty()) {
          History.Write write = openWrites.remove(random.nextInt(openWrites.size()));
          Outcome[] outcomes = {Outcome.DONE, Outcome.DONE, Outcome.REFUSED, Outcome.UNKNOWN};
          history.end(write, outcomes[random.nextInt(4)]);
        }
      }
      default -> {
        if (!openReads.isEmpty()) {
          History.Read read = openReads.remove(random.nextInt(openReads.size()));
          Answer answer = Answer.ofRow();
          columns.forEach(column -> sawAny(answer, column));
          history.end(read, answer);
        }
      }
    }
  }

  private void sawAny(Answer answer, String column) {
    List<History.Write> writes = history.writes("x");
    int from = Math.max(0, writes.size() - 4);
    if (writes.isEmpty() || random.nextInt(8) == 0) {
      return;
    }
    History.Write write = writes.get(from + random.nextInt(writes.size() - from));
    String value = write.change.values().get(column);
    if (value != null) {
      answer.saw(column, Seen.version(write.timestamp, value));
    }
  }

  private void begin() {
    timestamp += ordered ? 1 : random.nextInt(3) - (random.nextInt(5) == 0 ? 3 : 0);
    Change change = Change.at(timestamp);
    boolean deletes = random.nextInt(6) == 0;
    if (deletes && random.nextBoolean()) {
      change.removeRow();
    }
    for (String column : columns) {
      if (columns.size() > 1 && random.nextBoolean()) {
        continue;
      }
      if (deletes) {
        change.remove(column);
      } else {
        change.put(column, "v" + values++);
      }
    }
    openWrites.add(history.begin("w", "x", change));
  }
}
