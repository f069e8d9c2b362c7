package dev.colonnade.cli.shell.help;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * The pages of {@code help}. In {@code manual.txt} a line {@code @ heading} begins a group, {@code
 * # name: summary} a page, and the indented lines below {@code Examples:} are its examples, one for
 * each blank line or semicolon at a line's end. Immutable.
 */
public final class Manual {

  private static final String PAGES = "manual.txt";
  private static final String EXAMPLES = "Examples:";

  private final Map<String, Topic> topics;

  private Manual(Map<String, Topic> topics) {
    this.topics = topics;
  }

  /** Reads the pages that come with the program. */
  public static Manual load() {
    try (InputStream pages = Manual.class.getResourceAsStream(PAGES)) {
      if (pages == null) {
        throw new IllegalStateException(PAGES + " is missing from the program");
      }
      return parse(new String(pages.readAllBytes(), StandardCharsets.UTF_8));
    } catch (IOException e) {
      throw new UncheckedIOException("cannot read " + PAGES, e);
    }
  }

  /** All pages in the order of the overview. */
  public List<Topic> topics() {
    return List.copyOf(topics.values());
  }

  /** The page of exactly that name, in any case. */
  public Optional<Topic> topic(String name) {
    return Optional.ofNullable(topics.get(normal(name)));
  }

  /**
   * What {@code help} prints: the overview for no words, a page for its name, and otherwise the
   * pages whose names begin with the words.
   *
   * @return empty if no page is meant
   */
  public Optional<String> answer(String words) {
    String name = normal(words);
    if (name.isEmpty()) {
      return Optional.of(overview());
    }
    Topic page = topics.get(name);
    if (page != null) {
      return Optional.of(page.page());
    }
    List<Topic> begun =
        topics.values().stream().filter(topic -> topic.name().startsWith(name)).toList();
    if (begun.size() == 1) {
      return Optional.of(begun.get(0).page());
    }
    return begun.isEmpty() ? Optional.empty() : Optional.of(list(begun));
  }

  private String overview() {
    Map<String, List<Topic>> groups =
        topics.values().stream()
            .collect(Collectors.groupingBy(Topic::group, LinkedHashMap::new, Collectors.toList()));
    String lists =
        groups.entrySet().stream()
            .map(group -> group.getKey() + "\n" + list(group.getValue()))
            .collect(Collectors.joining("\n"));
    return lists
        + "\nA statement ends with a semicolon and may take several lines. Case matters in"
        + "\nnames, not in words of the language. Type `help` and a name from the left for"
        + "\nits page with examples.\n";
  }

  private String list(List<Topic> listed) {
    int width = topics.keySet().stream().mapToInt(String::length).max().orElse(0);
    return listed.stream()
        .map(topic -> "  " + pad(topic.name(), width) + "  " + topic.summary() + "\n")
        .collect(Collectors.joining());
  }

  private static String pad(String name, int width) {
    return name + " ".repeat(width - name.length());
  }

  private static String normal(String words) {
    return words.strip().replaceAll("\\s+", " ").toLowerCase(Locale.ROOT);
  }

  private static Manual parse(String pages) {
    Map<String, Topic> topics = new LinkedHashMap<>();
    String group = "";
    String heading = "";
    StringBuilder text = new StringBuilder();
    for (String line : (pages + "\n@ end").split("\n", -1)) {
      boolean page = line.startsWith("# ");
      if (!page && !line.startsWith("@ ")) {
        text.append(line).append('\n');
        continue;
      }
      if (!heading.isEmpty()) {
        Topic topic = topic(heading, group, text.toString().strip() + "\n");
        topics.put(topic.name(), topic);
      }
      text.setLength(0);
      heading = page ? line.substring(2) : "";
      group = page ? group : line.substring(2);
    }
    return new Manual(topics);
  }

  private static Topic topic(String heading, String group, String text) {
    int colon = heading.indexOf(':');
    if (colon < 0) {
      throw new IllegalStateException(PAGES + ": no colon in the heading " + heading);
    }
    return new Topic(
        heading.substring(0, colon),
        group,
        heading.substring(colon + 1).strip(),
        text,
        examples(text));
  }

  private static List<String> examples(String text) {
    int begin = text.indexOf(EXAMPLES);
    List<String> examples = new ArrayList<>();
    StringBuilder open = new StringBuilder();
    for (String line : begin < 0 ? new String[0] : text.substring(begin).split("\n")) {
      if (line.startsWith("  ")) {
        open.append(open.isEmpty() ? "" : "\n").append(line.substring(2));
      }
      boolean ends = line.isEmpty() || (line.endsWith(";") && !open.toString().startsWith("batch"));
      if (ends && !open.isEmpty()) {
        examples.add(open.toString());
        open.setLength(0);
      }
    }
    if (!open.isEmpty()) {
      examples.add(open.toString());
    }
    return examples;
  }
}
