package dev.colonnade.cli.local;

import dev.colonnade.cli.CommandException;
import dev.colonnade.server.node.authority.CertificateDirectory;
import dev.colonnade.server.node.authority.CertificateDirectory.RefusedException;
import dev.colonnade.server.node.tls.CertifiedNode;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;

/** Makes the certificates of a first cluster, without any other tool. */
@Command(
    name = "certs",
    description = {
      "Makes certificates for a first cluster: a local authority for clients and another one for"
          + " nodes among themselves, and certificates that they sign. Private keys can be read by"
          + " you alone (mode 600). Nothing is overwritten, except by renew.",
      ""
    },
    footer = {
      "",
      "For example:",
      "  colonnade certs authority --cluster-name Blog",
      "  colonnade certs node node1 --host node1.example.org,10.0.0.1",
      "  colonnade certs client alice",
      "  colonnade certs revoke node1",
      "  colonnade server --tls certs/node1",
      "  colonnade ring --host node1.example.org --ca certs/alice/clients-ca.pem",
      "",
      "Copy certs/node1 to the node, and nothing else. Keep certs/authority off all nodes: with its"
          + " keys anyone can make certificates."
    })
public final class CertsCommand implements Runnable {

  private static final String DIRECTORY_HELP =
      "The directory of all certificates (default: ./${DEFAULT-VALUE}).";
  private static final String DAYS_HELP =
      "How many days they are valid, 1 to 7300 (default: ${DEFAULT-VALUE}).";
  private static final int DAYS_MAX = 7_300;

  @CommandLine.Spec private CommandLine.Model.CommandSpec spec;

  /** For picocli. */
  public CertsCommand() {}

  @Override
  public void run() {
    throw new ParameterException(spec.commandLine(), "name a subcommand");
  }

  @Command(
      name = "authority",
      description = "Makes the two authorities, once for each cluster: DIR/authority.")
  int authority(
      @Option(
              names = "--cluster-name",
              paramLabel = "NAME",
              defaultValue = "Test Cluster",
              description =
                  "The cluster, whose name nodes' certificates will have (default:"
                      + " ${DEFAULT-VALUE}).")
          String cluster,
      @Option(
              names = "--directory",
              paramLabel = "DIR",
              defaultValue = "certs",
              description = DIRECTORY_HELP)
          Path directory,
      @Option(names = "--days", paramLabel = "N", defaultValue = "3650", description = DAYS_HELP)
          int days)
      throws CommandException {
    Duration validity = validity(days);
    return doing(
        directory,
        certificates -> {
          certificates.createAuthorities(cluster, validity);
          return "authorities of cluster '" + cluster + "' in " + directory.resolve("authority");
        });
  }

  @Command(
      name = "node",
      description =
          "Makes the certificates of a node: DIR/NAME, for `colonnade server --tls DIR/NAME`. They"
              + " give the node its host id.")
  int node(
      @Parameters(paramLabel = "NAME", description = "What the node's directory is called.")
          String name,
      @Option(
              names = "--host",
              paramLabel = "HOST",
              split = ",",
              required = true,
              description =
                  "The names and addresses by which clients call it, separated by commas. It is"
                      + " always called localhost and 127.0.0.1, too.")
          List<String> hosts,
      @Option(
              names = "--host-id",
              paramLabel = "ID",
              description =
                  "The host id of a node that has data already, as `colonnade info` shows it"
                      + " (default: a new one).")
          @Nullable String hostId,
      @Option(
              names = "--directory",
              paramLabel = "DIR",
              defaultValue = "certs",
              description = DIRECTORY_HELP)
          Path directory,
      @Option(names = "--days", paramLabel = "N", defaultValue = "365", description = DAYS_HELP)
          int days)
      throws CommandException {
    Duration validity = validity(days);
    return doing(
        directory,
        certificates -> {
          CertifiedNode made =
              certificates.createNode(name, hosts, Optional.ofNullable(hostId), validity);
          return "certificates of node "
              + made.hostId()
              + " of cluster '"
              + made.clusterName()
              + "' in "
              + directory.resolve(name);
        });
  }

  @Command(
      name = "client",
      description = "Makes the certificate of a client: DIR/NAME, where nodes want one.")
  int client(
      @Parameters(
              paramLabel = "NAME",
              description = "What its directory is called, and whom the certificate names.")
          String name,
      @Option(
              names = "--directory",
              paramLabel = "DIR",
              defaultValue = "certs",
              description = DIRECTORY_HELP)
          Path directory,
      @Option(names = "--days", paramLabel = "N", defaultValue = "365", description = DAYS_HELP)
          int days)
      throws CommandException {
    Duration validity = validity(days);
    return doing(
        directory,
        certificates -> {
          certificates.createClient(name, validity);
          return "certificate of client " + name + " in " + directory.resolve(name);
        });
  }

  @Command(
      name = "renew",
      description =
          "Replaces the certificates of a node or a client by ones that say the same, with new"
              + " keys. Copy the files to the node: it takes them without a restart. `renew"
              + " authority` renews the authorities, whose keys stay; renew nodes and clients then,"
              + " so that they get the new ones.")
  int renew(
      @Parameters(
              paramLabel = "NAME",
              description = "The directory of the node or the client, or authority.")
          String name,
      @Option(
              names = "--directory",
              paramLabel = "DIR",
              defaultValue = "certs",
              description = DIRECTORY_HELP)
          Path directory,
      @Option(
              names = "--days",
              paramLabel = "N",
              description = "How many days they are valid (default: 365, authorities 3650).")
          @Nullable Integer days)
      throws CommandException {
    int usual = name.equals("authority") ? 3_650 : 365;
    Duration validity = validity(days == null ? usual : days);
    return doing(
        directory,
        certificates -> {
          certificates.renew(name, validity);
          return "new certificates in " + directory.resolve(name);
        });
  }

  @Command(
      name = "revoke",
      description =
          "Revokes the certificates of a node or a client that are in DIR/NAME now, or the one in a"
              + " file. The lists of what is revoked are then in DIR/authority and in the directory"
              + " of each node: copy peers-crl.pem and clients-crl.pem to every node. A node looks"
              + " at them every five seconds, refuses such a certificate, and cuts its"
              + " connections.")
  int revoke(
      @Parameters(
              paramLabel = "NAME",
              arity = "0..1",
              description = "The directory of the node or the client.")
          @Nullable String name,
      @Option(
              names = "--file",
              paramLabel = "FILE",
              description =
                  "A certificate in PEM instead, as one that was stolen before it was renewed.")
          @Nullable Path file,
      @Option(
              names = "--directory",
              paramLabel = "DIR",
              defaultValue = "certs",
              description = DIRECTORY_HELP)
          Path directory,
      @Option(
              names = "--days",
              paramLabel = "N",
              defaultValue = "3650",
              description =
                  "How many days until nodes warn that the list has expired, which stays in force"
                      + " (default: ${DEFAULT-VALUE}).")
          int days)
      throws CommandException {
    Duration validity = validity(days);
    return doing(
        directory,
        certificates -> {
          List<CertificateDirectory.Revoked> revoked;
          if (name != null && file == null) {
            revoked = certificates.revoke(name, validity);
          } else if (name == null && file != null) {
            revoked = List.of(certificates.revoke(file, validity));
          } else {
            throw new ParameterException(spec.commandLine(), "give NAME, or --file");
          }
          StringBuilder lines = new StringBuilder();
          for (CertificateDirectory.Revoked each : revoked) {
            lines.append(
                "revoked %s, %s, in %s%n".formatted(each.number(), each.names(), each.list()));
          }
          return lines
              .append("copy the lists to every node, from the directory of any node in ")
              .append(directory)
              .toString();
        });
  }

  @Command(
      name = "show",
      description = "Lists all certificates, when they expire, and which of them are revoked.")
  int show(
      @Option(
              names = "--directory",
              paramLabel = "DIR",
              defaultValue = "certs",
              description = DIRECTORY_HELP)
          Path directory)
      throws CommandException {
    return doing(
        directory,
        certificates -> {
          StringBuilder lines = new StringBuilder();
          for (CertificateDirectory.Listed each : certificates.list()) {
            lines.append(
                "%s%s until %s, %s%s"
                    .formatted(
                        lines.isEmpty() ? "" : "\n",
                        each.file(),
                        each.notAfter(),
                        each.names(),
                        each.revoked().map(at -> ", revoked at " + at).orElse("")));
          }
          return lines.isEmpty() ? "no certificates" : lines.toString();
        });
  }

  private Duration validity(int days) {
    if (days < 1 || days > DAYS_MAX) {
      throw new ParameterException(
          spec.commandLine(), "--days is 1 to " + DAYS_MAX + "; got " + days);
    }
    return Duration.ofDays(days);
  }

  /** What a subcommand does; it returns what it prints. */
  private interface Work {
    String run(CertificateDirectory certificates) throws IOException, RefusedException;
  }

  private int doing(Path directory, Work work) throws CommandException {
    try {
      String made = work.run(new CertificateDirectory(directory, Instant.now()));
      PrintWriter out = spec.commandLine().getOut();
      out.println(made);
      out.flush();
      return CommandLine.ExitCode.OK;
    } catch (RefusedException e) {
      throw CommandException.misconfigured(String.valueOf(e.getMessage()), e);
    } catch (IOException e) {
      throw CommandException.failed("cannot write certificates: " + e, e);
    }
  }
}
