package dev.colonnade.cli.admin;

import dev.colonnade.cli.CommandException;
import dev.colonnade.cli.shell.output.Output;
import dev.colonnade.client.ClientOptions;
import dev.colonnade.client.Colonnade;
import dev.colonnade.client.ColonnadeException;
import dev.colonnade.client.Node;
import dev.colonnade.client.NodeSetting;
import dev.colonnade.client.RingNode;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import picocli.CommandLine;

/**
 * Changes a setting on one running node, or on all of its cluster. The node that is named comes
 * first: if it refuses the change, no other one is asked.
 */
final class SettingChange {

  private final NodeClientOptions node;
  private final CommandLine command;
  private final Function<Node, NodeSetting> change;
  private final SettingListing listing = new SettingListing();
  private final List<String> missed = new ArrayList<>();

  /** Prepares a change of the node that the options name. */
  SettingChange(NodeClientOptions node, CommandLine command, Function<Node, NodeSetting> change) {
    this.node = node;
    this.command = command;
    this.change = change;
  }

  /**
   * Makes the change, and prints what the setting is then on each node.
   *
   * @return the exit status: 1 if a node of the cluster was not reached, or refused
   */
  int make(boolean everywhere, Output answer) throws CommandException {
    String address = node.address(command);
    ClientOptions options = node.client();
    try (Colonnade client = Colonnade.connect(address, options)) {
      listing.add(address, change.apply(client.node()));
      if (everywhere) {
        String self = client.node().info().node().endpoint().nodeId();
        for (RingNode other : client.cluster().ring("").nodes()) {
          if (!other.endpoint().nodeId().equals(self) && other.state() != RingNode.State.LEFT) {
            changeOther(other, options);
          }
        }
      }
    } catch (ColonnadeException e) {
      throw CommandException.failed(address + " answers: " + e.getMessage(), e);
    }
    answer.listing(listing.listing());
    for (String each : missed) {
      command.getErr().println("not changed on " + each);
    }
    command.getErr().flush();
    return missed.isEmpty() ? CommandLine.ExitCode.OK : 1;
  }

  private void changeOther(RingNode other, ClientOptions options) {
    String target = other.endpoint().target();
    if (other.liveness() == RingNode.Liveness.DOWN) {
      missed.add(target + ", which is down");
      return;
    }
    try (Colonnade client = Colonnade.connect(target, options)) {
      listing.add(target, change.apply(client.node()));
    } catch (ColonnadeException e) {
      missed.add(target + ", which answers: " + e.getMessage());
    }
  }
}
