package dev.colonnade.server.service.rpc;

import com.google.protobuf.CodedInputStream;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.Message;
import com.google.protobuf.Parser;
import com.google.protobuf.UnsafeByteOperations;
import dev.colonnade.server.base.model.HeapSizes;
import io.grpc.MethodDescriptor;
import java.io.IOException;

/**
 * Decodes the requests of one method, and estimates beforehand the memory that takes. Thread-safe.
 *
 * @param <Q> the request
 */
final class RequestDecoder<Q> {

  /**
   * The heap of an object of a request: the message itself, its place in a list, the model's cell,
   * its place in the row.
   */
  static final long OBJECT_BYTES = 128;

  /** The fewest bytes of an object on the wire: its tag and a length of zero. */
  private static final int WIRE_BYTES_MIN = 2;

  private final MessageWeigher weigher;
  private final Parser<Q> parser;

  private RequestDecoder(MessageWeigher weigher, Parser<Q> parser) {
    this.weigher = weigher;
    this.parser = parser;
  }

  /** Creates the decoder of a method, whose requests are protocol buffers, as all are here. */
  @SuppressWarnings("unchecked") // a message's parser makes messages of its own type
  static <Q> RequestDecoder<Q> of(MethodDescriptor<Q, ?> method) {
    if (method.getRequestMarshaller() instanceof MethodDescriptor.PrototypeMarshaller<Q> known
        && known.getMessagePrototype() instanceof Message prototype) {
      return new RequestDecoder<>(
          MessageWeigher.of(prototype.getDescriptorForType()),
          (Parser<Q>) prototype.getParserForType());
    }
    throw new IllegalArgumentException(
        method.getFullMethodName() + " does not take protocol buffers");
  }

  /** The most heap that a request of this size can take, whatever it contains. */
  static long bytesAtMost(int wireBytes) {
    return wireBytes * (2 + OBJECT_BYTES / WIRE_BYTES_MIN);
  }

  /**
   * The heap that this request takes besides its encoded array: its objects, and the copies of its
   * names and values that the store keeps.
   */
  long bytes(byte[] encoded) {
    return HeapSizes.ofArray(encoded.length) + weigher.objects(encoded) * OBJECT_BYTES;
  }

  /**
   * Decodes a request. It refers to the array, which must not be changed any more.
   *
   * @throws InvalidProtocolBufferException if the bytes are malformed
   */
  Q decode(byte[] encoded) throws InvalidProtocolBufferException {
    CodedInputStream in = UnsafeByteOperations.unsafeWrap(encoded).newCodedInput();
    in.enableAliasing(true);
    Q request = parser.parseFrom(in);
    try {
      if (!in.isAtEnd()) {
        throw new InvalidProtocolBufferException("the request has bytes after its end");
      }
    } catch (InvalidProtocolBufferException e) {
      throw e;
    } catch (IOException impossible) {
      throw new InvalidProtocolBufferException(impossible);
    }
    return request;
  }
}
