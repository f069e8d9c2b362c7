package dev.colonnade.cli.local.sstable;

import dev.colonnade.cli.CommandException;
import dev.colonnade.cli.LogLevel;
import dev.colonnade.server.base.codec.UnreadableFileException;
import dev.colonnade.server.node.offline.OfflineException;
import java.io.IOException;
import java.io.PrintWriter;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;

/** A subcommand on files of a node that does not run. */
abstract class FileCommand implements Callable<Integer> {

  @CommandLine.Spec private CommandSpec command;

  /**
   * Does what the command is for.
   *
   * @return the exit status
   */
  abstract int run(PrintWriter out, PrintWriter err)
      throws IOException, OfflineException, CommandException;

  @Override
  public final Integer call() throws CommandException {
    PrintWriter out = command.commandLine().getOut();
    PrintWriter err = command.commandLine().getErr();
    LogLevel.unlessSet("ERROR");
    try {
      return run(out, err);
    } catch (OfflineException e) {
      throw CommandException.misconfigured(String.valueOf(e.getMessage()), e);
    } catch (UnreadableFileException e) {
      throw CommandException.failed(String.valueOf(e.getMessage()), e);
    } catch (IOException e) {
      throw CommandException.failed("the files cannot be read or written: " + e, e);
    } finally {
      out.flush();
      err.flush();
    }
  }

  /** The command itself, for complaints about its options. */
  final CommandSpec command() {
    return command;
  }
}
