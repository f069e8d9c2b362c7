package dev.colonnade.cli.demo.story;

import dev.colonnade.client.CallEvent;
import dev.colonnade.client.CallListener;
import java.util.ArrayList;
import java.util.List;

/** Remembers which calls a client made, so that a walkthrough can say what a page costs. */
public final class CallCount implements CallListener {

  private final List<String> methods = new ArrayList<>();

  /** Nothing counted yet. */
  public CallCount() {}

  @Override
  public synchronized void ended(CallEvent call) {
    methods.add(call.method());
  }

  /** How many calls have ended so far. */
  public synchronized int total() {
    return methods.size();
  }

  /**
   * The methods of the calls that ended after an earlier moment, in that order.
   *
   * @param earlier a {@link #total()} from before
   */
  public synchronized List<String> since(int earlier) {
    return List.copyOf(methods.subList(earlier, methods.size()));
  }
}
