package dev.colonnade.server.service.accounts;

import java.time.Duration;
import java.util.Locale;
import java.util.concurrent.atomic.AtomicLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Who did what, as one line for each event on the logger {@value #NAME}: {@code event=… account="…"
 * address="…" …}. Values of callers are in quotes, escaped and of bounded length, so that a line is
 * always one event. Failed logins beyond a rate are counted and not written, so that guessing does
 * not fill the disk. Thread-safe.
 */
public final class AuditLog {

  /** The name of its logger, to give it a file of its own. */
  public static final String NAME = "colonnade.audit";

  private static final Logger LOG = LoggerFactory.getLogger(NAME);

  private static final int VALUE_MAX = 200;

  /** Failed logins that are written in a {@link #PERIOD}. */
  static final int FAILURES_MAX = 60;

  private static final Duration PERIOD = Duration.ofMinutes(1);

  private final boolean allCalls;

  // Guarded by this.
  private long periodStartNanos;
  private int failures;
  private final AtomicLong unwritten = new AtomicLong();

  /**
   * Creates the log.
   *
   * @param allCalls whether calls that read or write data are written, too
   */
  public AuditLog(boolean allCalls) {
    this.allCalls = allCalls;
  }

  /** Whether calls that read or write data are written, too. */
  public boolean allCalls() {
    return allCalls;
  }

  /** A login, or the credentials of a call, were refused. */
  public void loginFailed(String account, String address, String why, long nowNanos) {
    if (mayWriteFailure(nowNanos)) {
      LOG.warn(
          "event=login_failed account={} address={} reason={}",
          quoted(account),
          quoted(address),
          quoted(why));
    }
  }

  private synchronized boolean mayWriteFailure(long nowNanos) {
    if (failures == 0 || nowNanos - periodStartNanos >= PERIOD.toNanos()) {
      long left = unwritten.getAndSet(0);
      if (left > 0) {
        LOG.warn("event=logins_failed_unwritten count={}", left);
      }
      periodStartNanos = nowNanos;
      failures = 0;
    }
    failures++;
    if (failures > FAILURES_MAX) {
      unwritten.incrementAndGet();
      return false;
    }
    return true;
  }

  /** A login was answered with a token. */
  public void loggedIn(String account, String address) {
    LOG.info("event=login account={} address={}", quoted(account), quoted(address));
  }

  /** A call was refused because its account may not make it. */
  public void denied(String account, String address, String call, String needs) {
    LOG.warn(
        "event=denied account={} address={} call={} needs={}",
        quoted(account),
        quoted(address),
        quoted(call),
        quoted(needs));
  }

  /**
   * A call began that its account may make.
   *
   * @param subject what it is about, such as a keyspace
   */
  public void called(String account, String address, String call, String subject) {
    LOG.info(
        "event=call account={} address={} call={} subject={}",
        quoted(account),
        quoted(address),
        quoted(call),
        quoted(subject));
  }

  /** A call that was written when it began has ended. */
  public void ended(String account, String call, String subject, String status) {
    LOG.info(
        "event=call_ended account={} call={} subject={} status={}",
        quoted(account),
        quoted(call),
        quoted(subject),
        status);
  }

  /** In quotes, without characters that could be taken for others or for the end of a line. */
  static String quoted(String text) {
    StringBuilder out = new StringBuilder("\"");
    for (int i = 0; i < text.length() && i < VALUE_MAX; i++) {
      char c = text.charAt(i);
      if (c == '"' || c == '\\') {
        out.append('\\').append(c);
      } else if (c < ' ' || c > '~') {
        out.append(String.format(Locale.ROOT, "\\u%04x", (int) c));
      } else {
        out.append(c);
      }
    }
    return out.append(text.length() > VALUE_MAX ? "…\"" : "\"").toString();
  }
}
