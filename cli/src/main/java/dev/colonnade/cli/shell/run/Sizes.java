package dev.colonnade.cli.shell.run;

import java.util.List;
import java.util.Locale;

/** Numbers for people. */
final class Sizes {

  private static final List<String> UNITS = List.of("B", "KiB", "MiB", "GiB", "TiB", "PiB");
  private static final double STEP = 1024;

  private Sizes() {}

  /** Bytes in the unit that suits. */
  static String bytes(long bytes) {
    double size = bytes;
    int unit = 0;
    while (size >= STEP && unit < UNITS.size() - 1) {
      size /= STEP;
      unit++;
    }
    return unit == 0 ? bytes + " B" : String.format(Locale.ROOT, "%.2f %s", size, UNITS.get(unit));
  }

  /** A number of things, such as {@code 1,234 columns}. */
  static String counted(long count, String thing) {
    return String.format(Locale.ROOT, "%,d %s%s", count, thing, count == 1 ? "" : "s");
  }

  /** A share from 0 to 1. */
  static String percent(double share) {
    return String.format(Locale.ROOT, "%.2f%%", 100 * share);
  }

  /** With one digit behind the point. */
  static String tenths(double number) {
    return String.format(Locale.ROOT, "%.1f", number);
  }
}
