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

      A setting has the value of its option of `colonnade server`, or else that of its element in the `storage-conf.xml`
      of `--storage-conf`, or else its default. All are read when the node starts, and the node logs those that differ
      from their defaults. Those with neither an option nor an element cannot be changed. Those that are fixed at the
      first start are stored with the data. Elements marked with * are specific to this store: no release of Cassandra
      had them. [Operations](operations.md#storage-confxml) says more
      about the file; elements that set fields of column families are described with the [data model](data-model.md).
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
      setting.elementName().ifPresent(name -> names.add("<" + name + ">"));
      setting.option().ifPresent(option -> names.add(option.name()));
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
        + "` | "
        + setting.elementName().map(name -> "`<" + name + ">`" + star).orElse("")
        + " | "
        + setting
            .option()
            .map(option -> "`" + (option.name() + " " + option.label()).strip() + "`")
            .orElse("")
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
