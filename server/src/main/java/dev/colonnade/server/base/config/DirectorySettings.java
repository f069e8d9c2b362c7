package dev.colonnade.server.base.config;

/**
 * The directories of a node. Paths are in the operating system's form, relative to where the node
 * is started.
 */
public final class DirectorySettings {

  static final SettingGroup GROUP = new SettingGroup("Directories");

  /** Data files, manifest, identity. */
  public static final Setting<String> DATA =
      GROUP
          .setting("data_directory", ValueForm.path(), "data/data")
          .elementWithChildren("DataFileDirectories", "DataFileDirectory")
          .defaultText("`data` below `--data`")
          .help("The directory of data files, manifest and identity.");

  /** The commit log. */
  public static final Setting<String> COMMIT_LOG =
      GROUP
          .setting("commit_log_directory", ValueForm.path(), "data/commitlog")
          .element("CommitLogDirectory")
          .defaultText("`commitlog` below `--data`")
          .help(
              "The directory of the commit log. Another disk than that of the data keeps its writes"
                  + " sequential.");

  /** Where closed segments of the commit log are kept; empty for nowhere. */
  public static final Setting<String> COMMIT_LOG_ARCHIVE =
      GROUP
          .setting(
              "commit_log_archive_directory",
              ValueForm.text("the path of a directory", text -> true),
              "")
          .defaultText("none")
          .help(
              "A directory in which each file of the commit log is kept when the next one is begun,"
                  + " so that a snapshot can be restored up to a later moment. On the same volume"
                  + " as the commit log it takes hard links, elsewhere copies. Nothing there is"
                  + " ever deleted by the node.");

  /** Jars with the user's comparators and partitioners; need not exist. */
  public static final Setting<String> PLUG_INS =
      GROUP
          .setting("plug_in_directory", ValueForm.path(), "data/plugins")
          .defaultText("`plugins` below `--data`")
          .help("The directory of jars with your own comparators and partitioners.");

  private DirectorySettings() {}

  /** Puts everything below one directory. */
  public static NodeSettings below(String directory, NodeSettings settings) {
    return settings
        .with(DATA, directory + "/data")
        .with(COMMIT_LOG, directory + "/commitlog")
        .with(PLUG_INS, directory + "/plugins");
  }

  /** Checks that the directories differ. */
  static void check(NodeSettings settings) {
    String data = settings.get(DATA);
    if (data.equals(settings.get(COMMIT_LOG))) {
      throw new IllegalArgumentException(
          "the commit log cannot be in the data directory itself (" + data + "): give it its own");
    }
    String archive = settings.get(COMMIT_LOG_ARCHIVE);
    if (archive.equals(data) || archive.equals(settings.get(COMMIT_LOG))) {
      throw new IllegalArgumentException(
          "the commit log cannot be archived in " + archive + " itself: give it its own directory");
    }
  }
}
