package dev.colonnade.server.history;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Whether operations on one object can have taken effect one after another, each at some moment
 * between its beginning and its end. This is the search of Wing and Gong with the memory of Lowe:
 * what was made of the same operations, in whatever order, is looked at once for each state that it
 * leads to. An operation without an end may have taken effect at any time, or never.
 *
 * <p>It takes time without a bound where much overlaps, and then gives up. Callers split what they
 * can by object first.
 *
 * @param <S> states, which compare by their values
 */
public final class Linearizability<S> {

  /** What a search found. */
  public enum Result {
    /** There is an order. */
    POSSIBLE,
    /** There is none. */
    IMPOSSIBLE,
    /** The search had no steps left. */
    UNDECIDED
  }

  /**
   * Something that takes effect at one moment.
   *
   * @param <S> states of the object
   */
  public interface Operation<S> {
    /** When it was asked for. */
    long begin();

    /** When it was answered; the greatest number if it never was. */
    long end();

    /** Whether its answer can be the one of this state. */
    boolean isPossible(S state);

    /** What it makes of a state. */
    S applied(S state);
  }

  /** A beginning or an end, in a list that loses those that are dealt with. */
  private static final class Event<S> {
    final int operation;
    final @Nullable Operation<S> begun;
    @Nullable Event<S> end;
    @Nullable Event<S> before;
    @Nullable Event<S> after;

    Event(int operation, @Nullable Operation<S> begun) {
      this.operation = operation;
      this.begun = begun;
    }

    void unlink() {
      if (before != null) {
        before.after = after;
      }
      if (after != null) {
        after.before = before;
      }
    }

    void link() {
      if (before != null) {
        before.after = this;
      }
      if (after != null) {
        after.before = this;
      }
    }
  }

  private record Reached<S>(int first, BitSet rest, S state) {}

  private record Step<S>(Event<S> event, S before) {}

  private record Moment<S>(long at, Event<S> event) {}

  private final Event<S> head = new Event<>(-1, null);
  private final Deque<Step<S>> steps = new ArrayDeque<>();
  private final Set<Reached<S>> reached = new HashSet<>();
  private final BitSet done = new BitSet();
  private S state;
  private int open;

  private Linearizability(List<? extends Operation<S>> operations, S initial) {
    this.state = initial;
    List<Moment<S>> moments = new ArrayList<>();
    List<Operation<S>> sorted = new ArrayList<>(operations);
    sorted.sort(Comparator.comparingLong(Operation::begin));
    for (int i = 0; i < sorted.size(); i++) {
      Operation<S> operation = sorted.get(i);
      Event<S> begin = new Event<>(i, operation);
      moments.add(new Moment<>(operation.begin(), begin));
      if (operation.end() != Long.MAX_VALUE) {
        Event<S> end = new Event<>(i, null);
        begin.end = end;
        moments.add(new Moment<>(operation.end(), end));
        open++;
      }
    }
    moments.sort(Comparator.comparingLong(Moment::at));
    Event<S> last = head;
    for (Moment<S> moment : moments) {
      last.after = moment.event();
      moment.event().before = last;
      last = moment.event();
    }
  }

  /** Looks for an order, in at most so many steps. */
  public static <S> Result of(List<? extends Operation<S>> operations, S initial, long mostSteps) {
    return new Linearizability<>(operations, initial).search(mostSteps);
  }

  private Result search(long mostSteps) {
    Event<S> next = head.after;
    for (long taken = 0; open > 0; taken++) {
      if (taken >= mostSteps) {
        return Result.UNDECIDED;
      }
      if (next == null) {
        throw new IllegalStateException("an end is missing");
      }
      if (next.begun != null) {
        next = take(next, next.begun) ? head.after : next.after;
      } else {
        Step<S> last = steps.poll();
        if (last == null) {
          return Result.IMPOSSIBLE;
        }
        next = undo(last).after;
      }
    }
    return Result.POSSIBLE;
  }

  private boolean take(Event<S> event, Operation<S> operation) {
    if (!operation.isPossible(state)) {
      return false;
    }
    S after = operation.applied(state);
    done.set(event.operation);
    int first = done.nextClearBit(0);
    if (!reached.add(new Reached<>(first, done.get(first, done.length()), after))) {
      done.clear(event.operation);
      return false;
    }
    steps.push(new Step<>(event, state));
    state = after;
    event.unlink();
    if (event.end != null) {
      event.end.unlink();
      open--;
    }
    return true;
  }

  private Event<S> undo(Step<S> step) {
    Event<S> event = step.event();
    done.clear(event.operation);
    state = step.before();
    if (event.end != null) {
      event.end.link();
      open++;
    }
    event.link();
    return event;
  }
}
