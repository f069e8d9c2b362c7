package dev.colonnade.cli;

import ch.qos.logback.classic.encoder.JsonEncoder;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.Appender;
import ch.qos.logback.core.OutputStreamAppender;
import java.util.Locale;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** How a node's log lines look. */
public enum LogFormat {
  /** Lines for people, as {@code logback.xml} has them. */
  TEXT,

  /** A JSON object in each line, for programs that collect logs. */
  JSON;

  /** The environment variable that chooses it. */
  public static final String VARIABLE = "COLONNADE_LOG_FORMAT";

  /**
   * Reads the variable's value.
   *
   * @param value null or empty for the default, which is text; case does not matter
   * @return empty if there is no such format
   */
  public static Optional<LogFormat> of(@Nullable String value) {
    if (value == null || value.isEmpty()) {
      return Optional.of(TEXT);
    }
    for (LogFormat format : values()) {
      if (format.name().toLowerCase(Locale.ROOT).equals(value.toLowerCase(Locale.ROOT))) {
        return Optional.of(format);
      }
    }
    return Optional.empty();
  }

  /**
   * Makes an appender write so, before others use it; nothing for an appender that writes no bytes.
   */
  void applyTo(Appender<ILoggingEvent> appender) {
    if (this == JSON && appender instanceof OutputStreamAppender<ILoggingEvent> bytes) {
      JsonEncoder encoder = new JsonEncoder();
      encoder.setContext(appender.getContext());
      encoder.setWithSequenceNumber(false);
      encoder.setWithNanoseconds(false);
      encoder.setWithContext(false);
      encoder.setWithMarkers(false);
      encoder.setWithMDC(false);
      encoder.setWithKVPList(false);
      // The whole message, not its pattern and what fills it.
      encoder.setWithMessage(false);
      encoder.setWithArguments(false);
      encoder.setWithFormattedMessage(true);
      encoder.start();
      bytes.setEncoder(encoder);
    }
  }
}
