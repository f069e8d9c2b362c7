package dev.colonnade.server.history;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Histories of one register "x" from a seed. */
final class RandomHistories {
  private final Random random;
  private final RegisterHistory history = new RegisterHistory();
  private final List<RegisterHistory.Write> openWrites = new ArrayList<>();
  private final List<RegisterHistory.Read> openReads = new ArrayList<>();
  private final TreeMap<Version, RegisterHistory.Write> applied = new TreeMap<>();
  private long timestamp;

  private RandomHistories(long seed) {
    random = new Random(seed);
  }

  /** What a single register in one place could have shown: nothing is wrong with it. */
  static RegisterHistory good(long seed, int steps) {
    RandomHistories made = new RandomHistories(seed);
    for (int i = 0; i < steps; i++) {
      made.goodStep();
    }
    return made.history;
  }

  /** Anything: reads see whatever was written, whenever. */
  static RegisterHistory any(long seed, int steps) {
    RandomHistories made = new RandomHistories(seed);
    for (int i = 0; i < steps; i++) {
      made.anyStep();
    }
    return made.history;
  }

  private void goodStep() {
    switch (random.nextInt(4)) {
      case 0 -> begin();
      case 1 -> openReads.add(history.beginRead("x"));
      case 2 -> {
        if (!openWrites.isEmpty()) {
          // Applied in any order, with any timestamps: the register keeps the greatest.
          RegisterHistory.Write write = openWrites.get(random.nextInt(openWrites.size()));
          int fate = random.nextInt(10);
          if (fate == 0) {
            applied.put(write.version(), write);
          } else if (fate == 1 && !applied.containsKey(write.version())) {
            openWrites.remove(write);
            history.endWrite(write, Outcome.REFUSED);
          } else {
            applied.put(write.version(), write);
            openWrites.remove(write);
            history.endWrite(write, fate == 2 ? Outcome.UNKNOWN : Outcome.DONE);
          }
        }
      }
      default -> {
        if (!openReads.isEmpty()) {
          history.endRead(openReads.remove(random.nextInt(openReads.size())), now());
        }
      }
    }
  }

  private @Nullable Version now() {
    return applied.isEmpty() || applied.lastKey().value() == null ? null : applied.lastKey();
  }

  private void anyStep() {
    switch (random.nextInt(4)) {
      case 0 -> begin();
      case 1 -> openReads.add(history.beginRead("x"));
      case 2 -> {
        if (!openWrites.isEmpty()) {
          RegisterHistory.Write write = openWrites.remove(random.nextInt(openWrites.size()));
          Outcome[] outcomes = {Outcome.DONE, Outcome.DONE, Outcome.REFUSED, Outcome.UNKNOWN};
          history.endWrite(write, outcomes[random.nextInt(4)]);
        }
      }
      default -> {
        if (!openReads.isEmpty()) {
          List<RegisterHistory.Write> writes = history.writes("x");
          RegisterHistory.Read read = openReads.remove(random.nextInt(openReads.size()));
          int from = Math.max(0, writes.size() - 4);
          Version seen =
              writes.isEmpty() || random.nextInt(8) == 0
                  ? null
                  : writes.get(from + random.nextInt(writes.size() - from)).version();
          history.endRead(read, seen == null || seen.value() == null ? null : seen);
        }
      }
    }
  }

  private void begin() {
    timestamp += random.nextInt(3) - (random.nextInt(5) == 0 ? 3 : 0);
    boolean deletes = random.nextInt(6) == 0;
    Version version = new Version(timestamp, deletes ? null : "v" + history.writes("x").size());
    openWrites.add(history.beginWrite("x", version));
  }
}
