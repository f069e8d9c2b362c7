package dev.colonnade.server.storage.manifest;

import dev.colonnade.server.base.codec.FuzzBytes;
import dev.colonnade.server.base.codec.UnreadableFileException;
import dev.colonnade.server.sim.SimFileSystem;
import java.io.IOException;
import java.nio.ByteBuffer;

/** Any manifest is read or refused, and reads the same when rewritten. */
public final class ManifestFuzzer {

  private ManifestFuzzer() {}

  /** One input: the first byte says whether checksums are made right, the rest is the file. */
  public static void fuzzerTestOneInput(byte[] data) throws IOException {
    byte[] file = FuzzBytes.file(data);
    if (FuzzBytes.wantsChecksums(data)) {
      mend(file);
    }
    SimFileSystem disk = new SimFileSystem();
    disk.overwrite(Manifest.NAME, file);
    Manifest manifest;
    try {
      NodeIdentity identity = Manifest.readIdentity(disk);
      manifest = Manifest.open(disk, identity, 1 << 20);
    } catch (UnreadableFileException refused) {
      return;
    }
    Manifest again = Manifest.open(disk, manifest.identity(), 1 << 20);
    if (!again.families().equals(manifest.families())) {
      throw new AssertionError("written again it reads as " + again.families());
    }
  }

  private static void mend(byte[] file) {
    int at = FuzzBytes.mendHeader(file);
    ByteBuffer frames = ByteBuffer.wrap(file);
    while (at > 0 && at <= file.length - ManifestReader.FRAME_BYTES) {
      int length = frames.getInt(at);
      int payload = at + ManifestReader.FRAME_BYTES;
      if (length < 0 || length > file.length - payload) {
        return;
      }
      frames.putInt(at + 4, ManifestReader.checksum(file, payload, length, at));
      at = payload + length;
    }
  }
}
