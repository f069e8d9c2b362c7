package dev.colonnade.server.base.config;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.colonnade.server.base.schema.ComparatorResolver;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * Every element that is read changes something, or is listed with why it does not. That what it
 * changes is read is {@code SettingsAreReadTest}'s.
 */
final class ElementsTakeEffectTest {

  private static final String KEYSPACE =
      "<Keyspaces><Keyspace Name='K'><ColumnFamily Name='F'/></Keyspace></Keyspaces>";

  /** Values of all forms; one that an element takes and that is not its default is its sample. */
  private static final List<String> VALUES =
      List.of(
          "true",
          "false",
          "7",
          "77",
          "0.3",
          "batch",
          "required",
          "periodic",
          "RackInferringSnitch",
          "10.0.0.3",
          "AllowAllAuthenticator",
          "password",
          "250000",
          "RackAwareStrategy",
          "none",
          "2097152",
          "http://127.0.0.1:4317",
          "stop",
          "<Keyspace Name='L'/>");

  private static StorageConf read(String xml) throws StorageConfException {
    return StorageConf.parse(
        "conf.xml",
        xml.getBytes(StandardCharsets.UTF_8),
        NodeSettings.DEFAULT,
        ComparatorResolver.builtIns());
  }

  private static boolean changesSomething(String name, String child) throws Exception {
    String beside =
        (name.equals("Keyspaces") ? "" : KEYSPACE)
            + (name.equals("CommitLogSyncBatchWindowInMS")
                ? "<CommitLogSync>batch</CommitLogSync>"
                : "");
    StorageConf without = read("<Storage>" + beside + "</Storage>");
    for (String value : VALUES) {
      String content = child.isEmpty() ? value : "<" + child + ">" + value + "</" + child + ">";
      try {
        StorageConf with =
            read("<Storage>" + beside + "<" + name + ">" + content + "</" + name + "></Storage>");
        if (!without.equals(with)) {
          return true;
        }
      } catch (StorageConfException e) {
        // Not a value of this element.
      }
    }
    return false;
  }

  @Test
  void everyKnownElementChangesSomethingOrIsListed() throws Exception {
    List<String> silent = new ArrayList<>();
    for (Setting<?> setting : NodeSettings.ALL) {
      Setting.Element<?> element = setting.element();
      if (!changesSomething(element.name(), element.child())) {
        silent.add(element.name());
      }
    }
    for (String name : FamilyElements.names()) {
      if (!changesSomething(name, "")) {
        silent.add(name);
      }
    }
    for (String name : StorageConfReader.OTHERS) {
      if (!changesSomething(name, "")) {
        silent.add(name);
      }
    }
    assertEquals(List.of(), silent, "elements that are taken, and nothing comes of it");
  }

  @Test
  void whatHasNoEffectIsListedWithTheReason() throws Exception {
    List<String> silent = new ArrayList<>();
    for (String name : IgnoredElements.names()) {
      List<StorageConf.IgnoredElement> listed =
          read("<Storage><" + name + ">7</" + name + "></Storage>").ignored();
      if (listed.size() != 1
          || !listed.get(0).name().equals(name)
          || listed.get(0).reason().isBlank()) {
        silent.add(name);
      }
    }
    assertEquals(List.of(), silent);
    assertTrue(IgnoredElements.names().contains("ConcurrentWrites"));
  }

  @Test
  void aMemtableAboveTheSharedBoundIsListedAndOneBelowIsNot() throws Exception {
    long most = StorageSettings.memtableBytesMax(NodeSettings.DEFAULT) >> 20;
    assertEquals(List.of(), read(memtable(most)).ignored());
    StorageConf.IgnoredElement listed = read(memtable(most + 1)).ignored().get(0);
    assertEquals("MemtableThroughputInMB", listed.name());
    assertTrue(listed.reason().contains("beyond " + most + " MiB"), listed.reason());
  }

  private static String memtable(long mebibytes) {
    return "<Storage><MemtableThroughputInMB>" + mebibytes + "</MemtableThroughputInMB></Storage>";
  }
}
