package dev.colonnade.cli.local;

import dev.colonnade.cli.CommandException;
import dev.colonnade.server.base.config.StorageConfException;
import dev.colonnade.server.base.env.PlugInException;
import dev.colonnade.server.node.Node;
import dev.colonnade.server.node.NodeOptions;
import dev.colonnade.server.node.NodeStartException;
import dev.colonnade.server.storage.manifest.IdentityMismatchException;
import org.jspecify.annotations.Nullable;

/** Starts nodes, and says for people why one does not start. */
final class Nodes {

  private Nodes() {}

  static Node start(NodeOptions options) throws CommandException {
    try {
      return Node.start(options);
    } catch (NodeStartException e) {
      String message = String.valueOf(e.getMessage());
      throw isMisconfigured(e.getCause())
          ? CommandException.misconfigured(message, e)
          : CommandException.failed(message, e);
    }
  }

  private static boolean isMisconfigured(@Nullable Throwable cause) {
    return cause instanceof StorageConfException
        || cause instanceof IdentityMismatchException
        || cause instanceof PlugInException
        || cause instanceof IllegalArgumentException;
  }
}
