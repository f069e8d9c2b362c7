package dev.colonnade.server.base.config;

/**
 * The directories of a node. Paths are in the operating system's form, relative to where the node
 * is started.
 *
 * @param data data files, manifest, identity
 * @param commitLog the commit log; another disk than {@code data} keeps its writes sequential
 * @param plugIns jars with the user's comparators and partitioners; need not exist
 */
public record DirectorySettings(String data, String commitLog, String plugIns) {

  /** Below {@code ./data}, so that one directory holds everything and can be deleted. */
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

  /** Puts everything below one directory. */
  public static DirectorySettings below(String directory) {
    return new DirectorySettings(
        directory + "/data", directory + "/commitlog", directory + "/plugins");
  }

  /** Returns these settings with another directory for data files. */
  public DirectorySettings withData(String directory) {
    return new DirectorySettings(directory, commitLog, plugIns);
  }

  /** Returns these settings with another directory for the commit log. */
  public DirectorySettings withCommitLog(String directory) {
    return new DirectorySettings(data, directory, plugIns);
  }

  /** Returns these settings with another directory for plug-ins. */
  public DirectorySettings withPlugIns(String directory) {
    return new DirectorySettings(data, commitLog, directory);
  }
}
