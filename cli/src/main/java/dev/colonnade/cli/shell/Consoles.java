package dev.colonnade.cli.shell;

import java.io.Console;

/** Whether a person uses this process at a terminal. */
final class Consoles {

  private Consoles() {}

  /** Whether both standard input and standard output are a terminal. */
  @SuppressWarnings("SystemConsoleNull") // Checked below, where it makes a difference.
  static boolean isTerminal() {
    Console console = System.console();
    if (console == null) {
      return false;
    }
    try {
      // From Java 22 on there is a console without a terminal, and a method that tells.
      return Boolean.TRUE.equals(Console.class.getMethod("isTerminal").invoke(console));
    } catch (NoSuchMethodException e) {
      return true;
    } catch (ReflectiveOperationException e) {
      throw new IllegalStateException("Console.isTerminal cannot be called", e);
    }
  }
}
