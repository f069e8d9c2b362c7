package dev.colonnade.cli.admin;

import dev.colonnade.cli.CommandException;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Changes a setting of a running node. */
@Command(
    name = "set",
    description = {
      "Changes a setting of a running node: until its process ends, or with --keep over its restarts"
          + " as well. `conf list --live` lists the settings that can be changed so. The status is 1"
          + " if the change was not made on every node that was meant; it may be repeated.",
      ""
    },
    footer = {
      "",
      "For example:",
      "  colonnade conf set compaction_bytes_per_second 67108864 --all-nodes",
      "  colonnade conf set slow_request_threshold 100 --keep"
    })
public final class ConfSetCommand implements Callable<Integer> {

  @CommandLine.Spec private CommandLine.Model.CommandSpec spec;

  @Parameters(index = "0", paramLabel = "NAME", description = "The setting.")
  private String name = "";

  @Parameters(
      index = "1",
      paramLabel = "VALUE",
      description = "Its value, as it is written in a file or as an option.")
  private String value = "";

  @Option(names = "--keep", description = "Keep the value over restarts of the node.")
  private boolean keep;

  @Option(
      names = "--all-nodes",
      description =
          "Change it on every node of the cluster. Those that are down or do not answer are named.")
  private boolean allNodes;

  @Mixin private NodeClientOptions node = new NodeClientOptions();

  @Mixin private AnswerOptions answer = new AnswerOptions();

  /** For picocli. */
  public ConfSetCommand() {}

  @Override
  public Integer call() throws CommandException {
    return new SettingChange(
            node, spec.commandLine(), each -> each.changeSetting(name, value, keep))
        .make(allNodes, answer.output(spec.commandLine()));
  }
}
