package dev.colonnade.server.base.config;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/**
 * docs/settings.md is written from the declarations: {@code ./test SettingsPage
 * -Dsettings.write=true} writes it.
 */
final class SettingsPageTest {

  private static final Path PAGE = Path.of("..", "docs", "settings.md");

  private static final String HEAD =
      """
      # Settings

      Written from the declarations in `server/…/base/config` by `./test SettingsPage -Dsettings.write=true`.

      A setting has the value of its option of `colonnade server`, or else that of its variable of the environment, or else
      that of its element in the `storage-conf.xml` of `--storage-conf`, or else its default. The variable is
      `COLONNADE_SERVER_` and the setting's name in capitals, as in `COLONNADE_SERVER_HTTP_PORT=8081`; an empty one counts
      as absent, and one that begins so and belongs to no setting stops the start. `COLONNADE_SERVER_DATA` and
      `COLONNADE_SERVER_STORAGE_CONF` stand for `--data` and `--storage-conf`.

      `colonnade conf show`, with the options of `server`, lists all values and where each comes from. No setting is itself a
      secret: passwords and keys stand in files that settings name. All are read when the node starts, and the node logs
      those that differ from their defaults. Those that are fixed at the first start are stored with the data. Those marked
      **live** can be changed while the node runs, by [`colonnade conf set`](operations.md#settings-of-a-running-node); a value
      that is kept takes precedence over the option at later starts. Elements
      marked with * are specific to this store: no release of Cassandra had them. [Operations](operations.md#storage-confxml)
      says more about the file, and each element of Cassandra's that has no effect is listed there or by
      `colonnade conf check`, with the reason; elements that set fields of column families are described with the
      [data model](data-model.md).
      """;

  @Test
  void thePageListsWhatIsDeclared() throws IOException {
    String page = page();
    if (Boolean.getBoolean("settings.write")) {
      Files.writeString(PAGE, page);
    }
    List<String> declared = page.lines().toList();
    List<String> listed = Files.readString(PAGE).lines().toList();
    List<String> missing = declared.stream().filter(line -> !listed.contains(line)).toList();
    List<String> surplus = listed.stream().filter(line -> !declared.contains(line)).toList();
    String remedy = "./test SettingsPage -Dsettings.write=true writes docs/settings.md";
    assertEquals(List.of(), missing, remedy);
    assertEquals(List.of(), surplus, remedy);
    assertEquals(declared, listed, remedy);
  }

  @Test
  void namesElementsAndOptionsAreUnique() {
    Set<String> seen = new HashSet<>();
    List<String> twice = new ArrayList<>();
    for (Setting<?> setting : NodeSettings.ALL) {
      List<String> names = new ArrayList<>(List.of(setting.name()));
      names.add("<" + setting.elementName() + ">");
      names.add(setting.option().name());
      names.add(setting.variable());
      names.stream().filter(name -> !seen.add(name)).forEach(twice::add);
    }
    assertEquals(List.of(), twice);
  }

  private static String page() {
    StringBuilder page = new StringBuilder(HEAD);
    for (SettingGroup group : NodeSettings.GROUPS) {
      page.append("\n## ").append(group.title()).append("\n\n");
      page.append("| setting | element | option | values | default | |\n");
      page.append("| --- | --- | --- | --- | --- | --- |\n");
      group.settings().forEach(setting -> page.append(row(setting)));
    }
    return page.toString();
  }

  private static String row(Setting<?> setting) {
    String star = setting.hasNewElement() ? "*" : "";
    String fixed = setting.isForFirstStart() ? " Fixed at the first start." : "";
    String reason = setting.reason().isEmpty() ? "" : " Why this default: " + setting.reason();
    return "| `"
        + setting.name()
        + "`"
        + (setting.isLive() ? " **live**" : "")
        + " | "
        + ("`<" + setting.elementName() + ">`" + star)
        + " | "
        + ("`" + (setting.option().name() + " " + setting.option().label()).strip() + "`")
        + " | "
        + setting.form().range()
        + " | "
        + setting.defaultText()
        + " | "
        + setting.help()
        + fixed
        + reason
        + " |\n";
  }
}
