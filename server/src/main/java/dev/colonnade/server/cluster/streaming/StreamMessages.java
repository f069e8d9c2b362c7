package dev.colonnade.server.cluster.streaming;

import dev.colonnade.server.base.codec.ByteReader;
import dev.colonnade.server.base.codec.ByteWriter;
import dev.colonnade.server.base.codec.Checksums;
import dev.colonnade.server.base.codec.CorruptDataException;
import dev.colonnade.server.base.model.FamilyId;
import dev.colonnade.server.cluster.ring.TokenRange;
import java.util.List;

/**
 * What the two sides of a stream tell each other. {@link StreamCodec} encodes all but the chunks.
 * Answers have no body.
 */
final class StreamMessages {

  private StreamMessages() {}

  /**
   * Verb STREAM_OPEN: rows of a family will come.
   *
   * @param truncation the last one of the family at the sender
   * @param fileBytes of the files that they come from
   */
  record StreamOpen(
      StreamId id, FamilyId family, long truncation, String purpose, long fileBytes) {}

  /**
   * Verb STREAM_CHUNK. Chunks are most of what goes between nodes, and have a format of their own:
   * the stream's id, the number and a checksum, fixed in width, then the rows.
   *
   * @param number from 0
   */
  @SuppressWarnings("ArrayRecordComponent") // never compared as a whole
  record StreamChunk(StreamId id, long number, byte[] rows) {
    byte[] encode() {
      ByteWriter out = new ByteWriter(28 + rows.length);
      out.writeLong(id.high());
      out.writeLong(id.low());
      out.writeLong(number);
      out.writeInt(checksum());
      out.writeRaw(rows);
      return out.toByteArray();
    }

    static StreamChunk decode(byte[] body) throws CorruptDataException {
      ByteReader in = new ByteReader(body);
      StreamId id = new StreamId(in.readLong(), in.readLong());
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
   * @param chunks how many there were; 0 if it ends early
   * @param rows how many there were; 0 if it ends early
   * @param failure why it ends early; empty if it is whole
   */
  record Close(StreamId id, long chunks, long rows, String failure) {

    /** The end of a stream that is whole. */
    static Close complete(StreamId id, long chunks, long rows) {
      return new Close(id, chunks, rows, "");
    }

    /** The early end of a stream. */
    static Close early(StreamId id, String failure) {
      return new Close(id, 0, 0, failure.isEmpty() ? "no reason was given" : failure);
    }
  }

  /** Verb STREAM_REQUEST: send these ranges to the requesting node, under this id. */
  record Wanted(StreamId id, FamilyId family, List<TokenRange> ranges, String purpose) {}
}
