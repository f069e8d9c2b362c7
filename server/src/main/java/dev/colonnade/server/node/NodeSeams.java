package dev.colonnade.server.node;

import dev.colonnade.server.base.env.Environment;
import dev.colonnade.server.base.env.FileSystem;
import dev.colonnade.server.cluster.net.Transport;
import java.util.function.UnaryOperator;

/**
 * What a test puts between a node of its own process and the machine: the node then has faults of
 * disks and networks, while its clients call it over real sockets.
 *
 * @param files around the file system of the data, and around that of the commit log
 * @param transport around the transport to other nodes
 */
public record NodeSeams(UnaryOperator<FileSystem> files, UnaryOperator<Transport> transport) {

  /** Nothing in between. */
  public static final NodeSeams NONE =
      new NodeSeams(UnaryOperator.identity(), UnaryOperator.identity());

  Environment around(Environment machine) {
    return new Environment(
        machine.clock(),
        machine.scheduler(),
        machine.random(),
        files.apply(machine.files()),
        files.apply(machine.logFiles()),
        machine.keyIndexes(),
        machine.logArchive());
  }
}
