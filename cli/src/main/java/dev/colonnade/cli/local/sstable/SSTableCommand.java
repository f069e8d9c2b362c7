package dev.colonnade.cli.local.sstable;

import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.ParameterException;

/** Reads, checks and writes data files of a node that does not run. */
@Command(
    name = "sstable",
    description = {
      "Reads, checks and writes the data files of a node that does not run. PATH is its data"
          + " directory, one of the directories of keyspaces and families in it, a directory of"
          + " data files that were copied elsewhere, or one of the files. What a node has in its"
          + " commit log alone is in no data file: run `colonnade drain` before you stop it.",
      ""
    },
    subcommands = {
      DumpCommand.class,
      ExportCommand.class,
      FilterCommand.class,
      ImportCommand.class,
      IndexCommand.class,
      ScrubCommand.class,
      VerifyCommand.class
    },
    footer = {
      "",
      "For example:",
      "  colonnade sstable verify /var/lib/colonnade",
      "  colonnade sstable scrub /var/lib/colonnade --into /var/tmp/salvaged",
      "  colonnade sstable export /var/lib/colonnade --family Blog.Users --to users.rows",
      "  colonnade sstable import users.rows --to /var/lib/other --family Blog.Users"
    })
public final class SSTableCommand implements Runnable {

  @CommandLine.Spec private CommandLine.Model.CommandSpec spec;

  /** For picocli. */
  public SSTableCommand() {}

  @Override
  public void run() {
    throw new ParameterException(spec.commandLine(), "name a subcommand");
  }
}
