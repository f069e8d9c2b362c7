package dev.colonnade.server.storage.engine;

import java.util.List;

/**
 * How far a pass over data files is that looks for damage.
 *
 * @param filesDone that were read, or went before their turn
 * @param filesTotal that were live when it began
 * @param blocks whose checksums were compared
 * @param bytes of them
 * @param damagedFiles in which it found damage
 * @param damaged the first of these, by family and number
 */
public record ScrubReport(
    int filesDone,
    int filesTotal,
    long blocks,
    long bytes,
    long damagedFiles,
    List<String> damaged) {

  /** Copies the list. */
  public ScrubReport {
    damaged = List.copyOf(damaged);
  }

  /** What was found, for people. */
  public String inWords() {
    String read = blocks + " blocks, " + bytes + " bytes, ";
    return damagedFiles == 0
        ? read + "no damage"
        : read
            + "damaged "
            + (damagedFiles == 1 ? "is " : "are " + damagedFiles + " files: ")
            + String.join(", ", damaged)
            + (damagedFiles > damaged.size() ? ", …" : "");
  }
}
