package dev.colonnade.server.service.rpc;

import com.google.protobuf.CodedOutputStream;
import com.google.protobuf.MessageLite;
import dev.colonnade.v1.SessionAnswer;
import dev.colonnade.v1.SessionResponse;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The answers of a session that are to be sent, packed into messages. A message has short answers
 * up to a length, and at most one piece of a long one; long answers take turns. So an answer waits
 * for no more than one piece, however long the others are. For one thread at a time.
 */
final class SessionAnswers {

  private static final int ANSWERS = ByteChunks.tag(SessionResponse.ANSWERS_FIELD_NUMBER);
  private static final int GOING_AWAY = SessionResponse.GOING_AWAY_FIELD_NUMBER << 3;
  private static final int ID = SessionAnswer.ID_FIELD_NUMBER << 3;
  private static final int ERROR = ByteChunks.tag(SessionAnswer.ERROR_FIELD_NUMBER);
  private static final int PIECE = ByteChunks.tag(SessionAnswer.PIECE_FIELD_NUMBER);
  private static final int LAST_PIECE = SessionAnswer.LAST_PIECE_FIELD_NUMBER << 3;

  /** The tag of a number below 16 and the value true. */
  private static final int BOOL_BYTES = 2;

  private final int pieceBytes;
  private final Consumer<OpenCall> packed;
  private final Queue<OpenCall> small = new ArrayDeque<>();
  private final Queue<LongAnswer> large = new ArrayDeque<>();

  /** An answer that is sent in pieces. */
  private record LongAnswer(OpenCall call, ByteChunks.Reader rest) {}

  /**
   * Starts empty.
   *
   * @param pieceBytes the length of a piece, and about that of a message's short answers together
   * @param packed receives each call when all of its answer is in messages
   */
  SessionAnswers(int pieceBytes, Consumer<OpenCall> packed) {
    this.pieceBytes = pieceBytes;
    this.packed = packed;
  }

  /** Adds the answer of a call that has ended. */
  void add(OpenCall call) {
    if (call.answer() instanceof EncodedMessage encoded && encoded.size() > pieceBytes) {
      large.add(new LongAnswer(call, encoded.content().reader()));
    } else {
      small.add(call);
    }
  }

  /** Whether there is nothing to send. */
  boolean isEmpty() {
    return small.isEmpty() && large.isEmpty();
  }

  /** Drops all answers. */
  void clear() {
    small.forEach(packed);
    small.clear();
    large.forEach(one -> packed.accept(one.call()));
    large.clear();
  }

  /**
   * Packs the next message.
   *
   * @param goingAway whether it says that the node goes away
   */
  EncodedMessage next(boolean goingAway) {
    ByteChunks message = new ByteChunks();
    if (goingAway) {
      message.varint(GOING_AWAY);
      message.varint(1);
    }
    OpenCall next = small.poll();
    while (next != null) {
      // First, so that a call whose answer cannot be packed is not forgotten.
      packed.accept(next);
      pack(next, message);
      next = message.size() < pieceBytes ? small.poll() : null;
    }
    LongAnswer one = large.peek();
    if (one != null) {
      boolean last = packPiece(one, message);
      large.remove();
      if (last) {
        packed.accept(one.call());
      } else {
        large.add(one);
      }
    }
    return EncodedMessage.of(message);
  }

  private void pack(OpenCall call, ByteChunks message) {
    byte @Nullable [] error = call.error();
    if (error != null) {
      begin(call, ERROR, error.length, 0, message);
      message.bytes(error);
    } else if (call.answer() instanceof EncodedMessage encoded) {
      begin(call, ByteChunks.tag(call.number()), encoded.size(), 0, message);
      message.append(encoded.content());
    } else if (call.answer() instanceof MessageLite answer) {
      byte[] bytes = answer.toByteArray();
      begin(call, ByteChunks.tag(call.number()), bytes.length, 0, message);
      message.bytes(bytes);
    } else {
      throw new IllegalStateException("a call ended with neither an answer nor an error");
    }
  }

  /** Packs a piece; true if it is the last one. */
  private boolean packPiece(LongAnswer one, ByteChunks message) {
    int bytes = (int) Math.min(pieceBytes, one.rest().remaining());
    boolean last = bytes == one.rest().remaining();
    begin(one.call(), PIECE, bytes, last ? BOOL_BYTES : 0, message);
    one.rest().moveTo(message, bytes);
    if (last) {
      message.varint(LAST_PIECE);
      message.varint(1);
    }
    return last;
  }

  /** Begins an answer: its number, and the tag and length of its outcome. */
  private static void begin(
      OpenCall call, int outcome, int outcomeBytes, int moreBytes, ByteChunks message) {
    int idBytes = 1 + CodedOutputStream.computeUInt64SizeNoTag(call.id());
    message.varint(ANSWERS);
    message.varint(idBytes + 1L + ByteChunks.sizeWithLength(outcomeBytes) + moreBytes);
    message.varint(ID);
    message.varint(call.id());
    message.varint(outcome);
    message.varint(outcomeBytes);
  }
}
