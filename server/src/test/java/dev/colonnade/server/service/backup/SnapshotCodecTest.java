package dev.colonnade.server.service.backup;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.colonnade.internode.v1.SnapshotAction;
import dev.colonnade.internode.v1.SnapshotDescription;
import dev.colonnade.internode.v1.SnapshotRequest;
import dev.colonnade.internode.v1.SnapshotResponse;
import dev.colonnade.server.base.codec.CorruptDataException;
import dev.colonnade.server.base.codec.DamagedMessages;
import dev.colonnade.server.base.model.FamilyId;
import dev.colonnade.server.service.backup.SnapshotCodec.Action;
import dev.colonnade.server.service.backup.SnapshotCodec.Asked;
import dev.colonnade.server.storage.snapshot.SnapshotDirectory;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What nodes say of snapshots survives encoding and decoding; anything else is refused. */
final class SnapshotCodecTest {

  private static final Asked TAKE =
      new Asked(Action.TAKE, "s", 7, List.of(new FamilyId(-1, 2), new FamilyId(3, 4)));
  private static final NodeSnapshot SNAPSHOT =
      new NodeSnapshot("s", 1, 2, 3, 4, 5, 6, 7, "/data/snapshots/s");

  @Test
  void comesBackAsItWas() throws CorruptDataException {
    for (Asked asked :
        List.of(
            TAKE,
            new Asked(Action.LIST, "", 0, List.of()),
            new Asked(Action.CLEAR, "s", 0, List.of()))) {
      assertEquals(asked, SnapshotCodec.decodeAsked(SnapshotCodec.encode(asked)));
    }
    List<NodeSnapshot> two = List.of(SNAPSHOT, SNAPSHOT);
    assertEquals(two, SnapshotCodec.decodeSnapshots(SnapshotCodec.encodeSnapshots(two)));
  }

  @Test
  void theMostFamiliesAndSnapshotsFit() throws CorruptDataException {
    Asked all =
        new Asked(
            Action.TAKE, "s".repeat(64), 7, Collections.nCopies(50_000, new FamilyId(-1, -2)));
    assertEquals(all, SnapshotCodec.decodeAsked(SnapshotCodec.encode(all)));
    List<NodeSnapshot> snapshots =
        Collections.nCopies(
            SnapshotDirectory.COUNT_MAX,
            new NodeSnapshot(
                "s".repeat(64),
                Long.MAX_VALUE,
                Long.MAX_VALUE,
                Long.MAX_VALUE,
                Long.MAX_VALUE,
                Long.MAX_VALUE,
                Long.MAX_VALUE,
                Long.MAX_VALUE,
                "\uffff".repeat(4_096)));
    assertEquals(
        snapshots, SnapshotCodec.decodeSnapshots(SnapshotCodec.encodeSnapshots(snapshots)));
  }

  @Test
  void whatIsAbsentOrOutsideOfItsRangeIsRefused() {
    SnapshotRequest whole =
        SnapshotRequest.newBuilder()
            .setAction(SnapshotAction.SNAPSHOT_ACTION_TAKE)
            .setName("s")
            .setCreatedMicros(1)
            .build();
    for (SnapshotRequest.Builder part :
        List.of(
            whole.toBuilder().clearAction(),
            whole.toBuilder().setActionValue(9),
            whole.toBuilder().clearName(),
            whole.toBuilder().setName("x".repeat(65)),
            whole.toBuilder().clearCreatedMicros(),
            whole.toBuilder().setCreatedMicros(-1))) {
      byte[] body = part.build().toByteArray();
      assertThrows(
          CorruptDataException.class, () -> SnapshotCodec.decodeAsked(body), part::toString);
    }
    SnapshotDescription named = SnapshotDescription.newBuilder().setName("s").build();
    for (SnapshotDescription.Builder part :
        List.of(
            named.toBuilder().clearName(),
            named.toBuilder().setBytes(-1),
            named.toBuilder().setNewBytes(-1),
            named.toBuilder().setFiles(-1))) {
      byte[] body = SnapshotResponse.newBuilder().addSnapshots(part).build().toByteArray();
      assertThrows(
          CorruptDataException.class, () -> SnapshotCodec.decodeSnapshots(body), part::toString);
    }
  }

  @Test
  void otherBytesAreRefusedOrReadAndNothingElse() {
    DamagedMessages.read(SnapshotCodec.encode(TAKE), SnapshotCodec::decodeAsked);
    DamagedMessages.read(
        SnapshotCodec.encodeSnapshots(List.of(SNAPSHOT)), SnapshotCodec::decodeSnapshots);
  }
}
