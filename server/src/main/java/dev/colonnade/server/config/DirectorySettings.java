package dev.colonnade.server.config;

/**
 * Where a node keeps what it stores. Paths as the system spells them, relative to where the node is
 * started.
 *
 * @param data data files, manifest, identity
 * @param commitLog the commit log; another disk than {@code data} keeps its writes sequential
 * @param plugIns jars with comparators and partitioners of the user's; need not exist
 */
public record DirectorySettings(String data, String commitLog, String plugIns) {

  /** Below {@code ./data}, so that one directory holds everything and can be thrown away. */
  public static final DirectorySettings DEFAULT = below("data");

  /** Checks that the directories differ. */
  public DirectorySettings {
    if (data.isEmpty() || commitLog.isEmpty() || plugIns.isEmpty()) {
      throw new IllegalArgumentException("a directory's name is not empty");
    }
    if (data.equals(commitLog)) {
      throw new IllegalArgumentException(
          "the commit log cannot be in the data directory itself (" + data + "): give it its own");
    }
  }

  /** Everything below one directory. */
  public static DirectorySettings below(String directory) {
    return new DirectorySettings(
        directory + "/data", directory + "/commitlog", directory + "/plugins");
  }

  /** With the data files elsewhere. */
  public DirectorySettings withData(String directory) {
    return new DirectorySettings(directory, commitLog, plugIns);
  }

  /** With the commit log elsewhere. */
  public DirectorySettings withCommitLog(String directory) {
    return new DirectorySettings(data, directory, plugIns);
  }

  /** With the plug-ins elsewhere. */
  public DirectorySettings withPlugIns(String directory) {
    return new DirectorySettings(data, commitLog, directory);
  }
}
