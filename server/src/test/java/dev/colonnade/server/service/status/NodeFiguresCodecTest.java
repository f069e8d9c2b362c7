package dev.colonnade.server.service.status;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.colonnade.internode.v1.DamagedFileFigures;
import dev.colonnade.internode.v1.FamilyFigures;
import dev.colonnade.internode.v1.FiguresRequest;
import dev.colonnade.internode.v1.FiguresResponse;
import dev.colonnade.internode.v1.MergeFigures;
import dev.colonnade.internode.v1.StageFigures;
import dev.colonnade.server.base.codec.CorruptDataException;
import dev.colonnade.server.base.codec.DamagedMessages;
import dev.colonnade.server.service.status.NodeFigures.DamagedFile;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What a node says of itself survives encoding and decoding; anything else is refused. */
final class NodeFiguresCodecTest {

  @Test
  void comesBackAsItWas() throws CorruptDataException {
    for (int works : List.of(0, 2, NodeFiguresCodec.WORKS_SENT)) {
      NodeFigures figures = FiguresSamples.of(works, works);
      assertEquals(figures, NodeFiguresCodec.decode(NodeFiguresCodec.encode(figures, 100)));
    }
    assertEquals(7, NodeFiguresCodec.decodeRequest(NodeFiguresCodec.encodeRequest(7)));
  }

  @Test
  void longListsAreShortenedAndLongTextsAreCut() throws CorruptDataException {
    NodeFigures sent =
        NodeFiguresCodec.decode(
            NodeFiguresCodec.encode(FiguresSamples.of(100, NodeFigures.WORKS_MAX), 20));
    assertEquals(20, sent.families().size());
    assertEquals(9 + 80, sent.familiesLeftOut());
    assertEquals(NodeFiguresCodec.WORKS_SENT, sent.slow().size());
    assertEquals(NodeFigures.WORKS_MAX, sent.stages().size());

    NodeFigures small = FiguresSamples.of(1, 1);
    NodeFigures wordy =
        new NodeFigures(
            small.timeMillis(),
            small.upMillis(),
            small.version(),
            small.ready(),
            List.of("x".repeat(5_000)),
            small.timestamps(),
            small.load(),
            small.calls(),
            small.familiesLeftOut(),
            small.families(),
            small.stages(),
            small.running(),
            small.slowNanos(),
            small.slow(),
            List.of(new DamagedFile("Blog", "F", 1, 2, "y".repeat(601))));
    NodeFigures cut = NodeFiguresCodec.decode(NodeFiguresCodec.encode(wordy, 100));
    assertEquals("x".repeat(600), cut.problems().get(0));
    assertEquals("y".repeat(600), cut.damaged().get(0).reason());
  }

  @Test
  void theLargestAnswerThatANodeSendsIsRead() throws CorruptDataException {
    byte[] body = NodeFiguresCodec.encode(FiguresSamples.of(100, 50), 100);
    assertTrue(body.length < 64 << 10, "bytes: " + body.length);
    assertEquals(100, NodeFiguresCodec.decode(body).families().size());
  }

  @Test
  void whatIsAbsentOrOutsideOfItsRangeIsRefused() {
    for (int wanted : List.of(-1, 0, 101)) {
      byte[] body = FiguresRequest.newBuilder().setFamiliesMax(wanted).build().toByteArray();
      assertThrows(
          CorruptDataException.class, () -> NodeFiguresCodec.decodeRequest(body), "" + wanted);
    }
    FiguresResponse whole = FiguresResponse.newBuilder().setTimeMillis(1).addBounds(0.5).build();
    FamilyFigures family = FamilyFigures.newBuilder().setKeyspace("k").setName("f").build();
    for (FiguresResponse.Builder part :
        List.of(
            whole.toBuilder().clearTimeMillis(),
            whole.toBuilder().setUpMillis(-1),
            whole.toBuilder().setLoadBytes(-1),
            whole.toBuilder().setVersion("x".repeat(601)),
            whole.toBuilder().addBounds(0.5),
            whole.toBuilder().addBounds(Double.NaN),
            whole.toBuilder().addBounds(Double.POSITIVE_INFINITY),
            whole.toBuilder().addCalls(1),
            whole.toBuilder().addCalls(1).addCalls(-1),
            whole.toBuilder().addCalls(1).addCalls(1).addCalls(1),
            whole.toBuilder().addFamilies(family.toBuilder().clearName()),
            whole.toBuilder().addFamilies(family.toBuilder().setReads(-1)),
            whole.toBuilder().addFamilies(family.toBuilder().addCalls(1)),
            whole.toBuilder().addAllFamilies(Collections.nCopies(101, family)),
            whole.toBuilder().addStages(StageFigures.newBuilder()),
            whole.toBuilder().addMerges(MergeFigures.newBuilder().setKeyspace("k")),
            whole.toBuilder().addDamaged(DamagedFileFigures.newBuilder().setFamily("f")),
            whole.toBuilder().addAllProblems(Collections.nCopies(51, "p")))) {
      byte[] body = part.build().toByteArray();
      assertThrows(CorruptDataException.class, () -> NodeFiguresCodec.decode(body), part::toString);
    }
  }

  @Test
  void otherBytesAreRefusedOrReadAndNothingElse() {
    DamagedMessages.read(
        NodeFiguresCodec.encode(FiguresSamples.of(2, 2), 2), NodeFiguresCodec::decode);
    DamagedMessages.read(NodeFiguresCodec.encodeRequest(3), NodeFiguresCodec::decodeRequest);
  }
}
