package dev.colonnade.server.cluster.gossip;

import dev.colonnade.server.base.codec.ByteReader;
import dev.colonnade.server.base.codec.ByteWriter;
import dev.colonnade.server.base.codec.Checksums;
import dev.colonnade.server.base.codec.CorruptDataException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Encodes the messages of an exchange, laid out as {@code GossipFormat.md} says. */
final class GossipCodec {

  static final int MAX_ID_BYTES = 256;
  static final int MAX_VALUE_BYTES = 64 << 10;
  static final int MAX_STATES = 64;

  private static final int FORMAT = 1;
  private static final int MAX_NAME_BYTES = 1_024;
  private static final int MAX_ENTRIES = 100_000;
  private static final int ACCEPTED = 0;
  private static final int REFUSED = 1;

  private static final int BY_HASH = 0;
  private static final int BY_RAW_ID = 1;
  private static final int BY_TEXT_ID = 2;
  private static final int FORM_MASK = 3;
  private static final int WHOLE = 4;
  private static final int WITH_STATES = 8;
  private static final int RAW_ID_BYTES = 16;

  private final String clusterName;
  private final String partitioner;
  private final int fingerprint;
  private final int maxBytes;

  GossipCodec(String clusterName, String partitioner, int maxBytes) {
    this.clusterName = clusterName;
    this.partitioner = partitioner;
    this.maxBytes = maxBytes;
    byte[] both = (clusterName + '\0' + partitioner).getBytes(StandardCharsets.UTF_8);
    this.fingerprint = Checksums.crc32c(both, 0, both.length);
  }

  /** The first message: the sender's cluster, and what the sender knows. */
  record Syn(String clusterName, String partitioner, List<Digest> digests) {}

  /** The second message. */
  sealed interface AckReply permits Ack, GossipRefusal {}

  /** What the answering node requests, and what it knows better. */
  record Ack(List<Digest> requests, List<Delta> deltas) implements AckReply {}

  /** The answering node belongs to another cluster. */
  record GossipRefusal(String clusterName, String partitioner) implements AckReply {}

  byte[] syn(List<Digest> digests) {
    ByteWriter writer = new ByteWriter(64 + digests.size() * 16);
    writer.writeByte(FORMAT);
    writer.writeText(clusterName);
    writer.writeText(partitioner);
    digests(writer, digests);
    return writer.toByteArray();
  }

  Syn syn(byte[] body) throws CorruptDataException {
    ByteReader reader = reader(body);
    String name = reader.readText("name of a cluster", MAX_NAME_BYTES);
    String placing = reader.readText("name of a partitioner", MAX_NAME_BYTES);
    List<Digest> digests = digests(reader);
    reader.expectEnd("first message of gossip");
    return new Syn(name, placing, digests);
  }

  byte[] ack(List<Digest> requests, List<Delta> deltas) {
    ByteWriter writer = new ByteWriter(64 + requests.size() * 16 + deltas.size() * 32);
    writer.writeByte(FORMAT);
    writer.writeByte(ACCEPTED);
    writer.writeInt(fingerprint);
    digests(writer, requests);
    deltas(writer, deltas);
    return writer.toByteArray();
  }

  byte[] refusal() {
    ByteWriter writer = new ByteWriter(64);
    writer.writeByte(FORMAT);
    writer.writeByte(REFUSED);
    writer.writeText(clusterName);
    writer.writeText(partitioner);
    return writer.toByteArray();
  }

  AckReply ack(byte[] body) throws CorruptDataException {
    ByteReader reader = reader(body);
    int kind = reader.readByte();
    AckReply answer;
    if (kind == REFUSED) {
      answer =
          new GossipRefusal(
              reader.readText("name of a cluster", MAX_NAME_BYTES),
              reader.readText("name of a partitioner", MAX_NAME_BYTES));
    } else if (kind == ACCEPTED) {
      checkFingerprint(reader);
      answer = new Ack(digests(reader), deltas(reader));
    } else {
      throw reader.corrupt("kind of an answer in gossip", "0 or 1", "" + kind);
    }
    reader.expectEnd("second message of gossip");
    return answer;
  }

  /** Encodes the third message, and the announcement of a shutdown. */
  byte[] news(List<Delta> deltas) {
    ByteWriter writer = new ByteWriter(64 + deltas.size() * 32);
    writer.writeByte(FORMAT);
    writer.writeInt(fingerprint);
    deltas(writer, deltas);
    return writer.toByteArray();
  }

  List<Delta> news(byte[] body) throws CorruptDataException {
    ByteReader reader = reader(body);
    checkFingerprint(reader);
    List<Delta> deltas = deltas(reader);
    reader.expectEnd("third message of gossip");
    return deltas;
  }

  private static ByteReader reader(byte[] body) throws CorruptDataException {
    ByteReader reader = new ByteReader(body);
    int format = reader.readByte();
    if (format != FORMAT) {
      throw reader.corrupt("format of a message of gossip", "" + FORMAT, "" + format);
    }
    return reader;
  }

  private void checkFingerprint(ByteReader reader) throws CorruptDataException {
    int found = reader.readInt();
    if (found != fingerprint) {
      throw reader.corrupt(
          "cluster of a message of gossip",
          Integer.toHexString(fingerprint),
          Integer.toHexString(found));
    }
  }

  private static void digests(ByteWriter writer, List<Digest> digests) {
    writer.writeVarint(digests.size());
    long base = digests.isEmpty() ? 0 : digests.get(0).generation();
    writer.writeVarint(base);
    for (Digest digest : digests) {
      writer.writeLong(digest.hash());
      writer.writeSignedVarint(digest.generation() - base);
      writer.writeVarint(digest.version());
    }
  }

  private static List<Digest> digests(ByteReader reader) throws CorruptDataException {
    int count = reader.readLength("number of digests", MAX_ENTRIES);
    long base = reader.readVarint();
    List<Digest> digests = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      long hash = reader.readLong();
      long generation = base + reader.readSignedVarint();
      long version = reader.readVarint();
      checkNumbers(reader, generation, version);
      digests.add(new Digest(hash, generation, version));
    }
    return digests;
  }

  private static void checkNumbers(ByteReader reader, long generation, long version)
      throws CorruptDataException {
    if (generation < 0 || version < 0) {
      throw reader.corrupt(
          "generation and version", "not below zero", generation + " and " + version);
    }
  }

  /** Writes as many as fit, at least one: a node that misses one requests it again. */
  private void deltas(ByteWriter writer, List<Delta> deltas) {
    int countAt = writer.reserve(Integer.BYTES);
    long base = deltas.isEmpty() ? 0 : deltas.get(0).generation();
    writer.writeVarint(base);
    int count = 0;
    for (Delta delta : deltas) {
      int before = writer.position();
      delta(writer, delta, base);
      if (writer.position() > maxBytes && count > 0) {
        writer.truncate(before);
        break;
      }
      count++;
    }
    writer.patchInt(countAt, count);
  }

  private static void delta(ByteWriter writer, Delta delta, long base) {
    byte[] rawId = delta.id().map(GossipCodec::rawId).orElse(null);
    int form = delta.id().isEmpty() ? BY_HASH : rawId == null ? BY_TEXT_ID : BY_RAW_ID;
    boolean whole = delta.since() == 0;
    List<VersionedValue> states = delta.states();
    writer.writeByte(form | (whole ? WHOLE : 0) | (states.isEmpty() ? 0 : WITH_STATES));
    if (rawId != null) {
      writer.writeRaw(rawId);
    } else if (delta.id().isPresent()) {
      writer.writeText(delta.id().get());
    } else {
      writer.writeLong(delta.hash());
    }
    writer.writeSignedVarint(delta.generation() - base);
    writer.writeVarint(delta.heartbeat());
    if (!whole) {
      writer.writeSignedVarint(delta.heartbeat() - delta.since());
    }
    if (!states.isEmpty()) {
      writer.writeVarint(states.size());
      for (VersionedValue state : states) {
        writer.writeVarint(state.key());
        writer.writeSignedVarint(delta.heartbeat() - state.version());
        writer.writeText(state.value());
      }
    }
  }

  private static List<Delta> deltas(ByteReader reader) throws CorruptDataException {
    int count = reader.readInt();
    if (count < 0 || count > Math.min(MAX_ENTRIES, reader.remaining())) {
      throw reader.corrupt("number of nodes in a message", "what the bytes can hold", "" + count);
    }
    long base = reader.readVarint();
    List<Delta> deltas = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      deltas.add(delta(reader, base));
    }
    return deltas;
  }

  private static Delta delta(ByteReader reader, long base) throws CorruptDataException {
    int flags = reader.readByte();
    int form = flags & FORM_MASK;
    Optional<String> id =
        switch (form) {
          case BY_HASH -> Optional.empty();
          case BY_RAW_ID -> Optional.of(HexFormat.of().formatHex(reader.readRaw(RAW_ID_BYTES)));
          case BY_TEXT_ID -> Optional.of(reader.readText("id of a node", MAX_ID_BYTES));
          default -> throw reader.corrupt("form of an id", "0 to 2", "" + form);
        };
    if (flags >= WITH_STATES << 1 || (id.isPresent() && id.get().isEmpty())) {
      throw reader.corrupt("news of a node", "known flags and an id", "" + flags);
    }
    long hash = id.isPresent() ? EndpointState.hashOf(id.get()) : reader.readLong();
    long generation = base + reader.readSignedVarint();
    long heartbeat = reader.readVarint();
    long since = (flags & WHOLE) != 0 ? 0 : heartbeat - reader.readSignedVarint();
    checkNumbers(reader, Math.min(generation, since), heartbeat);
    List<VersionedValue> states =
        (flags & WITH_STATES) == 0 ? List.of() : states(reader, heartbeat, since);
    return new Delta(id, hash, generation, heartbeat, since, states);
  }

  private static List<VersionedValue> states(ByteReader reader, long heartbeat, long since)
      throws CorruptDataException {
    int count = reader.readLength("number of states", MAX_STATES);
    List<VersionedValue> states = new ArrayList<>(count);
    int before = -1;
    for (int i = 0; i < count; i++) {
      int key = reader.readVarint("number of a state", Short.MAX_VALUE);
      long version = heartbeat - reader.readSignedVarint();
      if (key <= before || version < since || version < 0) {
        throw reader.corrupt("states of a node", "in order and new", key + " of " + version);
      }
      before = key;
      states.add(new VersionedValue(key, version, reader.readText("state", MAX_VALUE_BYTES)));
    }
    return List.copyOf(states);
  }

  /** The 16 bytes of an id of 32 digits, the usual form of ids; null for any other. */
  private static byte @Nullable [] rawId(String id) {
    if (id.length() != 2 * RAW_ID_BYTES) {
      return null;
    }
    for (int i = 0; i < id.length(); i++) {
      char c = id.charAt(i);
      if (!(c >= '0' && c <= '9') && !(c >= 'a' && c <= 'f')) {
        return null;
      }
    }
    return HexFormat.of().parseHex(id);
  }
}
