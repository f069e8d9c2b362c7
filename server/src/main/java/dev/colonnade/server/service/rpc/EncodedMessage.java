package dev.colonnade.server.service.rpc;

import com.google.protobuf.MessageLite;
import io.grpc.Drainable;
import io.grpc.KnownLength;
import io.grpc.MethodDescriptor;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import org.jspecify.annotations.Nullable;

/**
 * An answer that is encoded already: the same bytes as those of the protobuf message that it stands
 * for. Passes from one thread to another, but has one user at a time.
 */
final class EncodedMessage {

  /** Sends encoded answers as they are. A server does not decode answers. */
  static final MethodDescriptor.Marshaller<EncodedMessage> MARSHALLER =
      new MethodDescriptor.Marshaller<>() {
        @Override
        public InputStream stream(EncodedMessage message) {
          return new Encoded(message.content);
        }

        @Override
        public EncodedMessage parse(InputStream stream) {
          throw new UnsupportedOperationException("a server does not decode its own answers");
        }
      };

  private final ByteChunks content;
  private boolean held;

  private EncodedMessage(ByteChunks content) {
    this.content = content;
  }

  /**
   * Creates a message.
   *
   * @param first its first field, which is the repeated field of columns or rows; used up
   * @param rest a message of the same type with the other fields
   */
  static EncodedMessage of(ByteChunks first, MessageLite rest) {
    first.bytes(rest.toByteArray());
    return new EncodedMessage(first);
  }

  /** Creates a message of bytes that make up all of it. */
  static EncodedMessage of(ByteChunks all) {
    return new EncodedMessage(all);
  }

  /** The method with answers that are encoded already. */
  static <Q> MethodDescriptor<Q, EncodedMessage> answering(MethodDescriptor<Q, ?> method) {
    return method.toBuilder(method.getRequestMarshaller(), MARSHALLER).build();
  }

  /** What it is made of; the message must not be sent any more then. */
  ByteChunks content() {
    return content;
  }

  /** Marks a message for which its sender has reserved the memory already. */
  EncodedMessage held() {
    held = true;
    return this;
  }

  /** Whether its sender has reserved the memory for it. */
  boolean isHeld() {
    return held;
  }

  /** The encoded size in bytes. */
  int size() {
    return Math.toIntExact(content.size());
  }

  /** The message as the transport takes it: usually all of it at once, by {@link #drainTo}. */
  private static final class Encoded extends InputStream implements Drainable, KnownLength {
    private @Nullable ByteChunks content;
    private @Nullable InputStream piecemeal;

    Encoded(ByteChunks content) {
      this.content = content;
    }

    @Override
    public int drainTo(OutputStream target) throws IOException {
      ByteChunks all = content;
      if (all == null) {
        return (int) (piecemeal == null ? 0 : piecemeal.transferTo(target));
      }
      content = null;
      all.writeTo(target);
      return (int) all.size();
    }

    @Override
    public int available() {
      ByteChunks all = content;
      try {
        return all != null ? (int) all.size() : piecemeal == null ? 0 : piecemeal.available();
      } catch (IOException impossible) {
        throw new UncheckedIOException(impossible);
      }
    }

    @Override
    public int read() throws IOException {
      return stream().read();
    }

    @Override
    public int read(byte[] target, int offset, int length) throws IOException {
      return stream().read(target, offset, length);
    }

    /** Copies everything into one array, for transports without wires, as tests use. */
    private InputStream stream() throws IOException {
      InputStream in = piecemeal;
      if (in == null) {
        ByteChunks all = content;
        ByteArrayOutputStream copy = new ByteArrayOutputStream(available());
        if (all != null) {
          content = null;
          all.writeTo(copy);
        }
        in = new ByteArrayInputStream(copy.toByteArray());
        piecemeal = in;
      }
      return in;
    }
  }
}
