package dev.colonnade.server.base.config;

import java.util.Locale;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A setting of a node, declared once. Everything else is derived from the declaration: the element
 * of {@code storage-conf.xml} and the option of the command line with their parsers and refusals,
 * {@code --help}, and docs/settings.md.
 *
 * <p>Settings are declared as constants in the classes of this package, each in the {@link
 * SettingGroup} of its class. Their values are in {@link NodeSettings}. All of them are read when
 * the node starts; those that are {@link #isLive live} can be changed while it runs.
 *
 * <p>Each has an element, an option and a variable of the environment. Where the declaration names
 * no element or option, they are formed from the setting's name.
 *
 * @param <T> the type of its value
 */
public final class Setting<T> {

  /** What the variables of all settings begin with. */
  public static final String VARIABLE_PREFIX = "COLONNADE_SERVER_";

  /**
   * The element that sets it.
   *
   * @param form how the value is written there; may be narrower than the setting's own
   * @param child the element that holds each value of a list; empty if it has no such children
   * @param isOld whether Cassandra 0.5 or 0.6 had this element
   */
  record Element<T>(String name, ValueForm<T> form, String child, boolean isOld) {}

  /**
   * The option of {@code colonnade server} that sets it.
   *
   * @param name with its dashes
   * @param label what help calls its value; empty for a flag
   */
  public record Option(String name, String label) {}

  private final String name;
  private final ValueForm<T> form;
  private final T defaultValue;
  private final String defaultText;
  private final String help;
  private final String reason;
  private final Element<T> element;
  private final Option option;
  private final Optional<Setting<T>> alsoSets;
  private final boolean firstStartOnly;
  private final boolean live;

  private Setting(Builder<T> from, String help) {
    this.name = from.name;
    this.form = from.form;
    this.defaultValue = from.form.check(from.name, from.defaultValue);
    this.defaultText =
        from.defaultText == null ? from.form.print(from.defaultValue) : from.defaultText;
    this.help = help;
    this.reason = from.reason;
    this.element =
        from.element == null
            ? new Element<>(elementOf(from.name), from.form, "", false)
            : from.element;
    this.option =
        from.option == null
            ? new Option(
                "--" + from.name.replace('_', '-'),
                from.defaultValue instanceof Boolean ? "" : "VALUE")
            : from.option;
    this.alsoSets = Optional.ofNullable(from.alsoSets);
    this.firstStartOnly = from.firstStartOnly;
    this.live = from.live;
  }

  /** As in {@code BlockCacheBytes} for {@code block_cache_bytes}. */
  private static String elementOf(String name) {
    StringBuilder element = new StringBuilder();
    for (String word : name.split("_")) {
      element.append(word.substring(0, 1).toUpperCase(Locale.ROOT)).append(word.substring(1));
    }
    return element.toString();
  }

  /** In lower case with underscores; unique. */
  public String name() {
    return name;
  }

  /** How a value is written, and its bounds. */
  public ValueForm<T> form() {
    return form;
  }

  /** The value unless a file or the command line gives another. */
  public T defaultValue() {
    return defaultValue;
  }

  /** The default as people read it. */
  public String defaultText() {
    return defaultText;
  }

  /** What it does, in sentences. */
  public String help() {
    return help;
  }

  /** Why the default is what it is; empty if that needs no word. */
  public String reason() {
    return reason;
  }

  /** The element that sets it. */
  Element<T> element() {
    return element;
  }

  /** The name of the element that sets it. */
  public String elementName() {
    return element.name();
  }

  /** Whether an element sets it that no release of Cassandra had. */
  public boolean hasNewElement() {
    return !element.isOld();
  }

  /** The option that sets it. */
  public Option option() {
    return option;
  }

  /** The variable of the environment that sets it, as {@code COLONNADE_SERVER_HTTP_PORT}. */
  public String variable() {
    return VARIABLE_PREFIX + name.toUpperCase(Locale.ROOT);
  }

  /** A setting that takes the same value if it is not given itself. */
  Optional<Setting<T>> alsoSets() {
    return alsoSets;
  }

  /** Whether it has an effect only at a node's first start, with an empty data directory. */
  public boolean isForFirstStart() {
    return firstStartOnly;
  }

  /** Whether it can be changed while a node runs. */
  public boolean isLive() {
    return live;
  }

  /**
   * Reads a value, as it is printed by its form.
   *
   * @throws IllegalArgumentException if it is malformed or out of bounds
   */
  public T parse(String text) {
    return form.parse(name, text);
  }

  /**
   * Reads a value of the variable.
   *
   * @throws IllegalArgumentException if it is malformed or out of bounds
   */
  public T parseVariable(String text) {
    return form.parse(variable(), text);
  }

  /**
   * Reads a value of the option.
   *
   * @throws IllegalArgumentException if it is malformed or out of bounds
   */
  public T parseOption(String text) {
    return form.parse(option.name(), text);
  }

  @Override
  public String toString() {
    return name;
  }

  /**
   * A setting that is being declared.
   *
   * @param <T> the type of its value
   */
  static final class Builder<T> {
    private final SettingGroup group;
    private final String name;
    private final ValueForm<T> form;
    private final T defaultValue;
    private @Nullable String defaultText;
    private String reason = "";
    private @Nullable Element<T> element;
    private @Nullable Option option;
    private @Nullable Setting<T> alsoSets;
    private boolean firstStartOnly;
    private boolean live;

    Builder(SettingGroup group, String name, ValueForm<T> form, T defaultValue) {
      this.group = group;
      this.name = name;
      this.form = form;
      this.defaultValue = defaultValue;
    }

    /** Set by an element of Cassandra 0.5 or 0.6. */
    Builder<T> element(String elementName) {
      return element(elementName, form);
    }

    /** Set by such an element, which is written in another form, or has narrower bounds. */
    Builder<T> element(String elementName, ValueForm<T> elementForm) {
      this.element = new Element<>(elementName, elementForm, "", true);
      return this;
    }

    /** Set by an element of Cassandra 0.5 or 0.6 that holds each value in a child of this name. */
    Builder<T> elementWithChildren(String elementName, String child) {
      this.element = new Element<>(elementName, form, child, true);
      return this;
    }

    /** No release of Cassandra had the element. Call after {@link #element}. */
    Builder<T> isNew() {
      Element<T> old = Objects.requireNonNull(element, "the element");
      this.element = new Element<>(old.name(), old.form(), old.child(), false);
      return this;
    }

    /** Set by an option of the command line. */
    Builder<T> option(String optionName, String label) {
      this.option = new Option(optionName, label);
      return this;
    }

    /** A file or command line that gives this one gives that one, too, unless it names it. */
    Builder<T> alsoSets(Setting<T> other) {
      this.alsoSets = other;
      return this;
    }

    /** What people read instead of the default, if that has a special meaning. */
    Builder<T> defaultText(String text) {
      this.defaultText = text;
      return this;
    }

    /** Why the default is what it is, in sentences. */
    Builder<T> reason(String sentences) {
      this.reason = sentences;
      return this;
    }

    /** It has an effect only at a node's first start. */
    Builder<T> forFirstStart() {
      this.firstStartOnly = true;
      return this;
    }

    /** It can be changed while a node runs: a part of the node follows it. */
    Builder<T> live() {
      this.live = true;
      return this;
    }

    /** Says what it does, in sentences; this completes the declaration. */
    Setting<T> help(String sentences) {
      Setting<T> setting = new Setting<>(this, sentences);
      group.add(setting);
      return setting;
    }
  }
}
