package dev.colonnade.server.node;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import dev.colonnade.server.base.config.AddressSettings;
import dev.colonnade.server.base.config.CommitLogOptions;
import dev.colonnade.server.base.config.NodeSettings;
import dev.colonnade.server.base.config.ReplicationSettings;
import dev.colonnade.server.base.config.RetiredSetting;
import dev.colonnade.server.base.config.Setting;
import dev.colonnade.server.base.config.SettingOrigin;
import dev.colonnade.server.base.config.StorageSettings;
import dev.colonnade.server.base.memory.MemoryPlan;
import dev.colonnade.server.service.admin.KeptSettings;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.LoggerFactory;

class EffectiveSettingsTest {

  private static final NodeOptions NOTHING_SAID = NodeOptions.defaults();

  private static final MemoryPlan PLAN = MemoryPlan.forHeap(1L << 30);

  @TempDir Path directory;

  private NodeOptions withFile(String elements) throws IOException {
    Path file = directory.resolve("storage-conf.xml");
    Files.writeString(file, "<Storage>" + elements + "</Storage>");
    return NOTHING_SAID.withStorageConf(file);
  }

  private static NodeOptions saying(NodeOptions options, Duration hintInterval) {
    return options.with(ReplicationSettings.HINT_INTERVAL, hintInterval);
  }

  private static NodeSettings effective(NodeOptions options) throws NodeStartException {
    return EffectiveSettings.of(options, PLAN).settings();
  }

  private static Duration redeliveryInterval(NodeOptions options) throws NodeStartException {
    return HintedHandoff.settings(effective(options)).redeliveryInterval();
  }

  @Test
  void hintsAreLookedForEachQuarterOfAnHourUnlessFileOrCommandLineSayOtherwise() throws Exception {
    NodeOptions file =
        withFile("<HintedHandoffIntervalInSeconds>60</HintedHandoffIntervalInSeconds>");

    assertEquals(Duration.ofMinutes(15), redeliveryInterval(NOTHING_SAID));
    assertEquals(Duration.ofMinutes(1), redeliveryInterval(file));
    assertEquals(Duration.ofSeconds(1), redeliveryInterval(saying(file, Duration.ofSeconds(1))));
  }

  @Test
  void whatIsKeptOnTheHeapScalesWithIt() throws Exception {
    NodeSettings small =
        EffectiveSettings.of(NOTHING_SAID, MemoryPlan.forHeap(256L << 20)).settings();
    NodeSettings large =
        EffectiveSettings.of(NOTHING_SAID, MemoryPlan.forHeap(4L << 30)).settings();
    assertTrue(
        small.get(StorageSettings.MEMTABLE_TOTAL_BYTES)
                + small.get(StorageSettings.BLOCK_CACHE_BYTES)
                + small.get(StorageSettings.KEY_CACHE_BYTES)
                + small.get(StorageSettings.ROW_CACHE_BYTES)
            < 128L << 20,
        small::toString);
    for (Setting<Long> setting :
        List.of(StorageSettings.MEMTABLE_TOTAL_BYTES, StorageSettings.ROW_CACHE_BYTES)) {
      assertTrue(large.get(setting) > 15 * small.get(setting), large::toString);
    }
  }

  /** Values of all forms; one of them is a value of each option that is not its default. */
  private static final List<String> VALUES =
      List.of(
          "true",
          "7",
          "10.0.0.3",
          "RackInferringSnitch",
          "batch",
          "refuse",
          "required",
          "password",
          "false",
          "none",
          "4096",
          "300000",
          "2097152",
          "http://127.0.0.1:4317");

  @Test
  void everyOptionOverridesTheDefault() throws Exception {
    List<String> silent = new ArrayList<>();
    for (Setting<?> setting : NodeSettings.ALL) {
      if (!changes(setting)) {
        silent.add(setting.name());
      }
    }
    assertEquals(List.of(), silent);
  }

  /** The value of the environment overrides that of the file, and the option both. */
  @Test
  void everyVariableOverridesTheFileAndEveryOptionTheVariable() throws Exception {
    List<String> wrong = new ArrayList<>();
    for (Setting<?> setting : NodeSettings.ALL) {
      if (!overrides(setting)) {
        wrong.add(setting.variable());
      }
    }
    assertEquals(List.of(), wrong);
  }

  private <T> boolean overrides(Setting<T> setting) throws Exception {
    for (String value : VALUES) {
      T parsed;
      NodeOptions options;
      try {
        parsed = setting.parseVariable(value);
        options = NOTHING_SAID.withEnvironment(Map.of(setting.variable(), value));
      } catch (IllegalArgumentException e) {
        continue;
      }
      T fallback = setting.defaultValue();
      if (parsed.equals(fallback) || !effective(options).get(setting).equals(parsed)) {
        continue;
      }
      SettingOrigins.Shown shown = shown(options, setting);
      SettingOrigins.Shown overridden = shown(options.with(setting, fallback), setting);
      return shown.origin() == SettingOrigin.ENVIRONMENT
          && shown.text().equals(setting.form().print(parsed))
          && overridden.origin() == SettingOrigin.OPTION
          && overridden.text().equals(setting.form().print(fallback));
    }
    return false;
  }

  private static SettingOrigins.Shown shown(NodeOptions options, Setting<?> setting)
      throws NodeStartException {
    return SettingOrigins.of(options).stream()
        .filter(each -> each.setting().equals(setting))
        .findFirst()
        .orElseThrow();
  }

  @Test
  void theOriginOfEachValueIsShown() throws Exception {
    NodeOptions options =
        withFile("<ListenAddress>10.0.0.2</ListenAddress><HttpPort>1</HttpPort>")
            .withEnvironment(Map.of("COLONNADE_SERVER_HTTP_PORT", "2", "PATH", "/bin"));
    assertEquals("2", shown(options, AddressSettings.HTTP_PORT).text());
    assertEquals(SettingOrigin.FILE, shown(options, AddressSettings.PEER_ADDRESS).origin());
    SettingOrigins.Shown derived = shown(options, AddressSettings.CLIENT_ADDRESS);
    assertEquals("10.0.0.2 DERIVED", derived.text() + " " + derived.origin());
    assertEquals(SettingOrigin.DEFAULT, shown(options, AddressSettings.PEER_PORT).origin());
  }

  @Test
  void aVariableOfNoSettingIsRefusedUnlessAnotherProgramSetsIt() {
    for (String other : List.of("HTTP_PROT", "CLIENT", "PEERPORT")) {
      Map<String, String> variables = Map.of("COLONNADE_SERVER_" + other, "1");
      var refusal =
          assertThrows(
              IllegalArgumentException.class, () -> NOTHING_SAID.withEnvironment(variables));
      assertTrue(String.valueOf(refusal.getMessage()).contains(other), refusal::toString);
    }
    NodeOptions same =
        NOTHING_SAID.withEnvironment(
            Map.of(
                "COLONNADE_SERVER_PORT", "tcp://10.0.0.1:9160",
                "COLONNADE_SERVER_SERVICE_HOST", "10.0.0.1",
                "COLONNADE_SERVER_PORT_9160_TCP_ADDR", "10.0.0.1",
                "COLONNADE_SERVER_DATA", "/var/lib/colonnade",
                "COLONNADE_SERVER_RACK", ""));
    assertEquals(NOTHING_SAID, same);
  }

  /** Without the configuration of the earlier release having to change, and not in silence. */
  @Test
  void aSettingThatIsGoneHasNoEffectAndIsReported() throws Exception {
    ListAppender<ILoggingEvent> log = new ListAppender<>();
    log.start();
    List<Logger> loggers =
        Stream.of(NodeOptions.class, EffectiveSettings.class)
            .map(each -> (Logger) LoggerFactory.getLogger(each))
            .toList();
    loggers.forEach(logger -> logger.setLevel(Level.INFO));
    loggers.forEach(logger -> logger.addAppender(log));
    try {
      for (RetiredSetting retired : RetiredSetting.ALL) {
        assertTrue(NodeSettings.named(retired.name()).isEmpty(), retired.name());
        assertEquals(
            NOTHING_SAID, NOTHING_SAID.withEnvironment(Map.of(retired.variable(), "required")));
        assertReported(log, retired.variable() + " has no effect: " + retired.reason());
        String element = retired.element();
        effective(withFile("<" + element + ">required</" + element + ">"));
        assertReported(log, element + " has no effect: " + retired.reason());
      }
    } finally {
      loggers.forEach(logger -> logger.detachAppender(log));
      loggers.forEach(logger -> logger.setLevel(null));
    }
  }

  private static void assertReported(ListAppender<ILoggingEvent> log, String text) {
    List<String> lines = log.list.stream().map(ILoggingEvent::getFormattedMessage).toList();
    assertTrue(lines.stream().anyMatch(line -> line.contains(text)), lines::toString);
  }

  /** What a configuration shows is no secret: a setting that has to do with one names a file. */
  @Test
  void noSettingIsItselfASecret() {
    for (Setting<?> setting : NodeSettings.ALL) {
      if (setting.name().contains("password") || setting.name().endsWith("_key")) {
        assertTrue(
            setting.option().label().equals("FILE") || setting.defaultValue() instanceof Number,
            setting.name());
      }
    }
  }

  private static <T> boolean changes(Setting<T> setting) throws NodeStartException {
    for (String value : VALUES) {
      try {
        T parsed = setting.parseOption(value);
        T found = effective(NOTHING_SAID.withText(setting, value)).get(setting);
        if (!parsed.equals(setting.defaultValue()) && found.equals(parsed)) {
          return true;
        }
      } catch (IllegalArgumentException e) {
        // Not a value of this option.
      }
    }
    return false;
  }

  @Test
  void anAddressToListenOnIsForClientsTooUnlessTheFileSaysOtherwise() throws Exception {
    NodeSettings listening = effective(NOTHING_SAID.with(AddressSettings.PEER_ADDRESS, "::1"));
    assertEquals("::1", listening.get(AddressSettings.PEER_ADDRESS));
    assertEquals("::1", listening.get(AddressSettings.CLIENT_ADDRESS));
    NodeSettings apart =
        effective(
            withFile(
                "<ThriftAddress>10.0.0.1</ThriftAddress><ListenAddress>10.0.0.2</ListenAddress>"));
    assertEquals("10.0.0.2", apart.get(AddressSettings.PEER_ADDRESS));
    assertEquals("10.0.0.1", apart.get(AddressSettings.CLIENT_ADDRESS));
  }

  @Test
  void whatDiffersFromTheDefaultsIsListedWithItsUnit() throws Exception {
    NodeSettings settings =
        effective(withFile("<StallLimitInSeconds>20</StallLimitInSeconds>"))
            .with(CommitLogOptions.SEGMENT_BYTES, 32L << 20);
    String listed = settings.toString();
    assertTrue(listed.contains("stall_limit = 20 seconds"), listed);
    assertTrue(listed.contains("commit_log_segment_bytes = 32 MiB"), listed);
    assertFalse(listed.contains("cluster_name"), listed);
  }

  @Test
  void keptSettingsThatCannotBeReadStopTheStartAndAreNamed() throws Exception {
    Path data = Files.createDirectories(directory.resolve("node/data"));
    Files.writeString(data.resolve(KeptSettings.NAME), "compaction_bytes_per_second = 1");
    NodeOptions options = NOTHING_SAID.withDataDirectory(directory.resolve("node"));

    var refusal = assertThrows(NodeStartException.class, () -> EffectiveSettings.of(options, PLAN));

    assertTrue(
        String.valueOf(refusal.getMessage())
            .contains(data.resolve(KeptSettings.NAME) + " the node starts as it is configured"),
        refusal::toString);
  }

  @Test
  void anIntervalOutOfBoundsStopsTheStartWithTheBounds() {
    NodeOptions never = saying(NOTHING_SAID, Duration.ZERO);

    var refusal = assertThrows(NodeStartException.class, () -> EffectiveSettings.of(never, PLAN));

    assertTrue(String.valueOf(refusal.getMessage()).contains("from 1 to 86400"), refusal::toString);
  }
}
