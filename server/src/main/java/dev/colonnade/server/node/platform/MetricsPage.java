package dev.colonnade.server.node.platform;

import io.prometheus.metrics.expositionformats.ExpositionFormatWriter;
import io.prometheus.metrics.expositionformats.ExpositionFormats;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;

/** The page of all metrics, in the format of Prometheus or OpenMetrics that the caller accepts. */
final class MetricsPage {

  private static final ExpositionFormats FORMATS = ExpositionFormats.init();

  private MetricsPage() {}

  static OpsPage of(PrometheusRegistry metrics) {
    return new OpsPage(
        "/metrics",
        OpsPage.Cost.SLOW,
        OpsPage.Audience.MONITORS,
        request -> render(metrics, request.accept()));
  }

  private static OpsPage.PageAnswer render(PrometheusRegistry metrics, String accept) {
    ExpositionFormatWriter format = FORMATS.findWriter(accept);
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    try {
      format.write(out, metrics.scrape());
    } catch (IOException e) {
      throw new UncheckedIOException("writing to memory cannot fail", e);
    }
    return new OpsPage.PageAnswer(200, format.getContentType(), out.toByteArray());
  }
}
