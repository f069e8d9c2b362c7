package dev.colonnade.server.base.config;

import java.time.Duration;

/** Checks that the records of settings share. A message names the setting and its range. */
final class SettingChecks {

  private static final int MAX_PORT = 65_535;

  private SettingChecks() {}

  static void port(String name, int value) {
    range(name, value, 0, MAX_PORT);
  }

  static void range(String name, long value, long least, long most) {
    if (value < least || value > most) {
      throw new IllegalArgumentException(
          name + " is from " + least + " to " + most + "; got " + value);
    }
  }

  static void range(String name, double value, double least, double most) {
    if (!(value >= least && value <= most)) {
      throw new IllegalArgumentException(
          name + " is from " + plain(least) + " to " + plain(most) + "; got " + value);
    }
  }

  static void positive(String name, Duration value) {
    if (value.isNegative() || value.isZero()) {
      throw new IllegalArgumentException(name + " is longer than nothing; got " + value);
    }
  }

  private static String plain(double value) {
    return value == Math.rint(value) ? Long.toString((long) value) : Double.toString(value);
  }
}
