package dev.colonnade.server.node.platform;

import com.google.protobuf.ByteOutput;
import com.google.protobuf.ByteString;
import com.google.protobuf.UnsafeByteOperations;
import dev.colonnade.internode.v1.Hello;
import dev.colonnade.internode.v1.Welcome;
import dev.colonnade.server.cluster.net.ChannelClass;
import dev.colonnade.server.cluster.net.Frame;
import dev.colonnade.server.cluster.net.FrameCodec;
import dev.colonnade.server.cluster.net.Peer;
import dev.colonnade.server.cluster.net.PeerAddress;
import dev.colonnade.server.cluster.net.Verb;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/** Converts messages between nodes to and from those of internode.proto. */
final class PeerMessages {
  /**
   * The version of the protocol that this node speaks, and the only one. Since version 2 control
   * messages are protobuf messages, which can get new fields without a new version.
   */
  static final int PROTOCOL_VERSION = 2;

  private PeerMessages() {}

  static Hello hello(Peer self, String clusterName, ChannelClass channel) {
    return Hello.newBuilder()
        .setProtocolVersion(PROTOCOL_VERSION)
        .setClusterName(clusterName)
        .setNodeId(self.id())
        .setHost(self.address().host())
        .setPort(self.address().port())
        .setLane(lane(channel))
        .build();
  }

  static Welcome welcome(Peer self, String clusterName) {
    return Welcome.newBuilder()
        .setProtocolVersion(PROTOCOL_VERSION)
        .setClusterName(clusterName)
        .setNodeId(self.id())
        .build();
  }

  /** The sender of a hello; null if it is invalid. */
  static @Nullable Peer sender(Hello hello) {
    boolean possible =
        !hello.getNodeId().isEmpty()
            && hello.getNodeId().length() <= FrameCodec.MAX_ID_BYTES
            && !hello.getHost().isEmpty()
            && hello.getHost().length() <= FrameCodec.MAX_HOST_BYTES
            && hello.getPort() > 0
            && hello.getPort() <= 65_535;
    return possible
        ? new Peer(hello.getNodeId(), new PeerAddress(hello.getHost(), hello.getPort()))
        : null;
  }

  static dev.colonnade.internode.v1.Lane lane(ChannelClass channel) {
    return switch (channel) {
      case GOSSIP -> dev.colonnade.internode.v1.Lane.LANE_GOSSIP;
      case DATA -> dev.colonnade.internode.v1.Lane.LANE_DATA;
      case BULK -> dev.colonnade.internode.v1.Lane.LANE_BULK;
    };
  }

  /** The channel class; null for one of a newer version. */
  static @Nullable ChannelClass channelClass(dev.colonnade.internode.v1.Lane lane) {
    return switch (lane) {
      case LANE_GOSSIP -> ChannelClass.GOSSIP;
      case LANE_DATA -> ChannelClass.DATA;
      case LANE_BULK -> ChannelClass.BULK;
      case LANE_UNSPECIFIED, UNRECOGNIZED -> null;
    };
  }

  /**
   * Encodes a frame.
   *
   * @param timeoutNanos the rest of the frame's timeout
   */
  static dev.colonnade.internode.v1.Frame toMessage(Frame frame, long timeoutNanos) {
    dev.colonnade.internode.v1.Frame.Builder message =
        dev.colonnade.internode.v1.Frame.newBuilder()
            .setKindValue(frame.kind().number())
            .setVerb(frame.verb().number())
            .setToId(frame.toId())
            .setNumber(frame.number())
            .setTimeoutNanos(timeoutNanos)
            .setBody(UnsafeByteOperations.unsafeWrap(frame.body()));
    if (frame.trace().length > 0) {
      message.setTrace(UnsafeByteOperations.unsafeWrap(frame.trace()));
    }
    return message.build();
  }

  /** Decodes a frame; null for one of a newer version or with invalid numbers. */
  static @Nullable Frame toFrame(dev.colonnade.internode.v1.Frame message, Peer from) {
    Frame.FrameKind kind = Frame.FrameKind.of(message.getKindValue());
    Verb verb = Verb.of(message.getVerb());
    boolean possible =
        message.getTimeoutNanos() >= 0 && message.getToId().length() <= FrameCodec.MAX_ID_BYTES;
    if (kind == null || verb == null || !possible) {
      return null;
    }
    return new Frame(
        kind,
        verb,
        from,
        message.getToId(),
        message.getNumber(),
        message.getTimeoutNanos(),
        bytes(message.getBody()),
        trace(message.getTrace()));
  }

  /** What is too long is no trace that this version wrote. */
  private static byte[] trace(ByteString trace) {
    return trace.isEmpty() || trace.size() > Frame.TRACE_BYTES_MAX
        ? Frame.NO_TRACE
        : trace.toByteArray();
  }

  /** The array of a parsed string if it has one of its own, otherwise a copy. */
  private static byte[] bytes(ByteString string) {
    Body body = new Body();
    try {
      UnsafeByteOperations.unsafeWriteTo(string, body);
    } catch (IOException impossible) {
      throw new UncheckedIOException(impossible);
    }
    byte[] whole = body.whole;
    return whole != null && whole.length == string.size() ? whole : string.toByteArray();
  }

  /** Receives a string's bytes without a copy; the bytes are never changed. */
  private static final class Body extends ByteOutput {
    private byte @Nullable [] whole;

    @Override
    public void writeLazy(byte[] value, int offset, int length) {
      whole = offset == 0 && length == value.length ? value : null;
    }

    @Override
    public void write(byte[] value, int offset, int length) {
      writeLazy(value, offset, length);
    }

    @Override
    public void write(byte value) {
      whole = null;
    }

    @Override
    public void write(ByteBuffer value) {
      whole = null;
    }

    @Override
    public void writeLazy(ByteBuffer value) {
      whole = null;
    }
  }
}
