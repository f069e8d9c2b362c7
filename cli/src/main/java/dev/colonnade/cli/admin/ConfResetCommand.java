package dev.colonnade.cli.admin;

import dev.colonnade.cli.CommandException;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Takes back the change of a setting of a running node. */
@Command(
    name = "reset",
    description = {
      "Gives a setting of a running node the value again with which the node was configured, now and"
          + " after its restarts: what `conf set` changed, kept or not, is forgotten.",
      ""
    })
public final class ConfResetCommand implements Callable<Integer> {

  @CommandLine.Spec private CommandLine.Model.CommandSpec spec;

  @Parameters(index = "0", paramLabel = "NAME", description = "The setting.")
  private String name = "";

  @Option(
      names = "--all-nodes",
      description =
          "Reset it on every node of the cluster. Those that are down or do not answer are named.")
  private boolean allNodes;

  @Mixin private NodeClientOptions node = new NodeClientOptions();

  @Mixin private AnswerOptions answer = new AnswerOptions();

  /** For picocli. */
  public ConfResetCommand() {}

  @Override
  public Integer call() throws CommandException {
    return new SettingChange(node, spec.commandLine(), each -> each.resetSetting(name))
        .make(allNodes, answer.output(spec.commandLine()));
  }
}
