package dev.colonnade.server.cluster.membership;

import dev.colonnade.internode.v1.RemovalRequest;
import dev.colonnade.internode.v1.RemovalResponse;
import dev.colonnade.internode.v1.RemovalState;
import dev.colonnade.server.base.codec.CorruptDataException;
import dev.colonnade.server.base.codec.MessageParser;
import dev.colonnade.server.cluster.net.FrameCodec;

/** Encodes the messages of a node's removal as messages of {@code internode.proto}. */
final class RemovalCodec {

  private static final int BYTES_MAX = 8 << 10;
  private static final int FIELDS_MAX = 64;
  private static final int ATTEMPT_MAX = 1 << 10;

  private static final MessageParser<RemovalRequest> REQUEST =
      new MessageParser<>(
          "a request of a node's removal",
          RemovalRequest.getDefaultInstance(),
          BYTES_MAX,
          FIELDS_MAX);
  private static final MessageParser<RemovalResponse> RESPONSE =
      new MessageParser<>(
          "an answer to a node's removal",
          RemovalResponse.getDefaultInstance(),
          BYTES_MAX,
          FIELDS_MAX);

  private RemovalCodec() {}

  static byte[] encode(NodeRemoval.FetchRequest request) {
    return RemovalRequest.newBuilder()
        .setNodeId(request.nodeId())
        .setAttempt(request.attempt())
        .build()
        .toByteArray();
  }

  static NodeRemoval.FetchRequest decodeRequest(byte[] body) throws CorruptDataException {
    RemovalRequest message = REQUEST.parse(body);
    MessageParser.require("the id of the node that is removed", !message.getNodeId().isEmpty());
    MessageParser.require("the attempt", !message.getAttempt().isEmpty());
    return new NodeRemoval.FetchRequest(
        MessageParser.text("id of a node", message.getNodeId(), FrameCodec.MAX_ID_BYTES),
        MessageParser.text("attempt of a removal", message.getAttempt(), ATTEMPT_MAX));
  }

  static byte[] encode(NodeRemoval.FetchState state) {
    return RemovalResponse.newBuilder()
        .setState(
            switch (state) {
              case RUNNING -> RemovalState.REMOVAL_STATE_RUNNING;
              case DONE -> RemovalState.REMOVAL_STATE_DONE;
            })
        .build()
        .toByteArray();
  }

  static NodeRemoval.FetchState decodeState(byte[] body) throws CorruptDataException {
    RemovalResponse message = RESPONSE.parse(body);
    return switch (message.getState()) {
      case REMOVAL_STATE_RUNNING -> NodeRemoval.FetchState.RUNNING;
      case REMOVAL_STATE_DONE -> NodeRemoval.FetchState.DONE;
      case REMOVAL_STATE_UNSPECIFIED, UNRECOGNIZED ->
          throw CorruptDataException.inMessage(
              "state of a removal", "a known one", "" + message.getStateValue());
    };
  }
}
