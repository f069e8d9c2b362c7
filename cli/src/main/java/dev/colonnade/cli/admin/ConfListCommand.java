package dev.colonnade.cli.admin;

import dev.colonnade.cli.CommandException;
import dev.colonnade.client.Colonnade;
import dev.colonnade.client.ColonnadeException;
import dev.colonnade.client.NodeSetting;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Lists the settings of a running node. */
@Command(
    name = "list",
    description = {
      "Lists the settings of a running node with the values that they have now, where each comes"
          + " from, and which can be changed while it runs. `conf show` lists those of a node that"
          + " does not run.",
      ""
    })
public final class ConfListCommand implements Callable<Integer> {

  @CommandLine.Spec private CommandLine.Model.CommandSpec spec;

  @Mixin private NodeClientOptions node = new NodeClientOptions();

  @Mixin private AnswerOptions answer = new AnswerOptions();

  @Option(names = "--live", description = "Only those that can be changed while the node runs.")
  private boolean live;

  @Option(names = "--changed", description = "Only those whose value is not the default.")
  private boolean changed;

  /** For picocli. */
  public ConfListCommand() {}

  @Override
  public Integer call() throws CommandException {
    String address = node.address(spec.commandLine());
    SettingListing listing = new SettingListing();
    try (Colonnade client = Colonnade.connect(address, node.client())) {
      for (NodeSetting setting : client.node().settings()) {
        if ((setting.isLive() || !live)
            && (setting.origin() != NodeSetting.Origin.DEFAULT || !changed)) {
          listing.add(address, setting);
        }
      }
    } catch (ColonnadeException e) {
      throw CommandException.failed(address + " answers: " + e.getMessage(), e);
    }
    answer.output(spec.commandLine()).listing(listing.listing());
    return CommandLine.ExitCode.OK;
  }
}
