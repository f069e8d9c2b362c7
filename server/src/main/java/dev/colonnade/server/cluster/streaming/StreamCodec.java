package dev.colonnade.server.cluster.streaming;

import com.google.protobuf.UnsafeByteOperations;
import dev.colonnade.internode.v1.Id128;
import dev.colonnade.internode.v1.StreamCloseRequest;
import dev.colonnade.internode.v1.StreamOpenRequest;
import dev.colonnade.internode.v1.StreamRequest;
import dev.colonnade.internode.v1.StreamTotals;
import dev.colonnade.internode.v1.TokenSpan;
import dev.colonnade.server.base.codec.CorruptDataException;
import dev.colonnade.server.base.codec.MessageParser;
import dev.colonnade.server.base.model.DataLimits;
import dev.colonnade.server.base.model.FamilyId;
import dev.colonnade.server.cluster.net.FrameCodec;
import dev.colonnade.server.cluster.ring.TokenRange;
import java.util.ArrayList;
import java.util.List;

/** Encodes the begin and the end of streams as messages of {@code internode.proto}. */
final class StreamCodec {

  private static final int BYTES_MAX = 64 << 10;
  private static final int RANGES_MAX = 1 << 16;
  private static final int TEXT_MAX = 1 << 12;

  /** The text that is sent: enough for people. */
  private static final int SENT_TEXT_MAX = TEXT_MAX / 4;

  /** Those beside the ranges, some of later versions included. */
  private static final int OTHER_FIELDS = 64;

  private static final MessageParser<StreamOpenRequest> OPEN =
      new MessageParser<>(
          "the opening of a stream",
          StreamOpenRequest.getDefaultInstance(),
          BYTES_MAX,
          OTHER_FIELDS);
  private static final MessageParser<StreamCloseRequest> CLOSE =
      new MessageParser<>(
          "the end of a stream", StreamCloseRequest.getDefaultInstance(), BYTES_MAX, OTHER_FIELDS);
  private static final MessageParser<StreamRequest> WANTED =
      new MessageParser<>(
          "a request for a stream",
          StreamRequest.getDefaultInstance(),
          FrameCodec.MAX_BODY_BYTES,
          3 * RANGES_MAX + OTHER_FIELDS);

  private StreamCodec() {}

  static byte[] encode(StreamMessages.StreamOpen open) {
    return StreamOpenRequest.newBuilder()
        .setStream(id(open.id()))
        .setFamily(id(open.family()))
        .setTruncation(open.truncation())
        .setPurpose(shortened(open.purpose()))
        .setFileBytes(open.fileBytes())
        .build()
        .toByteArray();
  }

  static StreamMessages.StreamOpen decodeOpen(byte[] body) throws CorruptDataException {
    StreamOpenRequest message = OPEN.parse(body);
    return new StreamMessages.StreamOpen(
        stream(message.hasStream(), message.getStream()),
        family(message.hasFamily(), message.getFamily()),
        notNegative("truncation of a family", message.getTruncation()),
        MessageParser.text("purpose of a stream", message.getPurpose(), TEXT_MAX),
        notNegative("bytes of a stream's files", message.getFileBytes()));
  }

  static byte[] encode(StreamMessages.Close close) {
    StreamCloseRequest.Builder message = StreamCloseRequest.newBuilder().setStream(id(close.id()));
    if (close.failure().isEmpty()) {
      message.setComplete(
          StreamTotals.newBuilder().setChunks(close.chunks()).setRows(close.rows()));
    } else {
      message.setFailure(shortened(close.failure()));
    }
    return message.build().toByteArray();
  }

  static StreamMessages.Close decodeClose(byte[] body) throws CorruptDataException {
    StreamCloseRequest message = CLOSE.parse(body);
    StreamId id = stream(message.hasStream(), message.getStream());
    return switch (message.getOutcomeCase()) {
      case COMPLETE ->
          StreamMessages.Close.complete(
              id,
              notNegative("chunks of a stream", message.getComplete().getChunks()),
              notNegative("rows of a stream", message.getComplete().getRows()));
      case FAILURE ->
          StreamMessages.Close.early(
              id, MessageParser.text("failure of a stream", message.getFailure(), TEXT_MAX));
      case OUTCOME_NOT_SET ->
          throw CorruptDataException.inMessage("outcome of a stream", "one", "none");
    };
  }

  static byte[] encode(StreamMessages.Wanted wanted) {
    StreamRequest.Builder message =
        StreamRequest.newBuilder()
            .setStream(id(wanted.id()))
            .setFamily(id(wanted.family()))
            .setPurpose(shortened(wanted.purpose()));
    for (TokenRange range : wanted.ranges()) {
      message.addRanges(
          TokenSpan.newBuilder()
              .setStart(UnsafeByteOperations.unsafeWrap(range.start()))
              .setEnd(UnsafeByteOperations.unsafeWrap(range.end())));
    }
    return message.build().toByteArray();
  }

  static StreamMessages.Wanted decodeWanted(byte[] body) throws CorruptDataException {
    StreamRequest message = WANTED.parse(body);
    MessageParser.number("ranges of a stream", message.getRangesCount(), 0, RANGES_MAX);
    List<TokenRange> ranges = new ArrayList<>(message.getRangesCount());
    for (TokenSpan range : message.getRangesList()) {
      ranges.add(
          new TokenRange(
              MessageParser.bytes("token", range.getStart(), DataLimits.TOKEN_BYTES),
              MessageParser.bytes("token", range.getEnd(), DataLimits.TOKEN_BYTES)));
    }
    return new StreamMessages.Wanted(
        stream(message.hasStream(), message.getStream()),
        family(message.hasFamily(), message.getFamily()),
        ranges,
        MessageParser.text("purpose of a stream", message.getPurpose(), TEXT_MAX));
  }

  private static Id128 id(StreamId id) {
    return Id128.newBuilder().setHigh(id.high()).setLow(id.low()).build();
  }

  private static Id128 id(FamilyId id) {
    return Id128.newBuilder().setHigh(id.high()).setLow(id.low()).build();
  }

  private static StreamId stream(boolean isPresent, Id128 id) throws CorruptDataException {
    MessageParser.require("the stream", isPresent);
    return new StreamId(id.getHigh(), id.getLow());
  }

  private static FamilyId family(boolean isPresent, Id128 id) throws CorruptDataException {
    MessageParser.require("the family", isPresent);
    return new FamilyId(id.getHigh(), id.getLow());
  }

  private static long notNegative(String what, long number) throws CorruptDataException {
    return MessageParser.number(what, number, 0, Long.MAX_VALUE);
  }

  private static String shortened(String text) {
    return text.length() <= SENT_TEXT_MAX ? text : text.substring(0, SENT_TEXT_MAX);
  }
}
