package dev.colonnade.server.cluster.gossip;

import dev.colonnade.server.base.env.Clock;
import dev.colonnade.server.cluster.net.Peer;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.regex.Pattern;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Counts news that was not believed, and logs one in ten seconds with the node that told it: a node
 * can tell as much of it as it likes. One thread at a time; the count may be read from any.
 */
final class UnbelievedReport {

  private static final Logger LOG = LoggerFactory.getLogger(UnbelievedReport.class);
  private static final long PERIOD_NANOS = Duration.ofSeconds(10).toNanos();

  /** An id of another form is the sender's free text, and not logged. */
  private static final Pattern ID = Pattern.compile("[A-Za-z0-9._-]{1,64}");

  private final Peer self;
  private final Clock clock;
  private final AtomicLong count = new AtomicLong();
  private long left;
  private long lastNanos;
  private boolean said;

  UnbelievedReport(Peer self, Clock clock) {
    this.self = self;
    this.clock = clock;
  }

  long count() {
    return count.get();
  }

  void add(List<MemberTracker.UnbelievedNews> news) {
    for (MemberTracker.UnbelievedNews one : news) {
      count.incrementAndGet();
      long now = clock.monotonicNanos();
      if (said && now - lastNanos < PERIOD_NANOS) {
        left++;
      } else {
        LOG.warn(
            "{}: what node {} tells of node {} by gossip is not believed: {}{}",
            self,
            readable(one.fromId()),
            readable(one.id()),
            one.reason(),
            left == 0 ? "" : " (and " + left + " more since the last such line)");
        said = true;
        lastNanos = now;
        left = 0;
      }
    }
  }

  private static String readable(String id) {
    return ID.matcher(id).matches() ? id : "with an unreadable id";
  }
}
