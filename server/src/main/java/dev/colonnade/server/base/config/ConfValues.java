package dev.colonnade.server.base.config;

import java.util.function.Supplier;

/** Parses values of elements, and reports their place when they are wrong. */
final class ConfValues {

  private final String file;

  ConfValues(String file) {
    this.file = file;
  }

  StorageConfException error(XmlElement element, String reason) {
    return new StorageConfException(file, element.line(), element.column(), reason);
  }

  String text(XmlElement element) throws StorageConfException {
    if (!element.children().isEmpty()) {
      XmlElement child = element.children().get(0);
      throw error(child, "<" + child.name() + "> does not belong inside <" + element.name() + ">");
    }
    rejectAttributes(element);
    return element.text();
  }

  void rejectAttributes(XmlElement element) throws StorageConfException {
    for (String attribute : element.attributes().keySet()) {
      throw error(element, "<" + element.name() + "> has no attribute " + attribute);
    }
  }

  boolean flag(XmlElement element) throws StorageConfException {
    String text = text(element);
    if (text.equals("true") || text.equals("false")) {
      return text.equals("true");
    }
    throw error(element, "<" + element.name() + "> is true or false; got \"" + text + "\"");
  }

  int integer(XmlElement element, int least, int most) throws StorageConfException {
    String text = text(element);
    try {
      int number = Integer.parseInt(text);
      if (number >= least && number <= most) {
        return number;
      }
    } catch (NumberFormatException e) {
      // Refused below, with the rule in the message.
    }
    throw error(
        element,
        "<"
            + element.name()
            + "> is a whole number from "
            + least
            + " to "
            + most
            + "; got \""
            + text
            + "\"");
  }

  double number(XmlElement element, double least, double most) throws StorageConfException {
    String text = text(element);
    try {
      double number = Double.parseDouble(text);
      if (number >= least && number <= most) {
        return number;
      }
    } catch (NumberFormatException e) {
      // Refused below, with the rule in the message.
    }
    throw error(
        element,
        "<"
            + element.name()
            + "> is a number from "
            + least
            + " to "
            + most
            + "; got \""
            + text
            + "\"");
  }

  /** Settings check themselves; this adds the element's place to their refusal. */
  <T> T checked(XmlElement element, Supplier<T> settings) throws StorageConfException {
    try {
      return settings.get();
    } catch (IllegalArgumentException e) {
      throw error(element, "<" + element.name() + ">: " + e.getMessage());
    }
  }
}
