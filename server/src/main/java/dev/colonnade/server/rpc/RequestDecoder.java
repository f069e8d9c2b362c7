package dev.colonnade.server.rpc;

import com.google.protobuf.CodedInputStream;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.Message;
import com.google.protobuf.Parser;
import com.google.protobuf.UnsafeByteOperations;
import dev.colonnade.server.model.HeapSizes;
import io.grpc.MethodDescriptor;
import java.io.IOException;

/**
 * Takes the requests of one method apart, and says before what that takes. Thread-safe.
 *
 * @param <Q> the request
 */
final class RequestDecoder<Q> {

  /**
   * What an object of a request takes, with what it becomes on its way: the message itself, its
   * place in a list, the model's cell, its place in the row.
   */
  static final long OBJECT_BYTES = 128;

  /** The fewest bytes on the wire that an object takes: its tag, and a length of nothing. */
  private static final int WIRE_BYTES_MIN = 2;

  private final MessageWeigher weigher;
  private final Parser<Q> parser;

  private RequestDecoder(MessageWeigher weigher, Parser<Q> parser) {
    this.weigher = weigher;
    this.parser = parser;
  }

  /** For a method whose requests are protocol buffers, as all here are. */
  @SuppressWarnings("unchecked") // a message's parser makes messages of its own type
  static <Q> RequestDecoder<Q> of(MethodDescriptor<Q, ?> method) {
    if (method.getRequestMarshaller() instanceof MethodDescriptor.PrototypeMarshaller<Q> known
        && known.getMessagePrototype() instanceof Message prototype) {
      return new RequestDecoder<>(
          MessageWeigher.of(prototype.getDescriptorForType()),
          (Parser<Q>) prototype.getParserForType());
    }
    throw new IllegalArgumentException(
        method.getFullMethodName() + " takes something else than protocol buffers");
  }

  /** What a request of so many bytes takes at most, whatever it consists of. */
  static long bytesAtMost(int wireBytes) {
    return wireBytes * (2 + OBJECT_BYTES / WIRE_BYTES_MIN);
  }

  /**
   * What this request takes, besides the array that it stands in: the copies of its names and
   * values that the store keeps, and its objects.
   */
  long bytes(byte[] encoded) {
    return HeapSizes.ofArray(encoded.length) + weigher.objects(encoded) * OBJECT_BYTES;
  }

  /**
   * The request. It refers to the array, which must not be changed any more.
   *
   * @throws InvalidProtocolBufferException if it is none
   */
  Q decode(byte[] encoded) throws InvalidProtocolBufferException {
    CodedInputStream in = UnsafeByteOperations.unsafeWrap(encoded).newCodedInput();
    in.enableAliasing(true);
    Q request = parser.parseFrom(in);
    try {
      if (!in.isAtEnd()) {
        throw new InvalidProtocolBufferException("the request goes on behind its end");
      }
    } catch (InvalidProtocolBufferException e) {
      throw e;
    } catch (IOException impossible) {
      throw new InvalidProtocolBufferException(impossible);
    }
    return request;
  }
}
