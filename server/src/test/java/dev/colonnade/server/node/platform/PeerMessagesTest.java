package dev.colonnade.server.node.platform;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import com.google.protobuf.ByteString;
import dev.colonnade.server.cluster.net.Frame;
import dev.colonnade.server.cluster.net.Peer;
import dev.colonnade.server.cluster.net.PeerAddress;
import dev.colonnade.server.cluster.net.Verb;
import java.util.Objects;
import org.junit.jupiter.api.Test;

class PeerMessagesTest {

  private static final Peer SENDER = new Peer("a", new PeerAddress("10.0.0.1", 7000));

  private static dev.colonnade.internode.v1.Frame sent(byte[] trace) {
    byte[] body = {1};
    return PeerMessages.toMessage(
        new Frame(Frame.FrameKind.REQUEST, Verb.READ_ROW, SENDER, "b", 1, 0, body, trace), 5);
  }

  private static Frame received(dev.colonnade.internode.v1.Frame message) throws Exception {
    return Objects.requireNonNull(
        PeerMessages.toFrame(
            dev.colonnade.internode.v1.Frame.parseFrom(message.toByteArray()), SENDER));
  }

  @Test
  void aFrameHasItsTraceAndOneWithoutIsAsBefore() throws Exception {
    byte[] trace = {2, 3};
    assertArrayEquals(trace, received(sent(trace)).trace());
    dev.colonnade.internode.v1.Frame without = sent(Frame.NO_TRACE);
    assertEquals(0, received(without).trace().length);
    assertEquals(without, without.toBuilder().clearTrace().build());
  }

  @Test
  void aTraceThatIsTooLongIsDroppedAndTheFrameIsNot() throws Exception {
    dev.colonnade.internode.v1.Frame message =
        sent(Frame.NO_TRACE).toBuilder()
            .setTrace(ByteString.copyFrom(new byte[Frame.TRACE_BYTES_MAX + 1]))
            .build();
    assertEquals(0, received(message).trace().length);
    assertEquals(1, received(message).body().length);
  }
}
