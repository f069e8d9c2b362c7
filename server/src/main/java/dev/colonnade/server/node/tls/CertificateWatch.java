package dev.colonnade.server.node.tls;

import dev.colonnade.server.base.env.Clock;
import dev.colonnade.server.base.health.Condition;
import dev.colonnade.server.base.health.Health;
import dev.colonnade.server.base.health.Impact;
import io.prometheus.metrics.core.datapoints.CounterDataPoint;
import io.prometheus.metrics.core.metrics.Counter;
import io.prometheus.metrics.core.metrics.CounterWithCallback;
import io.prometheus.metrics.core.metrics.GaugeWithCallback;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BiConsumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Takes new certificates, and lists of revoked ones, from their files while the node runs, and
 * warns of those that will expire. Files that cannot be used change nothing: they are logged when
 * what is wrong with them changes, and counted each time. Thread-safe.
 */
public final class CertificateWatch {

  private static final Logger LOG = LoggerFactory.getLogger(CertificateWatch.class);

  private static final Duration WARNING_PERIOD = Duration.ofDays(1);
  private static final String PORT = "port";

  private final List<WatchedPort> ports = new ArrayList<>();
  private final Duration warning;
  private final Clock clock;
  private final Health health;
  private final AtomicBoolean looking = new AtomicBoolean();

  /**
   * Watches from the first {@link #look} on.
   *
   * @param warning how long before a certificate expires the log says so
   * @param health hears of lists of revoked certificates that cannot be used or have expired
   * @param metrics gets when certificates expire, and how reading them went
   */
  public CertificateWatch(
      List<PortCertificates> ports,
      Duration warning,
      Clock clock,
      Health health,
      PrometheusRegistry metrics) {
    this.warning = warning;
    this.clock = clock;
    this.health = health;
    GaugeWithCallback.builder()
        .name("colonnade_certificate_revocations")
        .help("Certificates of other ends that are revoked, by the lists in force")
        .labelNames(PORT)
        .callback(
            series -> ports.forEach(port -> series.call(port.revocations().size(), port.port())))
        .register(metrics);
    CounterWithCallback.builder()
        .name("colonnade_certificate_connections_cut_total")
        .help("Open connections that were cut because their certificate was revoked")
        .labelNames(PORT)
        .callback(
            series ->
                ports.forEach(
                    port -> series.call((double) port.connections().cutSoFar(), port.port())))
        .register(metrics);
    GaugeWithCallback.builder()
        .name("colonnade_certificate_not_after_seconds")
        .help("When the port's certificate expires, in seconds since 1970")
        .labelNames(PORT)
        .callback(
            series ->
                ports.forEach(
                    port -> series.call((double) port.notAfter().getEpochSecond(), port.port())))
        .register(metrics);
    Counter reloads =
        Counter.builder()
            .name("colonnade_certificate_reloads_total")
            .help("How often new certificates were taken from their files")
            .labelNames(PORT)
            .register(metrics);
    Counter failures =
        Counter.builder()
            .name("colonnade_certificate_failures_total")
            .help(
                "How often files could not be used; certificates, and lists of revoked ones,"
                    + " stayed")
            .labelNames(PORT)
            .register(metrics);
    for (PortCertificates port : ports) {
      this.ports.add(
          new WatchedPort(
              port, reloads.labelValues(port.port()), failures.labelValues(port.port())));
    }
  }

  /**
   * Looks at the files of certificates and keys once. Blocks; does nothing while another call looks
   * at files.
   */
  public void look() {
    each((port, now) -> port.look(now, warning));
  }

  /** Looks at the lists of revoked certificates once, in the same way. */
  public void lookAtRevocations() {
    each((port, now) -> port.lookAtRevocations(now, health));
  }

  private void each(BiConsumer<WatchedPort, Instant> task) {
    if (!looking.compareAndSet(false, true)) {
      return;
    }
    try {
      Instant now = Instant.ofEpochSecond(clock.wallSeconds());
      ports.forEach(port -> task.accept(port, now));
    } finally {
      looking.set(false);
    }
  }

  /** One port; used by one thread at a time. */
  private static final class WatchedPort {
    private final PortCertificates port;
    private final CounterDataPoint reloads;
    private final CounterDataPoint failures;
    private String failure = "";
    private String doubt = "";
    private Instant warned = Instant.MIN;

    WatchedPort(PortCertificates port, CounterDataPoint reloads, CounterDataPoint failures) {
      this.port = port;
      this.reloads = reloads;
      this.failures = failures;
    }

    void look(Instant now, Duration warning) {
      try {
        if (port.look()) {
          reloads.inc();
          warned = Instant.MIN;
          LOG.info(
              "new certificates for {} from {}, valid until {}",
              port.port(),
              port.file(),
              port.notAfter());
        }
        failure = "";
      } catch (CertificateFileException e) {
        failures.inc();
        String message = String.valueOf(e.getMessage());
        if (!message.equals(failure)) {
          failure = message;
          LOG.error("the certificates for {} stay as they were: {}", port.port(), message);
        }
      }
      warn(now, warning);
    }

    void lookAtRevocations(Instant now, Health health) {
      String found = doubt(now);
      if (found.isEmpty()) {
        health.clear(Condition.REVOCATIONS, port.port());
      } else {
        health.raise(Condition.REVOCATIONS, port.port(), Impact.NOTICE, found);
      }
      doubt = found;
    }

    /** What is wrong with the lists; empty for nothing. It contains no path, which the log has. */
    private String doubt(Instant now) {
      Revocations lists = port.revocations();
      try {
        if (port.lookAtRevocations()) {
          LOG.info(
              "{} certificates for {} are revoked, by {}", lists.size(), port.port(), lists.path());
        }
      } catch (CertificateFileException e) {
        failures.inc();
        String reason = "the list of revoked certificates cannot be used; the last good one holds";
        if (!reason.equals(doubt)) {
          LOG.error("{}: {}: {}", port.port(), reason, e.getMessage());
        }
        return reason;
      }
      String reason = "";
      if (port.isOwnRevoked()) {
        reason = "this node's own certificate is revoked";
      } else if (lists.notAfter().filter(now::isAfter).isPresent()) {
        reason = "the list of revoked certificates has expired, and stays in force";
      }
      if (!reason.isEmpty() && !reason.equals(doubt)) {
        LOG.error("{}: {} ({})", port.port(), reason, lists.path());
      }
      return reason;
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
