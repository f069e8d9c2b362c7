package dev.colonnade.server.cluster.gossip;

import dev.colonnade.internode.v1.IdentityKnowledge;
import dev.colonnade.internode.v1.IdentityRequest;
import dev.colonnade.internode.v1.IdentityResponse;
import dev.colonnade.server.base.codec.CorruptDataException;
import dev.colonnade.server.base.codec.MessageParser;
import dev.colonnade.server.cluster.net.PeerAddress;

/** Encodes queries about host ids, and their answers, as messages of {@code internode.proto}. */
final class IdentityCodec {

  private static final int BYTES_MAX = 8 << 10;
  private static final int FIELDS_MAX = 64;
  private static final int TEXT_MAX = 1 << 10;

  private static final MessageParser<IdentityRequest> REQUEST =
      new MessageParser<>(
          "a query about a host id", IdentityRequest.getDefaultInstance(), BYTES_MAX, FIELDS_MAX);
  private static final MessageParser<IdentityResponse> RESPONSE =
      new MessageParser<>(
          "an answer about an id", IdentityResponse.getDefaultInstance(), BYTES_MAX, FIELDS_MAX);

  private IdentityCodec() {}

  static byte[] encode(HostIdCheck.IdentityQuery query) {
    return IdentityRequest.newBuilder()
        .setNodeId(query.id())
        .setAddress(query.address())
        .setGeneration(query.generation())
        .setStarting(query.starting())
        .build()
        .toByteArray();
  }

  static HostIdCheck.IdentityQuery decodeQuery(byte[] body) throws CorruptDataException {
    IdentityRequest message = REQUEST.parse(body);
    MessageParser.require("the id", !message.getNodeId().isEmpty());
    MessageParser.require("the address of the asking node", !message.getAddress().isEmpty());
    return new HostIdCheck.IdentityQuery(
        text("id of a node", message.getNodeId()),
        text("address of a node", message.getAddress()),
        generation(message.getGeneration()),
        message.getStarting());
  }

  static byte[] encode(HostIdCheck.IdentityAnswer answer) {
    return IdentityResponse.newBuilder()
        .setKnowledge(
            switch (answer.knowledge()) {
              case UNKNOWN -> IdentityKnowledge.IDENTITY_KNOWLEDGE_UNKNOWN;
              case OWN -> IdentityKnowledge.IDENTITY_KNOWLEDGE_OWN;
              case OTHER -> IdentityKnowledge.IDENTITY_KNOWLEDGE_OTHER;
              case DEPARTED -> IdentityKnowledge.IDENTITY_KNOWLEDGE_DEPARTED;
            })
        .setStarting(answer.starting())
        .setGeneration(answer.generation())
        .setAddress(answer.address())
        .setSuccessorId(answer.successor())
        .build()
        .toByteArray();
  }

  static HostIdCheck.IdentityAnswer decodeAnswer(PeerAddress from, byte[] body)
      throws CorruptDataException {
    IdentityResponse message = RESPONSE.parse(body);
    HostIdCheck.IdKnowledge knowledge =
        switch (message.getKnowledge()) {
          case IDENTITY_KNOWLEDGE_UNKNOWN -> HostIdCheck.IdKnowledge.UNKNOWN;
          case IDENTITY_KNOWLEDGE_OWN -> HostIdCheck.IdKnowledge.OWN;
          case IDENTITY_KNOWLEDGE_OTHER -> HostIdCheck.IdKnowledge.OTHER;
          case IDENTITY_KNOWLEDGE_DEPARTED -> HostIdCheck.IdKnowledge.DEPARTED;
          case IDENTITY_KNOWLEDGE_UNSPECIFIED, UNRECOGNIZED ->
              throw CorruptDataException.inMessage(
                  "what is known of an id", "a known value", "" + message.getKnowledgeValue());
        };
    return new HostIdCheck.IdentityAnswer(
        from,
        knowledge,
        message.getStarting(),
        generation(message.getGeneration()),
        text("address of a node", message.getAddress()),
        text("id of a node", message.getSuccessorId()));
  }

  private static long generation(long generation) throws CorruptDataException {
    return MessageParser.number("generation of a node", generation, 0, Long.MAX_VALUE);
  }

  private static String text(String what, String text) throws CorruptDataException {
    return MessageParser.text(what, text, TEXT_MAX);
  }
}
