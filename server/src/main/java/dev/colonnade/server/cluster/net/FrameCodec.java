package dev.colonnade.server.cluster.net;

import dev.colonnade.server.base.codec.ByteReader;
import dev.colonnade.server.base.codec.ByteWriter;
import dev.colonnade.server.base.codec.CorruptDataException;

/**
 * Encodes a complete frame as bytes, for transports without a message format of their own: a byte
 * each for format version, kind and verb; the sender's id, host and port; the id of the node that
 * is meant; number; timeout; body; and the trace, if there is one. Lengths and small numbers are
 * varints.
 */
public final class FrameCodec {
  /** The longest body of a frame, 64 MiB: more than a page of the widest rows. */
  public static final int MAX_BODY_BYTES = 64 << 20;

  /** Longest id of a node. */
  public static final int MAX_ID_BYTES = 256;

  /** Longest host name, as in DNS. */
  public static final int MAX_HOST_BYTES = 255;

  private static final int VERSION = 1;
  private static final int HEAD_BYTES = 128;

  private FrameCodec() {}

  /** The bytes of a frame. */
  public static byte[] encode(Frame frame) {
    ByteWriter writer = new ByteWriter(HEAD_BYTES + frame.body().length);
    writer.writeByte(VERSION);
    writer.writeByte(frame.kind().number());
    writer.writeByte(frame.verb().number());
    writer.writeText(frame.from().id());
    writer.writeText(frame.from().address().host());
    writer.writeVarint(frame.from().address().port());
    writer.writeText(frame.toId());
    writer.writeLong(frame.number());
    writer.writeVarint(frame.timeoutNanos());
    writer.writeBytes(frame.body());
    if (frame.trace().length > 0) {
      writer.writeBytes(frame.trace());
    }
    return writer.toByteArray();
  }

  /**
   * The frame of some bytes.
   *
   * @throws CorruptDataException if they are not exactly the bytes of a frame of this version
   */
  public static Frame decode(byte[] bytes) throws CorruptDataException {
    ByteReader reader = new ByteReader(bytes);
    int version = reader.readByte();
    if (version != VERSION) {
      throw reader.corrupt("version of a frame", "" + VERSION, "" + version);
    }
    Frame.FrameKind kind = kind(reader);
    Verb verb = verb(reader);
    Peer from = from(reader);
    String toId = reader.readText("id of the node that is meant", MAX_ID_BYTES);
    long number = reader.readLong();
    long timeoutNanos = reader.readVarint();
    if (timeoutNanos < 0) {
      throw reader.corrupt("time limit of a frame", "63 bits", "64 bits");
    }
    byte[] body = reader.readBytes("body of a frame", MAX_BODY_BYTES);
    byte[] trace = reader.hasRemaining() ? trace(reader) : Frame.NO_TRACE;
    reader.expectEnd("frame");
    return new Frame(kind, verb, from, toId, number, timeoutNanos, body, trace);
  }

  private static byte[] trace(ByteReader reader) throws CorruptDataException {
    byte[] trace = reader.readBytes("trace of a frame", Frame.TRACE_BYTES_MAX);
    if (trace.length == 0) {
      throw reader.corrupt("trace of a frame", "none, or at least 1 byte", "0 bytes");
    }
    return trace;
  }

  private static Frame.FrameKind kind(ByteReader reader) throws CorruptDataException {
    int number = reader.readByte();
    Frame.FrameKind kind = Frame.FrameKind.of(number);
    if (kind == null) {
      throw reader.corrupt("kind of a frame", "a known one", "" + number);
    }
    return kind;
  }

  private static Verb verb(ByteReader reader) throws CorruptDataException {
    int number = reader.readByte();
    Verb verb = Verb.of(number);
    if (verb == null) {
      throw reader.corrupt("verb of a frame", "a known one", "" + number);
    }
    return verb;
  }

  private static Peer from(ByteReader reader) throws CorruptDataException {
    String id = reader.readText("id of a sender", MAX_ID_BYTES);
    String host = reader.readText("host of a sender", MAX_HOST_BYTES);
    int port = reader.readVarint("port of a sender", 65_535);
    if (host.isEmpty() || port == 0) {
      throw reader.corrupt("address of a sender", "a host and a port", host + ":" + port);
    }
    return new Peer(id, new PeerAddress(host, port));
  }
}
