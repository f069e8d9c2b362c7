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

  /** The element's text as a value of this form. */
  <T> T read(XmlElement element, ValueForm<T> form) throws StorageConfException {
    return read(element, form, text(element));
  }

  /** A text from inside the element as a value of this form. */
  <T> T read(XmlElement element, ValueForm<T> form, String text) throws StorageConfException {
    try {
      return form.parse("<" + element.name() + ">", text);
    } catch (IllegalArgumentException e) {
      throw error(element, String.valueOf(e.getMessage()));
    }
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
