package dev.colonnade.it;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/**
 * The classes of a node, loaded once for many starts: most of a round that kills a node is the
 * start of a JVM, and one that finds its classes loaded takes half as long.
 */
public record ClassArchive(Path file) {

  /** Starts a node once to make the archive. */
  public static ClassArchive in(Path folder) throws IOException {
    ClassArchive archive = new ClassArchive(folder.resolve("classes.jsa"));
    LocalNode.process(
            LocalNode.Settings.in(folder.resolve("data"))
                .withJvmArguments(arguments("-XX:ArchiveClassesAtExit=" + archive.file)))
        .close();
    return archive;
  }

  /** Options for a small node that starts quickly. */
  public String[] jvmArguments() {
    return arguments("-XX:SharedArchiveFile=" + file);
  }

  private static String[] arguments(String archive) {
    return List.of("-Xmx256m", "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", archive)
        .toArray(String[]::new);
  }
}
