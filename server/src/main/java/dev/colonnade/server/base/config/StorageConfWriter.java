package dev.colonnade.server.base.config;

import java.util.List;

/** Writes the settings that a file gives as a {@code storage-conf.xml} that reads as them. */
public final class StorageConfWriter {

  private StorageConfWriter() {}

  /**
   * Returns the text of a file with an element for each setting that was given, in the order in
   * which they are documented. Keyspaces are not written: the schema has more to say of them than
   * the elements can.
   *
   * @param remarks lines for people, which become comments in front
   */
  public static String write(StorageConf conf, List<String> remarks) {
    StringBuilder xml = new StringBuilder("<Storage>\n");
    for (String remark : remarks) {
      // Two hyphens would end the comment.
      xml.append("  <!-- ").append(escaped(remark).replace("--", "- -")).append(" -->\n");
    }
    for (Setting<?> setting : NodeSettings.ALL) {
      if (conf.given().contains(setting)) {
        append(xml, setting, conf.settings());
      }
    }
    return xml.append("</Storage>\n").toString();
  }

  private static <T> void append(StringBuilder xml, Setting<T> setting, NodeSettings settings) {
    Setting.Element<T> element = setting.element();
    String text = element.form().print(settings.get(setting));
    xml.append("  <").append(element.name()).append('>');
    if (element.child().isEmpty()) {
      xml.append(escaped(text));
    } else {
      List<String> parts =
          setting.equals(DirectorySettings.DATA) ? List.of(text) : List.of(text.split(",", -1));
      for (String part : parts) {
        xml.append("\n    <").append(element.child()).append('>').append(escaped(part));
        xml.append("</").append(element.child()).append('>');
      }
      xml.append("\n  ");
    }
    xml.append("</").append(element.name()).append(">\n");
  }

  /** The text as it stands in an element, where it is read as itself. */
  public static String escaped(String text) {
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;");
  }
}
