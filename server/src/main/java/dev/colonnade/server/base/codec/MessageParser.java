package dev.colonnade.server.base.codec;

import com.google.protobuf.ByteString;
import com.google.protobuf.CodedInputStream;
import com.google.protobuf.Descriptors.Descriptor;
import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.DiscardUnknownFieldsParser;
import com.google.protobuf.Message;
import com.google.protobuf.Parser;
import com.google.protobuf.WireFormat;
import java.io.IOException;

/**
 * Parses protobuf messages of other nodes, which are not trusted:
 *
 * <ul>
 *   <li>Two bytes of a message can stand for an object of fifty. Besides its bytes, therefore, the
 *       fields of a message are limited, and they are counted before an object is made for any of
 *       them.
 *   <li>Fields that this version does not know are dropped, so that a later one can add some.
 *   <li>protobuf takes what is absent for zero or empty. The checks below refuse that where a
 *       message makes no sense without it.
 * </ul>
 *
 * <p>Whatever cannot be right is a {@link CorruptDataException}. Thread-safe.
 *
 * @param <M> the type of message
 */
public final class MessageParser<M extends Message> {

  private final String what;
  private final Parser<M> parser;
  private final Descriptor type;
  private final int maxBytes;
  private final int maxFields;

  /**
   * Creates a parser of one type of message.
   *
   * @param what the message, for errors, such as {@code a request to truncate}
   * @param message any of the type
   * @param maxBytes the longest that is accepted
   * @param maxFields how many fields it may have, those of messages within it included; each
   *     element of a repeated field counts
   */
  public MessageParser(String what, M message, int maxBytes, int maxFields) {
    this.what = what;
    this.type = message.getDescriptorForType();
    this.parser = DiscardUnknownFieldsParser.wrap(parserOf(message));
    this.maxBytes = maxBytes;
    this.maxFields = maxFields;
  }

  @SuppressWarnings("unchecked") // a generated message's parser makes messages of its own type
  private static <M extends Message> Parser<M> parserOf(M message) {
    return (Parser<M>) message.getParserForType();
  }

  /** Parses all of {@code body}. */
  public M parse(byte[] body) throws CorruptDataException {
    if (body.length > maxBytes) {
      throw CorruptDataException.inMessage(
          what, "at most " + maxBytes + " bytes", "" + body.length);
    }
    try {
      if (fieldsBefore(0, CodedInputStream.newInstance(body), type) > maxFields) {
        throw CorruptDataException.inMessage(what, "at most " + maxFields + " fields", "more");
      }
      return parser.parseFrom(body);
    } catch (CorruptDataException tooMany) {
      throw tooMany;
    } catch (IOException malformed) {
      CorruptDataException corrupt =
          CorruptDataException.inMessage(
              what, "a message", "other bytes (" + malformed.getMessage() + ")");
      corrupt.initCause(malformed);
      throw corrupt;
    }
  }

  /** Adds the fields up to the input's limit to a count, and stops when there are too many. */
  private int fieldsBefore(int before, CodedInputStream in, Descriptor message) throws IOException {
    int fields = before;
    while (fields <= maxFields) {
      int tag = in.readTag();
      if (tag == 0) {
        return fields;
      }
      fields++;
      FieldDescriptor field = message.findFieldByNumber(WireFormat.getTagFieldNumber(tag));
      if (field != null
          && field.getJavaType() == FieldDescriptor.JavaType.MESSAGE
          && WireFormat.getTagWireType(tag) == WireFormat.WIRETYPE_LENGTH_DELIMITED) {
        int limit = in.pushLimit(in.readRawVarint32());
        fields = fieldsBefore(fields, in, field.getMessageType());
        in.popLimit(limit);
      } else if (!in.skipField(tag)) {
        throw CorruptDataException.inMessage(what, "fields", "the end of a group");
      }
    }
    return fields;
  }

  /** Refuses a message that lacks a part. */
  public static void require(String part, boolean isPresent) throws CorruptDataException {
    if (!isPresent) {
      throw CorruptDataException.inMessage(part, "one", "none");
    }
  }

  /** Returns a text of at most that many characters. */
  public static String text(String part, String text, int maxChars) throws CorruptDataException {
    if (text.length() > maxChars) {
      throw CorruptDataException.inMessage(
          part, "at most " + maxChars + " characters", "" + text.length());
    }
    return text;
  }

  /** Returns a copy of at most that many bytes. */
  public static byte[] bytes(String part, ByteString bytes, int maxBytes)
      throws CorruptDataException {
    if (bytes.size() > maxBytes) {
      throw CorruptDataException.inMessage(
          part, "at most " + maxBytes + " bytes", "" + bytes.size());
    }
    return bytes.toByteArray();
  }

  /** Returns a number that lies between two others, these included. */
  public static long number(String part, long number, long min, long max)
      throws CorruptDataException {
    if (number < min || number > max) {
      throw CorruptDataException.inMessage(part, min + " to " + max, "" + number);
    }
    return number;
  }
}
