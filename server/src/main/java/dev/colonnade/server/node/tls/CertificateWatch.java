package dev.colonnade.server.node.tls;

import dev.colonnade.server.base.env.Clock;
import dev.colonnade.server.base.metrics.Counter;
import dev.colonnade.server.base.metrics.Labels;
import dev.colonnade.server.base.metrics.MetricSet;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Takes new certificates from their files while the node runs, and warns of those that will expire.
 * Files that cannot be used change nothing: they are logged when what is wrong with them changes,
 * and counted each time. Thread-safe.
 */
public final class CertificateWatch {

  private static final Logger LOG = LoggerFactory.getLogger(CertificateWatch.class);

  private static final Duration WARNING_PERIOD = Duration.ofDays(1);
  private static final String PORT = "port";

  private final List<WatchedPort> ports = new ArrayList<>();
  private final Duration warning;
  private final Clock clock;
  private final AtomicBoolean looking = new AtomicBoolean();

  /**
   * Watches from the first {@link #look} on.
   *
   * @param warning how long before a certificate expires the log says so
   * @param metrics gets when certificates expire, and how reading them went
   */
  public CertificateWatch(
      List<PortCertificates> ports, Duration warning, Clock clock, MetricSet metrics) {
    this.warning = warning;
    this.clock = clock;
    for (PortCertificates port : ports) {
      Labels labels = Labels.of(PORT, port.port());
      metrics.gauge(
          "colonnade_certificate_not_after_seconds",
          "When the port's certificate expires, in seconds since 1970; alert on less than two weeks",
          labels,
          () -> port.notAfter().getEpochSecond());
      this.ports.add(
          new WatchedPort(
              port,
              metrics.counter(
                  "colonnade_certificate_reloads",
                  "How often new certificates were taken from their files",
                  labels),
              metrics.counter(
                  "colonnade_certificate_failures",
                  "How often the files could not be used, and certificates stayed as they were",
                  labels)));
    }
  }

  /** Looks at all files once. Blocks; does nothing while another call is at it. */
  public void look() {
    if (!looking.compareAndSet(false, true)) {
      return;
    }
    try {
      Instant now = Instant.ofEpochSecond(clock.wallSeconds());
      ports.forEach(port -> port.look(now, warning));
    } finally {
      looking.set(false);
    }
  }

  /** One port; used by one thread at a time. */
  private static final class WatchedPort {
    private final PortCertificates port;
    private final Counter reloads;
    private final Counter failures;
    private String failure = "";
    private Instant warned = Instant.MIN;

    WatchedPort(PortCertificates port, Counter reloads, Counter failures) {
      this.port = port;
      this.reloads = reloads;
      this.failures = failures;
    }

    void look(Instant now, Duration warning) {
      try {
        if (port.look()) {
          reloads.increment();
          warned = Instant.MIN;
          LOG.info(
              "new certificates for {} from {}, valid until {}",
              port.port(),
              port.file(),
              port.notAfter());
        }
        failure = "";
      } catch (CertificateFileException e) {
        failures.increment();
        String message = String.valueOf(e.getMessage());
        if (!message.equals(failure)) {
          failure = message;
          LOG.error("the certificates for {} stay as they were: {}", port.port(), message);
        }
      }
      warn(now, warning);
    }

    private void warn(Instant now, Duration warning) {
      boolean soon = port.notAfter().isBefore(now.plus(warning));
      if (soon && warned.isBefore(now.minus(WARNING_PERIOD))) {
        warned = now;
        LOG.warn(
            "the certificate for {} in {} {} at {}: renew it (colonnade certs renew), the node"
                + " takes the new file without a restart",
            port.port(),
            port.file(),
            port.notAfter().isAfter(now) ? "expires" : "expired",
            port.notAfter());
      }
    }
  }
}
