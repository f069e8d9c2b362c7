package dev.colonnade.server.cluster.streaming;

import dev.colonnade.server.base.codec.ByteReader;
import dev.colonnade.server.base.codec.ByteWriter;
import dev.colonnade.server.base.codec.Checksums;
import dev.colonnade.server.base.codec.CorruptDataException;
import dev.colonnade.server.base.model.FamilyId;
import dev.colonnade.server.cluster.ring.TokenRange;
import java.util.ArrayList;
import java.util.List;

/** The bodies of the verbs of streams. Answers have none. */
final class StreamMessages {
  private static final int RANGES_MAX = 1 << 16;
  private static final int TOKEN_BYTES_MAX = 1 << 20;
  private static final int TEXT_BYTES_MAX = 1 << 12;

  private StreamMessages() {}

  /**
   * Verb STREAM_OPEN: rows of a family will come.
   *
   * @param truncation the last one of the family at the sender
   * @param fileBytes of the files that they come from
   */
  record StreamOpen(StreamId id, FamilyId family, long truncation, String purpose, long fileBytes) {
    byte[] encode() {
      ByteWriter out = new ByteWriter(128);
      id.write(out);
      out.writeLong(family.high());
      out.writeLong(family.low());
      out.writeVarint(truncation);
      out.writeText(shortened(purpose));
      out.writeVarint(fileBytes);
      return out.toByteArray();
    }

    static StreamOpen decode(byte[] body) throws CorruptDataException {
      ByteReader in = new ByteReader(body);
      StreamOpen open =
          new StreamOpen(
              StreamId.read(in),
              new FamilyId(in.readLong(), in.readLong()),
              in.readVarint(),
              in.readText("purpose", TEXT_BYTES_MAX),
              in.readVarint());
      in.expectEnd("opening of a stream");
      return open;
    }
  }

  /**
   * Verb STREAM_CHUNK.
   *
   * @param number from 0
   */
  @SuppressWarnings("ArrayRecordComponent") // never compared as a whole
  record StreamChunk(StreamId id, long number, byte[] rows) {
    byte[] encode() {
      ByteWriter out = new ByteWriter(28 + rows.length);
      id.write(out);
      out.writeLong(number);
      out.writeInt(checksum());
      out.writeRaw(rows);
      return out.toByteArray();
    }

    static StreamChunk decode(byte[] body) throws CorruptDataException {
      ByteReader in = new ByteReader(body);
      StreamId id = StreamId.read(in);
      long number = in.readLong();
      int expected = in.readInt();
      StreamChunk chunk = new StreamChunk(id, number, in.readRaw(in.remaining()));
      int found = chunk.checksum();
      if (number < 0 || found != expected) {
        throw in.corrupt(
            "chunk " + number, "checksum " + Checksums.text(expected), Checksums.text(found));
      }
      return chunk;
    }

    private int checksum() {
      return new Checksums.RunningChecksum()
          .updateLong(id.high())
          .updateLong(id.low())
          .updateLong(number)
          .update(rows, 0, rows.length)
          .value();
    }
  }

  /**
   * Verb STREAM_CLOSE: the end.
   *
   * @param chunks how many there were
   * @param rows how many there were
   * @param failure why it ends early; empty if it is whole
   */
  record Close(StreamId id, long chunks, long rows, String failure) {
    byte[] encode() {
      ByteWriter out = new ByteWriter(64);
      id.write(out);
      out.writeVarint(chunks);
      out.writeVarint(rows);
      out.writeText(shortened(failure));
      return out.toByteArray();
    }

    static Close decode(byte[] body) throws CorruptDataException {
      ByteReader in = new ByteReader(body);
      Close close =
          new Close(
              StreamId.read(in),
              in.readVarint(),
              in.readVarint(),
              in.readText("failure", TEXT_BYTES_MAX));
      in.expectEnd("close of a stream");
      return close;
    }
  }

  /** Verb STREAM_REQUEST: send these ranges to the requesting node, under this id. */
  record Wanted(StreamId id, FamilyId family, List<TokenRange> ranges, String purpose) {
    byte[] encode() {
      ByteWriter out = new ByteWriter(256);
      id.write(out);
      out.writeLong(family.high());
      out.writeLong(family.low());
      out.writeText(shortened(purpose));
      out.writeVarint(ranges.size());
      for (TokenRange range : ranges) {
        out.writeBytes(range.start());
        out.writeBytes(range.end());
      }
      return out.toByteArray();
    }

    static Wanted decode(byte[] body) throws CorruptDataException {
      ByteReader in = new ByteReader(body);
      StreamId id = StreamId.read(in);
      FamilyId family = new FamilyId(in.readLong(), in.readLong());
      String purpose = in.readText("purpose", TEXT_BYTES_MAX);
      int count = in.readLength("ranges", RANGES_MAX);
      List<TokenRange> ranges = new ArrayList<>(Math.min(count, 1_024));
      for (int i = 0; i < count; i++) {
        ranges.add(
            new TokenRange(
                in.readBytes("token", TOKEN_BYTES_MAX), in.readBytes("token", TOKEN_BYTES_MAX)));
      }
      in.expectEnd("request for a stream");
      return new Wanted(id, family, ranges, purpose);
    }
  }

  private static String shortened(String text) {
    return text.length() <= TEXT_BYTES_MAX / 4 ? text : text.substring(0, TEXT_BYTES_MAX / 4);
  }
}
