package dev.colonnade.server.cluster.membership;

import com.google.protobuf.ByteString;
import dev.colonnade.internode.v1.RemovalRequest;
import dev.colonnade.internode.v1.RemovalResponse;
import dev.colonnade.internode.v1.RemovalState;
import dev.colonnade.internode.v1.RemovalVoteRequest;
import dev.colonnade.internode.v1.RemovalVoteResponse;
import dev.colonnade.server.base.codec.CorruptDataException;
import dev.colonnade.server.base.codec.MessageParser;
import dev.colonnade.server.cluster.gossip.Removal;
import dev.colonnade.server.cluster.gossip.RemovalBallots.RemovalVote;
import dev.colonnade.server.cluster.net.FrameCodec;
import java.util.Optional;

/** Encodes the messages of a node's removal as messages of {@code internode.proto}. */
final class RemovalCodec {

  private static final int BYTES_MAX = 8 << 10;
  private static final int FIELDS_MAX = 64;
  private static final int ATTEMPT_MAX = 1 << 10;
  private static final int SIGNATURE_MAX = 1 << 10;

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

  private static final MessageParser<RemovalVoteRequest> VOTE_REQUEST =
      new MessageParser<>(
          "a request to agree to a removal",
          RemovalVoteRequest.getDefaultInstance(),
          BYTES_MAX,
          FIELDS_MAX);
  private static final MessageParser<RemovalVoteResponse> VOTE_RESPONSE =
      new MessageParser<>(
          "a vote on a removal", RemovalVoteResponse.getDefaultInstance(), BYTES_MAX, FIELDS_MAX);

  private RemovalCodec() {}

  static byte[] encode(Removal removal) {
    return RemovalVoteRequest.newBuilder()
        .setNodeId(removal.nodeId())
        .setGeneration(removal.generation())
        .setDecidedMillis(removal.decidedMillis())
        .setExpiryMillis(removal.expiryMillis())
        .build()
        .toByteArray();
  }

  static Removal decodeRemoval(byte[] body) throws CorruptDataException {
    RemovalVoteRequest message = VOTE_REQUEST.parse(body);
    MessageParser.require("the id of the node that is removed", !message.getNodeId().isEmpty());
    return new Removal(
        MessageParser.text("id of a node", message.getNodeId(), FrameCodec.MAX_ID_BYTES),
        MessageParser.number("generation of a node", message.getGeneration(), 0, Long.MAX_VALUE),
        MessageParser.number("time of a removal", message.getDecidedMillis(), 1, Long.MAX_VALUE),
        MessageParser.number("expiry of a removal", message.getExpiryMillis(), 1, Long.MAX_VALUE));
  }

  static byte[] encode(RemovalVote vote) {
    return RemovalVoteResponse.newBuilder()
        .setSignature(ByteString.copyFrom(vote.signature().orElse(new byte[0])))
        .setRefusal(vote.refusal())
        .build()
        .toByteArray();
  }

  static RemovalVote decodeVote(byte[] body) throws CorruptDataException {
    RemovalVoteResponse message = VOTE_RESPONSE.parse(body);
    byte[] signature =
        MessageParser.bytes("signature of a removal", message.getSignature(), SIGNATURE_MAX);
    String refusal = MessageParser.text("refusal of a removal", message.getRefusal(), ATTEMPT_MAX);
    return new RemovalVote(
        signature.length == 0 ? Optional.empty() : Optional.of(signature), refusal);
  }

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
