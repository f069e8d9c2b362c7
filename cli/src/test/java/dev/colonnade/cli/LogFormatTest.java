package dev.colonnade.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.encoder.PatternLayoutEncoder;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.util.LogbackMDCAdapter;
import ch.qos.logback.core.OutputStreamAppender;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

final class LogFormatTest {

  private final LoggerContext context = context();
  private final ByteArrayOutputStream written = new ByteArrayOutputStream();

  private static LoggerContext context() {
    LoggerContext context = new LoggerContext();
    context.setMDCAdapter(new LogbackMDCAdapter());
    return context;
  }

  private Logger logger(LogFormat format) {
    PatternLayoutEncoder pattern = new PatternLayoutEncoder();
    pattern.setContext(context);
    pattern.setPattern("%level %msg%n");
    pattern.start();
    OutputStreamAppender<ILoggingEvent> appender = new OutputStreamAppender<>();
    appender.setContext(context);
    appender.setEncoder(pattern);
    appender.setOutputStream(written);
    appender.start();
    format.applyTo(appender);
    Logger logger = context.getLogger("dev.colonnade.server.Node");
    logger.setLevel(Level.INFO);
    logger.addAppender(appender);
    return logger;
  }

  private List<String> lines() {
    return written.toString(StandardCharsets.UTF_8).lines().toList();
  }

  @Test
  void anObjectInEachLineHasWhatProgramsAskFor() {
    long before = System.currentTimeMillis();
    Logger logger = logger(LogFormat.JSON);
    logger.warn("file {} is\n\"damaged\"", 7, new IllegalStateException("at block 3"));
    logger.info("next");

    assertEquals(2, lines().size(), lines()::toString);
    JsonObject line = JsonParser.parseString(lines().get(0)).getAsJsonObject();
    assertEquals("WARN", line.get("level").getAsString());
    assertEquals("dev.colonnade.server.Node", line.get("loggerName").getAsString());
    assertEquals(Thread.currentThread().getName(), line.get("threadName").getAsString());
    assertEquals("file 7 is\n\"damaged\"", line.get("formattedMessage").getAsString());
    assertTrue(line.get("timestamp").getAsLong() >= before, lines().get(0));
    JsonObject failure = line.getAsJsonObject("throwable");
    assertEquals("java.lang.IllegalStateException", failure.get("className").getAsString());
    assertEquals("at block 3", failure.get("message").getAsString());
    JsonObject next = JsonParser.parseString(lines().get(1)).getAsJsonObject();
    assertEquals("next", next.get("formattedMessage").getAsString());
  }

  @Test
  void textStaysAsItWas() {
    logger(LogFormat.TEXT).warn("file {} is damaged", 7);
    assertEquals(List.of("WARN file 7 is damaged"), lines());
  }

  @Test
  void theVariableNamesAFormat() {
    assertEquals(Optional.of(LogFormat.TEXT), LogFormat.of(null));
    assertEquals(Optional.of(LogFormat.TEXT), LogFormat.of(""));
    assertEquals(Optional.of(LogFormat.TEXT), LogFormat.of("text"));
    assertEquals(Optional.of(LogFormat.JSON), LogFormat.of("JSON"));
    assertEquals(Optional.empty(), LogFormat.of("xml"));
  }
}
