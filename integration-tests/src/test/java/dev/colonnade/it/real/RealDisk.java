package dev.colonnade.it.real;

import dev.colonnade.it.Folders;
import dev.colonnade.it.HostCommand;
import dev.colonnade.it.SmallDisk;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** The requirements for mounting a file system. */
final class RealDisk {

  private static final int TRIAL_MEGABYTES = 320;

  private RealDisk() {}

  /**
   * Why this machine cannot mount one, which is found by doing it; empty if it can.
   *
   * @param programs that are needed besides
   */
  static String missing(SmallDisk.Kind kind, List<String> programs) throws IOException {
    if (kind != SmallDisk.Kind.TMPFS && !HostCommand.isInstalled("mkfs." + kind.fileSystem())) {
      return "no mkfs." + kind.fileSystem() + " (package " + packageOf(kind) + ")";
    }
    for (String program : programs) {
      if (!HostCommand.isInstalled(program)) {
        return "no " + program;
      }
    }
    Path folder = Files.createTempDirectory("colonnade-real-trial");
    try (SmallDisk disk = SmallDisk.mounted(kind, folder.resolve("disk"), TRIAL_MEGABYTES)) {
      if (programs.contains("perl")) {
        disk.cutPower(true);
      }
      return "";
    } catch (IOException refusal) {
      return "cannot mount " + kind.fileSystem() + ", which takes root: " + refusal.getMessage();
    } finally {
      Folders.delete(folder);
    }
  }

  private static String packageOf(SmallDisk.Kind kind) {
    return kind == SmallDisk.Kind.XFS ? "xfsprogs" : "e2fsprogs";
  }
}
