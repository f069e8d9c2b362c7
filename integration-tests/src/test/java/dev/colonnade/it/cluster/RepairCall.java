package dev.colonnade.it.cluster;

import dev.colonnade.admin.v1.RepairRequest;
import dev.colonnade.admin.v1.RepairResponse;
import dev.colonnade.it.LocalNode;
import java.util.Iterator;
import java.util.concurrent.TimeUnit;

/** A repair in progress, as the node that makes it reports it. For one thread. */
final class RepairCall {

  private static final long SECONDS = 120;

  private final Iterator<RepairResponse> answers;
  private RepairResponse newest = RepairResponse.getDefaultInstance();

  private RepairCall(Iterator<RepairResponse> answers) {
    this.answers = answers;
  }

  static RepairCall start(LocalNode node, String keyspace) {
    return new RepairCall(
        node.node()
            .withDeadlineAfter(SECONDS, TimeUnit.SECONDS)
            .repair(RepairRequest.newBuilder().setKeyspace(keyspace).build()));
  }

  /** Returns when something was found to differ. */
  void untilMismatch() {
    while (newest.getMismatchedRanges() == 0) {
      if (!answers.hasNext()) {
        throw new AssertionError("the repair found nothing that differs: " + newest);
      }
      newest = answers.next();
    }
  }

  /** Returns when it is done. */
  void end() {
    answers.forEachRemaining(answer -> newest = answer);
    if (!newest.getProgress().getPhase().equals("done")) {
      throw new AssertionError("the last word of the repair was " + newest);
    }
  }

  /** How many parts of ranges differed. */
  long mismatched() {
    return newest.getMismatchedRanges();
  }
}
