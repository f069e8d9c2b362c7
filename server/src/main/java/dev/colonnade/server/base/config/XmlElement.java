package dev.colonnade.server.base.config;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** An element of a configuration file, with the place where its tag begins. */
final class XmlElement {

  private final String name;
  private final int line;
  private final int column;
  private final Map<String, String> attributes = new LinkedHashMap<>();
  private final List<XmlElement> children = new ArrayList<>();
  private final StringBuilder text = new StringBuilder();

  XmlElement(String name, int line, int column) {
    this.name = name;
    this.line = line;
    this.column = column;
  }

  String name() {
    return name;
  }

  int line() {
    return line;
  }

  int column() {
    return column;
  }

  Map<String, String> attributes() {
    return attributes;
  }

  List<XmlElement> children() {
    return children;
  }

  String text() {
    return text.toString().strip();
  }

  void append(String characters) {
    text.append(characters);
  }
}
