package dev.colonnade.server.storage.commitlog;

import dev.colonnade.server.base.codec.Checksums;
import dev.colonnade.server.base.codec.FuzzBytes;
import dev.colonnade.server.base.codec.UnreadableFileException;
import dev.colonnade.server.sim.SimFileSystem;
import dev.colonnade.server.storage.record.Frames;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;

/**
 * For any segment, replay gives records or a typed error, and the same again on a second replay.
 */
public final class LogFuzzer {

  private LogFuzzer() {}

  /** One input: the first byte says whether checksums are made right, the rest is segment 1. */
  public static void fuzzerTestOneInput(byte[] data) throws IOException {
    byte[] file = FuzzBytes.file(data);
    if (FuzzBytes.wantsChecksums(data)) {
      mend(file);
    }
    SimFileSystem disk = new SimFileSystem();
    disk.overwrite(SegmentFormat.name(1), file);
    List<String> words;
    try {
      words = LogFixture.replayed(disk);
    } catch (UnreadableFileException refused) {
      return;
    }
    if (!LogFixture.replayed(disk).equals(words)) {
      throw new AssertionError("another replay gives other records");
    }
  }

  private static void mend(byte[] file) {
    int at = FuzzBytes.mendHeader(file);
    ByteBuffer frames = ByteBuffer.wrap(file);
    Checksums.RunningChecksum checksum = new Checksums.RunningChecksum();
    while (at > 0 && at <= file.length - Frames.FRAME_BYTES) {
      int payload = frames.getInt(at + 4);
      if (payload < 0 || payload > file.length - at - Frames.FRAME_BYTES) {
        return;
      }
      frames.putInt(at, Frames.checksum(checksum, file, at, payload, 1, at));
      at += Frames.FRAME_BYTES + payload;
    }
  }
}
