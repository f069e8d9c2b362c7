package dev.colonnade.cli;

import picocli.CommandLine.IVersionProvider;

/** What {@code colonnade --version} prints; the number comes from the jar's manifest. */
final class Version implements IVersionProvider {

  @Override
  public String[] getVersion() {
    String version = Colonnade.class.getPackage().getImplementationVersion();
    return new String[] {
      "colonnade " + (version == null ? "(unpackaged build)" : version),
      "Java " + System.getProperty("java.version")
    };
  }
}
