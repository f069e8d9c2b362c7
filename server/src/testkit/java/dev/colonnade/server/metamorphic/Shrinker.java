package dev.colonnade.server.metamorphic;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;

/**
 * Makes a list that fails smaller for as long as it still fails: without runs of operations, ever
 * shorter ones, then with less to single operations.
 */
final class Shrinker {

  private final Predicate<List<Operation>> fails;
  private int triesLeft;

  private Shrinker(Predicate<List<Operation>> fails, int tries) {
    this.fails = fails;
    this.triesLeft = tries;
  }

  /**
   * The smallest list found within a number of tries.
   *
   * @param failing a list of which {@code fails} is true
   */
  static List<Operation> shrink(
      List<Operation> failing, Predicate<List<Operation>> fails, int tries) {
    Shrinker shrinker = new Shrinker(fails, tries);
    List<Operation> best = failing;
    List<Operation> before;
    do {
      before = best;
      best = shrinker.withFewer(best);
      best = shrinker.withSmaller(best);
    } while (!best.equals(before) && shrinker.triesLeft > 0);
    return best;
  }

  private boolean stillFails(List<Operation> list) {
    return triesLeft-- > 0 && fails.test(list);
  }

  private List<Operation> withFewer(List<Operation> list) {
    List<Operation> best = list;
    for (int length = Math.max(1, list.size() / 2); length > 0; length /= 2) {
      // From the end, since what fails is there.
      for (int from = best.size() - length; from >= 0; from -= length) {
        if (from + length > best.size()) {
          continue;
        }
        List<Operation> fewer = new ArrayList<>(best.subList(0, from));
        fewer.addAll(best.subList(from + length, best.size()));
        if (stillFails(fewer)) {
          best = fewer;
        }
      }
    }
    return best;
  }

  private List<Operation> withSmaller(List<Operation> list) {
    List<Operation> best = new ArrayList<>(list);
    for (int i = 0; i < best.size(); i++) {
      boolean smaller = true;
      while (smaller) {
        smaller = false;
        for (Operation candidate : best.get(i).smaller()) {
          List<Operation> changed = new ArrayList<>(best);
          changed.set(i, candidate);
          if (stillFails(changed)) {
            best = changed;
            smaller = true;
            break;
          }
        }
      }
    }
    return best;
  }
}
