package dev.colonnade.server.base.config;

import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Predicate;

/**
 * How a value is written, in a file or on the command line: its parser, its unit and its bounds.
 * Immutable; one is shared by all settings that are written in the same way.
 *
 * @param <T> the type of the value once it is read
 */
public final class ValueForm<T> {

  private final String rule;
  private final String range;
  private final String unit;
  private final Function<String, Optional<T>> parser;
  private final Function<T, String> printer;
  private final Predicate<T> bounds;
  private final Function<String, String> advice;

  private ValueForm(
      String rule,
      String range,
      Function<String, Optional<T>> parser,
      Function<T, String> printer,
      Predicate<T> bounds) {
    this(rule, range, "", parser, printer, bounds, text -> "");
  }

  private ValueForm(
      String rule,
      String range,
      String unit,
      Function<String, Optional<T>> parser,
      Function<T, String> printer,
      Predicate<T> bounds,
      Function<String, String> advice) {
    this.rule = rule;
    this.range = range;
    this.unit = unit;
    this.parser = parser;
    this.printer = printer;
    this.bounds = bounds;
    this.advice = advice;
  }

  /** Any text that {@code bounds} accepts; {@code rule} says which, as in "… is a path". */
  static ValueForm<String> text(String rule, Predicate<String> bounds) {
    return new ValueForm<>(rule, "", Optional::of, text -> text, bounds);
  }

  /** A name of 1 to {@code most} characters, not all of them blank. */
  static ValueForm<String> name(int most) {
    return text(
        "text of 1 to " + most + " characters", text -> !text.isBlank() && text.length() <= most);
  }

  /** The path of a file or directory, in the form of the operating system. */
  static ValueForm<String> path() {
    return text("a path, which is not empty", text -> !text.isEmpty());
  }

  /** {@code true} or {@code false}. On the command line: an option, or the same with "no-". */
  static ValueForm<Boolean> flag() {
    return new ValueForm<>(
        "true or false",
        "",
        text ->
            text.equals("true") || text.equals("false")
                ? Optional.of(text.equals("true"))
                : Optional.empty(),
        String::valueOf,
        flag -> true);
  }

  /** A whole number, bounds included. */
  static ValueForm<Integer> wholeNumber(int least, int most) {
    return scaled("", least, most, Math::toIntExact, Integer::longValue);
  }

  /** A whole number of bytes, bounds included. */
  static ValueForm<Long> bytes(long least, long most) {
    return scaled("bytes", least, most, number -> number, number -> number);
  }

  /** A whole number of 2^20 bytes, bounds included; the value is in bytes. */
  static ValueForm<Long> mebibytes(long least, long most) {
    return scaled("MiB", least, most, number -> number << 20, bytes -> bytes >> 20);
  }

  /** A whole number of 10^6 bytes a second, bounds included; the value is in bytes a second. */
  static ValueForm<Long> megabytesPerSecond(long least, long most) {
    return scaled(
        "MB (10^6 bytes) a second",
        least,
        most,
        number -> number * 1_000_000,
        bytes -> bytes / 1_000_000);
  }

  /** A whole number of seconds, bounds included. */
  static ValueForm<Duration> seconds(long least, long most) {
    return scaled("seconds", least, most, Duration::ofSeconds, Duration::toSeconds);
  }

  /** A whole number of milliseconds, bounds included. */
  static ValueForm<Duration> milliseconds(long least, long most) {
    return scaled("milliseconds", least, most, Duration::ofMillis, Duration::toMillis);
  }

  /** A whole number of days, bounds included. */
  static ValueForm<Duration> days(long least, long most) {
    return scaled("days", least, most, Duration::ofDays, Duration::toDays);
  }

  private static <T extends Comparable<T>> ValueForm<T> scaled(
      String unit, long least, long most, Function<Long, T> of, Function<T, Long> count) {
    T min = of.apply(least);
    T max = of.apply(most);
    return new ValueForm<>(
        "a whole number" + (unit.isEmpty() ? "" : " of " + unit) + " from " + least + " to " + most,
        least + " to " + most + (unit.isEmpty() ? "" : " " + unit),
        unit,
        text -> wholeNumber(text).filter(n -> n >= least && n <= most).map(of),
        value -> Long.toString(count.apply(value)),
        value -> value.compareTo(min) >= 0 && value.compareTo(max) <= 0,
        text -> "");
  }

  private static Optional<Long> wholeNumber(String text) {
    try {
      return Optional.of(Long.parseLong(text));
    } catch (NumberFormatException e) {
      return Optional.empty();
    }
  }

  /** A number, bounds included. */
  static ValueForm<Double> number(double least, double most) {
    String range = plain(least) + " to " + plain(most);
    return new ValueForm<>(
        "a number from " + range,
        range,
        ValueForm::decimal,
        ValueForm::plain,
        value -> value >= least && value <= most);
  }

  private static Optional<Double> decimal(String text) {
    try {
      return Optional.of(Double.parseDouble(text));
    } catch (NumberFormatException e) {
      return Optional.empty();
    }
  }

  private static String plain(double value) {
    return value == Math.rint(value) && Math.abs(value) < 1L << 53
        ? Long.toString((long) value)
        : Double.toString(value);
  }

  /**
   * One of several values that have names.
   *
   * @param names all of them, as in "… is periodic or batch"
   * @param find the value of a name; empty if there is none
   */
  static <T> ValueForm<T> choice(
      String names, Function<String, Optional<T>> find, Function<T, String> name) {
    return new ValueForm<>(names, names, find, name, value -> true);
  }

  /** One of the values of an enumeration, by its name in lower case. */
  static <E extends Enum<E>> ValueForm<E> oneOf(Class<E> type) {
    List<E> all = List.of(type.getEnumConstants());
    List<String> names = all.stream().map(ValueForm::name).toList();
    String last = names.get(names.size() - 1);
    return choice(
        String.join(", ", names.subList(0, names.size() - 1)) + " or " + last,
        text -> all.stream().filter(value -> name(value).equals(text)).findFirst(),
        ValueForm::name);
  }

  private static String name(Enum<?> value) {
    return value.name().toLowerCase(Locale.ROOT);
  }

  /** Texts separated by commas; none of them is empty. */
  static ValueForm<List<String>> list() {
    return new ValueForm<>(
        "a list separated by commas, without empty parts",
        "",
        text -> Optional.of(text.isEmpty() ? List.of() : List.of(text.split(",", -1))),
        texts -> String.join(",", texts),
        texts -> texts.stream().noneMatch(String::isBlank));
  }

  /** The same form; {@code added} is appended to the refusal of a text, for what needs a word. */
  ValueForm<T> withAdvice(Function<String, String> added) {
    return new ValueForm<>(rule, range, unit, parser, printer, bounds, added);
  }

  /**
   * Reads a value.
   *
   * @param subject what the value is of, which begins the message
   * @throws IllegalArgumentException if it is malformed or out of bounds; the message says what is
   *     right
   */
  T parse(String subject, String text) {
    return parser
        .apply(text)
        .filter(bounds)
        .orElseThrow(
            () ->
                new IllegalArgumentException(
                    subject + " is " + rule + "; got \"" + text + "\"" + advice.apply(text)));
  }

  /**
   * Returns a value that is within bounds.
   *
   * @throws IllegalArgumentException if it is not; the message says what is right
   */
  T check(String subject, T value) {
    if (!bounds.test(value)) {
      throw new IllegalArgumentException(subject + " is " + rule + "; got " + printer.apply(value));
    }
    return value;
  }

  /** The text that would be read as this value. */
  public String print(T value) {
    return printer.apply(value);
  }

  /** The value with its unit, for people. */
  public String describe(T value) {
    return unit.isEmpty() ? printer.apply(value) : printer.apply(value) + " " + unit;
  }

  /** What a value is, as in "a whole number of seconds from 1 to 600". */
  public String rule() {
    return rule;
  }

  /** Bounds and unit, as in "1 to 600 seconds", or the names of a choice; empty for free text. */
  public String range() {
    return range;
  }
}
