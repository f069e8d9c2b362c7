package dev.colonnade.it.bench;

import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.Map;
import java.util.TreeMap;

/** What data files take on the disk. */
public final class DataFiles {

  private DataFiles() {}

  /**
   * Bytes of the data files below a folder, by the part of the file. Nodes may be at work there.
   *
   * @param name of a keyspace or of a column family, which no other file below has in its path
   */
  public static Map<String, Long> bytesByPart(Path folder, String name) throws IOException {
    Map<String, Long> bytes = new TreeMap<>();
    Files.walkFileTree(
        folder,
        new SimpleFileVisitor<>() {
          @Override
          public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
            String part = file.getFileName().toString();
            if (part.matches("[0-9]{12}-.*") && folder.relativize(file).toString().contains(name)) {
              bytes.merge(part.substring(part.indexOf('-') + 1), attributes.size(), Long::sum);
            }
            return FileVisitResult.CONTINUE;
          }

          @Override
          public FileVisitResult visitFileFailed(Path file, IOException failure)
              throws IOException {
            if (failure instanceof NoSuchFileException) {
              return FileVisitResult.CONTINUE; // a merge or a flush has removed it
            }
            throw failure;
          }
        });
    return bytes;
  }
}
