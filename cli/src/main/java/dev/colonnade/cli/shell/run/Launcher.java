package dev.colonnade.cli.shell.run;

/** How the user has called this program. */
public final class Launcher {

  private Launcher() {}

  /**
   * A command as the user must type it: by the word that this process was called with, such as
   * {@code ./colonnade}, which the script of that name passes on.
   *
   * @param arguments what follows that word
   */
  public static String command(String arguments) {
    return System.getProperty("colonnade.command", "colonnade") + " " + arguments;
  }
}
