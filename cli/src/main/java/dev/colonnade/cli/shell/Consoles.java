package dev.colonnade.cli.shell;

import java.io.Console;
import java.util.Optional;

/** Whether a person uses this process at a terminal. */
public final class Consoles {

  private Consoles() {}

  /** The terminal, to ask for a password at; empty if there is none. */
  public static Optional<Console> console() {
    return isTerminal() ? Optional.ofNullable(System.console()) : Optional.empty();
  }

  /** Asks for a password at the terminal, which does not show it; empty if there is none. */
  static Optional<String> ask(String prompt) {
    return console().map(it -> it.readPassword("%s: ", prompt)).map(String::new);
  }

  /** Whether both standard input and standard output are a terminal. */
  @SuppressWarnings("SystemConsoleNull") // Checked below, where it makes a difference.
  public static boolean isTerminal() {
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
