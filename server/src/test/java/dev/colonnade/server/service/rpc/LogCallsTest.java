package dev.colonnade.server.service.rpc;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.colonnade.admin.v1.LogLevel;
import dev.colonnade.admin.v1.LoggerLevel;
import dev.colonnade.admin.v1.SetLogLevelRequest;
import dev.colonnade.server.base.env.LogLevels;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

final class LogCallsTest {

  private final Map<String, LogLevels.Level> levels =
      new TreeMap<>(Map.of(LogLevels.ROOT, LogLevels.Level.INFO));

  private final LogCalls calls =
      new LogCalls(
          new LogLevels() {
            @Override
            public Map<String, Level> levels() {
              return levels;
            }

            @Override
            public void set(String logger, Optional<Level> level) {
              level.ifPresentOrElse(it -> levels.put(logger, it), () -> levels.remove(logger));
            }
          });

  private static SetLogLevelRequest to(String logger, LogLevel level) {
    return SetLogLevelRequest.newBuilder().setLogger(logger).setLevel(level).build();
  }

  private String refusal(SetLogLevelRequest request) {
    return String.valueOf(
        assertThrows(RequestRefusal.class, () -> calls.set(request)).getMessage());
  }

  @Test
  void aLevelIsChangedListedAndTakenBack() {
    calls.set(to("dev.colonnade", LogLevel.LOG_LEVEL_DEBUG));
    assertEquals(
        List.of("ROOT LOG_LEVEL_INFO", "dev.colonnade LOG_LEVEL_DEBUG"),
        calls.list().getLoggersList().stream()
            .map((LoggerLevel each) -> each.getLogger() + " " + each.getLevel())
            .toList());

    calls.set(to("dev.colonnade", LogLevel.LOG_LEVEL_UNSPECIFIED));
    assertEquals(1, calls.list().getLoggersCount());
  }

  @Test
  void whatMakesNoSenseIsRefusedWithAReason() {
    assertTrue(refusal(to("", LogLevel.LOG_LEVEL_INFO)).contains("1 to 200"));
    assertTrue(refusal(to("a b", LogLevel.LOG_LEVEL_INFO)).contains("named ROOT"));
    assertTrue(refusal(to("x".repeat(201), LogLevel.LOG_LEVEL_INFO)).contains("1 to 200"));
    assertTrue(refusal(to("ROOT", LogLevel.LOG_LEVEL_UNSPECIFIED)).contains("no logger above"));
    SetLogLevelRequest unknown =
        SetLogLevelRequest.newBuilder().setLogger("ROOT").setLevelValue(99).build();
    assertTrue(refusal(unknown).contains("no level 99"));
    assertEquals(Map.of(LogLevels.ROOT, LogLevels.Level.INFO), levels);
  }

  @Test
  void loggersWithLevelsOfTheirOwnAreBounded() {
    for (int i = levels.size(); i < 100; i++) {
      calls.set(to("logger" + i, LogLevel.LOG_LEVEL_WARN));
    }
    assertTrue(refusal(to("one.more", LogLevel.LOG_LEVEL_WARN)).contains("which is the most"));
    calls.set(to("logger7", LogLevel.LOG_LEVEL_DEBUG));
    calls.set(to("logger7", LogLevel.LOG_LEVEL_UNSPECIFIED));
    calls.set(to("one.more", LogLevel.LOG_LEVEL_WARN));
  }

  @Test
  void aProgramWithoutTheServiceSaysSo() {
    LogCalls fixed = new LogCalls(LogLevels.FIXED);
    assertEquals(0, fixed.list().getLoggersCount());
    assertTrue(
        String.valueOf(
                assertThrows(
                        RequestRefusal.class, () -> fixed.set(to("ROOT", LogLevel.LOG_LEVEL_DEBUG)))
                    .getMessage())
            .contains("does not let its logging be changed"));
  }
}
