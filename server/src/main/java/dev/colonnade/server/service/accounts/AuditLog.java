package dev.colonnade.server.service.accounts;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Who did what, as one line for each event on the logger {@value #NAME}: {@code event=… account="…"
 * address="…" …}. Values of callers are in quotes, escaped and of bounded length, so that a line is
 * always one event. Failed logins and refused calls of an address beyond a rate are counted and not
 * written, because strangers must not fill the disk with them. Thread-safe.
 */
public final class AuditLog {

  /** The name of its logger, to give it a file of its own. */
  public static final String NAME = "colonnade.audit";

  private static final Logger LOG = LoggerFactory.getLogger(NAME);

  private static final int VALUE_MAX = 200;

  /** Failed logins of an address that are written in a {@link #PERIOD}, and refused calls. */
  static final int FAILURES_MAX = 60;

  /** Addresses with a count of their own; further ones of a period share one. */
  static final int ADDRESSES_MAX = 100;

  private static final String OTHERS = "others";

  private static final Duration PERIOD = Duration.ofMinutes(1);

  private volatile boolean allCalls;

  private final LongSupplier nanos;
  private final Limit failures = new Limit("logins_failed_unwritten");
  private final Limit denials = new Limit("denied_unwritten");

  /**
   * Creates the log.
   *
   * @param allCalls whether calls that read or write data are written, too
   * @param nanos the monotonic clock
   */
  public AuditLog(boolean allCalls, LongSupplier nanos) {
    this.nanos = nanos;
    this.allCalls = allCalls;
  }

  /** Whether calls that read or write data are written, too. */
  public boolean allCalls() {
    return allCalls;
  }

  /** Changes whether calls that read or write data are written, too. */
  public void allCalls(boolean on) {
    allCalls = on;
  }

  /** A login, or the credentials of a call, were refused. */
  public void loginFailed(String account, String address, String why) {
    if (failures.mayWrite(address, nanos.getAsLong())) {
      LOG.warn(
          "event=login_failed account={} address={} reason={}",
          quoted(account),
          quoted(address),
          quoted(why));
    }
  }

  /**
   * Lets so many lines of one kind through for each address in each period, and counts the others.
   * So one caller that is refused all the time does not hide what others are refused.
   */
  private static final class Limit {

    private static final class Lines {
      private int events;
      private long unwritten;
    }

    private final String event;

    // Guarded by this.
    private long periodStartNanos;
    private final Map<String, Lines> byAddress = new LinkedHashMap<>();

    Limit(String event) {
      this.event = event;
    }

    synchronized boolean mayWrite(String from, long nowNanos) {
      if (nowNanos - periodStartNanos >= PERIOD.toNanos()) {
        byAddress.forEach(
            (address, lines) -> {
              if (lines.unwritten > 0) {
                LOG.warn("event={} address={} count={}", event, quoted(address), lines.unwritten);
              }
            });
        byAddress.clear();
      }
      if (byAddress.isEmpty()) {
        periodStartNanos = nowNanos;
      }
      String network = PasswordChecks.network(from);
      boolean own = byAddress.containsKey(network) || byAddress.size() < ADDRESSES_MAX;
      Lines lines = byAddress.computeIfAbsent(own ? network : OTHERS, address -> new Lines());
      if (lines.events == FAILURES_MAX) {
        lines.unwritten++;
        return false;
      }
      lines.events++;
      return true;
    }
  }

  /** A login was answered with a token. */
  public void loggedIn(String account, String address) {
    LOG.info("event=login account={} address={}", quoted(account), quoted(address));
  }

  /** A call was refused because its account may not make it. */
  public void denied(String account, String address, String call, String needs) {
    if (!denials.mayWrite(address, nanos.getAsLong())) {
      return;
    }
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
  public void ended(String account, String address, String call, String subject, String status) {
    LOG.info(
        "event=call_ended account={} address={} call={} subject={} status={}",
        quoted(account),
        quoted(address),
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
