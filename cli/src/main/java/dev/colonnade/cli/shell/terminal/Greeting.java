package dev.colonnade.cli.shell.terminal;

import dev.colonnade.cli.shell.run.Launcher;
import dev.colonnade.cli.shell.run.Session;
import dev.colonnade.client.CallOptions;
import dev.colonnade.client.ClusterDescription;
import dev.colonnade.client.ColonnadeException;
import java.io.PrintWriter;
import java.time.Duration;

/** The first lines: what the shell is connected to, or that it is not. */
final class Greeting {

  /** For a busy node; where nothing listens is known at once, and Ctrl-C ends the wait. */
  private static final Duration PATIENCE = Duration.ofSeconds(10);

  private final Session session;
  private final String shellVersion;

  Greeting(Session session, String shellVersion) {
    this.session = session;
    this.shellVersion = shellVersion;
  }

  /** Tells whether there is a node. */
  boolean print(PrintWriter out) {
    boolean connected = describe(out);
    out.println(
        "Statements end with a semicolon; Tab completes. Type help for help, exit to leave.");
    out.println();
    return connected;
  }

  private boolean describe(PrintWriter out) {
    try {
      ClusterDescription cluster =
          session.client().cluster().with(CallOptions.defaults().withDeadline(PATIENCE)).describe();
      out.println("Connected to: \"" + cluster.name() + "\" on " + session.node());
      out.println(
          "Colonnade "
              + cluster.serverVersion()
              + ", contract "
              + cluster.apiVersion()
              + ", shell "
              + shellVersion);
      return true;
    } catch (ColonnadeException e) {
      session.reconnectAfter(e);
      if (!e.reason().equals("UNAVAILABLE")) {
        out.println(
            "The node at "
                + session.node()
                + " answers: "
                + e.getMessage()
                + ".\n`login NAME;` says who you are, if that is what it asks.");
        return false;
      }
      out.println(
          "Not connected: no node answers at "
              + session.node()
              + ".\n`"
              + Launcher.command("server")
              + "` starts one, connect HOST:PORT; goes to another.");
      return false;
    }
  }
}
