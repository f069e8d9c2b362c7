package dev.colonnade.server.base.config;

import java.io.StringReader;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.Charset;
import java.nio.charset.CharsetDecoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.HashMap;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.xml.stream.XMLInputFactory;
import javax.xml.stream.XMLStreamConstants;
import javax.xml.stream.XMLStreamException;
import javax.xml.stream.XMLStreamReader;
import org.jspecify.annotations.Nullable;

/**
 * Parses a small XML file into elements that know their place in the file. Document types and
 * entities other than the five of XML itself are refused, so that a file cannot make the node read
 * another file, open a connection, or fill its memory.
 */
final class XmlDocument {

  /** Far more than any configuration needs. */
  private static final int MAX_BYTES = 4 << 20;

  private static final int MAX_ELEMENTS = 100_000;
  private static final int MAX_DEPTH = 16;

  private static final Pattern ENCODING =
      Pattern.compile("^<\\?xml[^>]*encoding\\s*=\\s*[\"']([A-Za-z0-9._-]+)[\"']");
  private static final Pattern END_TAG = Pattern.compile("</([A-Za-z_][A-Za-z0-9_.-]*)");

  private final String file;
  private final String text;
  private final int[] lineStarts;
  private final Map<String, XmlElement> lastSelfClosed = new HashMap<>();
  private int elements;

  private XmlDocument(String file, String text) {
    this.file = file;
    this.text = text;
    this.lineStarts = lineStarts(text);
  }

  /** The root element of a file; {@code file} is its name, for messages. */
  static XmlElement read(String file, byte[] content) throws StorageConfException {
    if (content.length > MAX_BYTES) {
      throw new StorageConfException(
          file, 1, 1, "has " + content.length + " bytes; at most " + MAX_BYTES + " are read");
    }
    return new XmlDocument(file, decode(file, content)).root();
  }

  private static String decode(String file, byte[] content) throws StorageConfException {
    String start = new String(content, 0, Math.min(200, content.length), StandardCharsets.US_ASCII);
    Matcher declared = ENCODING.matcher(start);
    String name = declared.find() ? declared.group(1) : "UTF-8";
    try {
      CharsetDecoder decoder = Charset.forName(name).newDecoder();
      String text = decoder.decode(ByteBuffer.wrap(content)).toString();
      String marked = text.startsWith("\ufeff") ? text.substring(1) : text;
      return marked.replace("\r\n", "\n").replace('\r', '\n');
    } catch (CharacterCodingException e) {
      throw new StorageConfException(
          file, 1, 1, "is not written in " + name + ": save it as UTF-8");
    } catch (IllegalArgumentException | UnsupportedOperationException e) {
      throw new StorageConfException(
          file, 1, 1, "declares the encoding " + name + ", which is unknown: save it as UTF-8");
    }
  }

  private XmlElement root() throws StorageConfException {
    XMLInputFactory factory = XMLInputFactory.newDefaultFactory();
    factory.setProperty(XMLInputFactory.SUPPORT_DTD, false);
    factory.setProperty(XMLInputFactory.IS_SUPPORTING_EXTERNAL_ENTITIES, false);
    factory.setProperty(XMLInputFactory.IS_COALESCING, true);
    int documentType = text.indexOf("<!DOCTYPE");
    if (documentType >= 0 && text.lastIndexOf("<!--", documentType) < 0) {
      throw at(documentType, "document types are not supported: remove the <!DOCTYPE …>");
    }
    try {
      XMLStreamReader reader = factory.createXMLStreamReader(new StringReader(text));
      try {
        return read(reader);
      } finally {
        reader.close();
      }
    } catch (XMLStreamException e) {
      throw malformed(e);
    }
  }

  private XmlElement read(XMLStreamReader reader) throws XMLStreamException, StorageConfException {
    Deque<XmlElement> open = new ArrayDeque<>();
    @Nullable XmlElement root = null;
    while (reader.hasNext()) {
      int event = reader.next();
      switch (event) {
        case XMLStreamConstants.START_ELEMENT -> {
          XmlElement element = start(reader, open.size());
          XmlElement parent = open.peek();
          if (parent == null) {
            root = element;
          } else {
            parent.children().add(element);
          }
          open.push(element);
        }
        case XMLStreamConstants.END_ELEMENT -> open.pop();
        case XMLStreamConstants.CHARACTERS, XMLStreamConstants.CDATA -> {
          XmlElement parent = open.peek();
          if (parent != null) {
            parent.append(reader.getText());
          }
        }
        case XMLStreamConstants.DTD, XMLStreamConstants.ENTITY_REFERENCE ->
            throw at(
                offset(
                    reader.getLocation().getLineNumber(), reader.getLocation().getColumnNumber()),
                "document types and entities are not supported: write the text itself");
        default -> {
          // Comments and processing instructions have no effect.
        }
      }
    }
    if (root == null) {
      throw new StorageConfException(file, 1, 1, "has no element");
    }
    return root;
  }

  private XmlElement start(XMLStreamReader reader, int depth) throws StorageConfException {
    int end = offset(reader.getLocation().getLineNumber(), reader.getLocation().getColumnNumber());
    // The reader is behind the tag, and no raw < can stand inside of one.
    int begin = Math.max(0, text.lastIndexOf('<', Math.max(0, end - 1)));
    if (depth >= MAX_DEPTH || ++elements > MAX_ELEMENTS) {
      throw at(begin, "too many elements, or elements nested too deeply");
    }
    XmlElement element = new XmlElement(reader.getLocalName(), lineOf(begin), columnOf(begin));
    for (int i = 0; i < reader.getAttributeCount(); i++) {
      element
          .attributes()
          .put(reader.getAttributeLocalName(i), reader.getAttributeValue(i).strip());
    }
    if (end >= 2 && text.startsWith("/>", end - 2)) {
      lastSelfClosed.put(element.name(), element);
    }
    return element;
  }

  private StorageConfException malformed(XMLStreamException e) {
    int line = e.getLocation() == null ? 1 : e.getLocation().getLineNumber();
    int column = e.getLocation() == null ? 1 : e.getLocation().getColumnNumber();
    String message = String.valueOf(e.getMessage());
    int cut = message.indexOf("Message: ");
    String reason =
        "not well-formed XML: " + (cut < 0 ? message : message.substring(cut + 9)).strip();
    return new StorageConfException(
        file, Math.max(1, line), Math.max(1, column), reason + hint(offset(line, column)));
  }

  /** The two mistakes that articles and word processors brought into these files. */
  private String hint(int at) {
    int lineStart = text.lastIndexOf('\n', Math.max(0, at - 1)) + 1;
    String before = text.substring(lineStart, Math.min(text.length(), at + 1));
    if (before.chars().anyMatch(c -> c >= '\u2018' && c <= '\u201f')) {
      return " There is a typographic quotation mark here; XML takes only \" and '.";
    }
    // The reader stops inside of the unexpected end tag.
    int tagStart = text.lastIndexOf("</", at);
    Matcher tag = END_TAG.matcher(text);
    String last = tagStart >= 0 && tag.find(tagStart) ? tag.group(1) : "";
    XmlElement closed = lastSelfClosed.get(last);
    return closed == null
        ? ""
        : " <"
            + last
            + "> in line "
            + closed.line()
            + " closes itself: if </"
            + last
            + "> is meant to close it, remove the / at its end.";
  }

  private StorageConfException at(int offset, String reason) {
    return new StorageConfException(file, lineOf(offset), columnOf(offset), reason);
  }

  /** The offset of a line and column, both from 1, in the text. */
  private int offset(int line, int column) {
    int start = lineStarts[Math.max(0, Math.min(lineStarts.length, line) - 1)];
    return Math.min(text.length(), start + Math.max(0, column - 1));
  }

  private int lineOf(int offset) {
    int found = Arrays.binarySearch(lineStarts, offset);
    return found >= 0 ? found + 1 : -found - 1;
  }

  private int columnOf(int offset) {
    return offset - lineStarts[lineOf(offset) - 1] + 1;
  }

  private static int[] lineStarts(String text) {
    int[] starts = new int[1 + (int) text.chars().filter(c -> c == '\n').count()];
    for (int i = 1; i < starts.length; i++) {
      starts[i] = text.indexOf('\n', starts[i - 1]) + 1;
    }
    return starts;
  }
}
