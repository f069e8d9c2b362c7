package dev.colonnade.server.cluster.hints;

import dev.colonnade.server.base.codec.Checksums;
import dev.colonnade.server.base.codec.FuzzBytes;
import dev.colonnade.server.base.codec.UnreadableFileException;
import dev.colonnade.server.sim.SimFileSystem;
import dev.colonnade.server.storage.record.Frames;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;

/** Any segment is delivered, set aside or refused, in the same way each time. */
public final class HintsFuzzer {

  private HintsFuzzer() {}

  /** One input: the first byte says whether checksums are made right, the rest is segment 1. */
  public static void fuzzerTestOneInput(byte[] data) throws IOException {
    byte[] file = FuzzBytes.file(data);
    if (FuzzBytes.wantsChecksums(data)) {
      mend(file);
    }
    List<String> first = delivered(file);
    if (!delivered(file).equals(first)) {
      throw new AssertionError("another run delivers other hints");
    }
  }

  private static List<String> delivered(byte[] file) throws IOException {
    SimFileSystem disk = new SimFileSystem();
    disk.createDirectories("hints/a1");
    disk.overwrite("hints/a1/" + HintFormat.name(1), file);
    HintFixture node;
    try {
      node = new HintFixture(disk, HintFixture.SMALL);
    } catch (UnreadableFileException refused) {
      return List.of("refused");
    }
    node.comesBack("a1");
    if (!node.scheduler.failures().isEmpty()) {
      throw new AssertionError("a task failed", node.scheduler.failures().get(0));
    }
    HintFigures left = node.figures("a1");
    if (left.hints() > 0 || left.delivering()) {
      throw new AssertionError("left behind: " + left);
    }
    return node.arrived;
  }

  private static void mend(byte[] file) {
    int at = FuzzBytes.mendHeader(file);
    int end = FuzzBytes.mendFooter(file, at);
    ByteBuffer frames = ByteBuffer.wrap(file);
    Checksums.RunningChecksum checksum = new Checksums.RunningChecksum();
    while (at > 0 && at <= end - Frames.FRAME_BYTES) {
      int payload = frames.getInt(at + 4);
      if (payload < 0 || payload > end - at - Frames.FRAME_BYTES) {
        return;
      }
      frames.putInt(at, Frames.checksum(checksum, file, at, payload, 1, at));
      at += Frames.FRAME_BYTES + payload;
    }
  }
}
