package dev.colonnade.cli;

import java.util.List;
import picocli.CommandLine.IVersionProvider;

/** What {@code colonnade --version} prints; the number comes from the jar's manifest. */
final class Version implements IVersionProvider {

  /** Whether a command line asks for nothing else. */
  static boolean isAsked(String[] args) {
    return args.length == 1 && (args[0].equals("--version") || args[0].equals("-V"));
  }

  static List<String> lines() {
    String version = Colonnade.class.getPackage().getImplementationVersion();
    return List.of(
        "colonnade " + (version == null ? "(unpackaged build)" : version),
        "Java " + System.getProperty("java.version"));
  }

  @Override
  public String[] getVersion() {
    return lines().toArray(String[]::new);
  }
}
