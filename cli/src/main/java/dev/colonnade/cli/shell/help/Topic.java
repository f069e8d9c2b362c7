package dev.colonnade.cli.shell.help;

import java.util.List;

/**
 * One page of the manual.
 *
 * @param name what follows {@code help}: words in lower case with one blank between
 * @param group the heading under which the overview lists it
 * @param summary one line without a full stop
 * @param text the page below its summary, with its examples, lines ended by line feeds
 * @param examples the statements of the page that can be typed as they stand, each a line or more
 */
public record Topic(String name, String group, String summary, String text, List<String> examples) {

  /** Copies the list. */
  public Topic {
    examples = List.copyOf(examples);
  }

  /** The whole page as {@code help} prints it. */
  public String page() {
    return name + ": " + summary + ".\n\n" + text;
  }
}
