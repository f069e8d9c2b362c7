package dev.colonnade.server.service.backup;

import dev.colonnade.internode.v1.Id128;
import dev.colonnade.internode.v1.SnapshotAction;
import dev.colonnade.internode.v1.SnapshotDescription;
import dev.colonnade.internode.v1.SnapshotRequest;
import dev.colonnade.internode.v1.SnapshotResponse;
import dev.colonnade.server.base.codec.CorruptDataException;
import dev.colonnade.server.base.codec.MessageParser;
import dev.colonnade.server.base.model.FamilyId;
import dev.colonnade.server.storage.snapshot.SnapshotDirectory;
import java.util.ArrayList;
import java.util.List;

/** Encodes what nodes ask each other about snapshots as messages of {@code internode.proto}. */
final class SnapshotCodec {

  private static final int FAMILIES_MAX = 50_000;
  private static final int SNAPSHOTS_MAX = SnapshotDirectory.COUNT_MAX;
  private static final int NAME_MAX = 64;
  private static final int DIRECTORY_MAX = 4_096;

  /** Of the numbers of a family or a snapshot, with their tags. */
  private static final int NUMBERS_BYTES = 128;

  private static final int OTHER_BYTES = 1 << 10;

  /** In the worst case a character takes three bytes. */
  private static final int CHARACTER_BYTES = 3;

  private static final MessageParser<SnapshotRequest> REQUEST =
      new MessageParser<>(
          "a request about snapshots",
          SnapshotRequest.getDefaultInstance(),
          FAMILIES_MAX * NUMBERS_BYTES + OTHER_BYTES,
          3 * FAMILIES_MAX + 16);
  private static final MessageParser<SnapshotResponse> RESPONSE =
      new MessageParser<>(
          "an answer about snapshots",
          SnapshotResponse.getDefaultInstance(),
          SNAPSHOTS_MAX * (CHARACTER_BYTES * (NAME_MAX + DIRECTORY_MAX) + NUMBERS_BYTES)
              + OTHER_BYTES,
          10 * SNAPSHOTS_MAX + 16);

  private SnapshotCodec() {}

  /** What a node is asked to do. */
  enum Action {
    TAKE,
    LIST,
    CLEAR
  }

  /** A request; the name is empty to list. */
  record Asked(Action action, String name, long createdMicros, List<FamilyId> families) {
    Asked {
      families = List.copyOf(families);
    }
  }

  static byte[] encode(Asked asked) {
    SnapshotRequest.Builder message =
        SnapshotRequest.newBuilder()
            .setAction(
                switch (asked.action()) {
                  case TAKE -> SnapshotAction.SNAPSHOT_ACTION_TAKE;
                  case LIST -> SnapshotAction.SNAPSHOT_ACTION_LIST;
                  case CLEAR -> SnapshotAction.SNAPSHOT_ACTION_CLEAR;
                })
            .setName(asked.name())
            .setCreatedMicros(asked.createdMicros());
    for (FamilyId family : asked.families()) {
      message.addFamilies(Id128.newBuilder().setHigh(family.high()).setLow(family.low()));
    }
    return message.build().toByteArray();
  }

  static Asked decodeAsked(byte[] body) throws CorruptDataException {
    SnapshotRequest message = REQUEST.parse(body);
    Action action =
        switch (message.getAction()) {
          case SNAPSHOT_ACTION_TAKE -> Action.TAKE;
          case SNAPSHOT_ACTION_LIST -> Action.LIST;
          case SNAPSHOT_ACTION_CLEAR -> Action.CLEAR;
          case SNAPSHOT_ACTION_UNSPECIFIED, UNRECOGNIZED ->
              throw CorruptDataException.inMessage(
                  "what to do with snapshots", "a known action", "" + message.getActionValue());
        };
    String name = MessageParser.text("name of a snapshot", message.getName(), NAME_MAX);
    MessageParser.require("the name of a snapshot", action == Action.LIST || !name.isEmpty());
    MessageParser.number(
        "moment of a snapshot",
        message.getCreatedMicros(),
        action == Action.TAKE ? 1 : 0,
        Long.MAX_VALUE);
    MessageParser.number("column families", message.getFamiliesCount(), 0, FAMILIES_MAX);
    List<FamilyId> families = new ArrayList<>();
    for (Id128 family : message.getFamiliesList()) {
      families.add(new FamilyId(family.getHigh(), family.getLow()));
    }
    return new Asked(action, name, message.getCreatedMicros(), families);
  }

  static byte[] encodeSnapshots(List<NodeSnapshot> snapshots) {
    SnapshotResponse.Builder message = SnapshotResponse.newBuilder();
    for (NodeSnapshot each : snapshots) {
      message.addSnapshots(
          SnapshotDescription.newBuilder()
              .setName(each.name())
              .setCreatedMicros(each.createdMicros())
              .setFamilies(each.families())
              .setFiles(each.files())
              .setBytes(each.bytes())
              .setNewBytes(each.newBytes())
              .setFreedBytes(each.freedBytes())
              .setMissingFiles(each.missingFiles())
              .setDirectory(each.directory()));
    }
    return message.build().toByteArray();
  }

  static List<NodeSnapshot> decodeSnapshots(byte[] body) throws CorruptDataException {
    SnapshotResponse message = RESPONSE.parse(body);
    MessageParser.number("snapshots", message.getSnapshotsCount(), 0, SNAPSHOTS_MAX);
    List<NodeSnapshot> snapshots = new ArrayList<>();
    for (SnapshotDescription each : message.getSnapshotsList()) {
      MessageParser.require("the name of a snapshot", !each.getName().isEmpty());
      snapshots.add(
          new NodeSnapshot(
              MessageParser.text("name of a snapshot", each.getName(), NAME_MAX),
              figure("moment of a snapshot", each.getCreatedMicros()),
              figure("families of a snapshot", each.getFamilies()),
              figure("files of a snapshot", each.getFiles()),
              figure("bytes of a snapshot", each.getBytes()),
              figure("new bytes of a snapshot", each.getNewBytes()),
              figure("bytes that deleting a snapshot frees", each.getFreedBytes()),
              figure("files that a snapshot lacks", each.getMissingFiles()),
              MessageParser.text("directory of a snapshot", each.getDirectory(), DIRECTORY_MAX)));
    }
    return snapshots;
  }

  private static long figure(String what, long number) throws CorruptDataException {
    return MessageParser.number(what, number, 0, Long.MAX_VALUE);
  }
}
