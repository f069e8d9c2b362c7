package dev.colonnade.server.node.tls;

import dev.colonnade.server.base.env.Clock;
import io.prometheus.metrics.core.datapoints.CounterDataPoint;
import io.prometheus.metrics.core.metrics.Counter;
import io.prometheus.metrics.core.metrics.GaugeWithCallback;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
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
      List<PortCertificates> ports, Duration warning, Clock clock, PrometheusRegistry metrics) {
    this.warning = warning;
    this.clock = clock;
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
            .help("How often the files could not be used, and certificates stayed as they were")
            .labelNames(PORT)
            .register(metrics);
    for (PortCertificates port : ports) {
      this.ports.add(
          new WatchedPort(
              port, reloads.labelValues(port.port()), failures.labelValues(port.port())));
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
    private final CounterDataPoint reloads;
    private final CounterDataPoint failures;
    private String failure = "";
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
