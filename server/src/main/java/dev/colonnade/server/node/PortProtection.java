package dev.colonnade.server.node;

import dev.colonnade.server.base.config.AccessSettings;
import dev.colonnade.server.base.config.AddressSettings;
import dev.colonnade.server.base.config.ClusterSettings;
import dev.colonnade.server.base.config.NodeSettings;
import dev.colonnade.server.base.config.Setting;
import dev.colonnade.server.base.config.TlsSettings;
import dev.colonnade.server.base.config.TlsSettings.ClientCertificates;
import dev.colonnade.server.base.env.Clock;
import dev.colonnade.server.base.env.Environment;
import dev.colonnade.server.base.env.Scheduler;
import dev.colonnade.server.base.env.Stage;
import dev.colonnade.server.base.health.Health;
import dev.colonnade.server.cluster.net.PeerAddress;
import dev.colonnade.server.node.tls.CertificateFileException;
import dev.colonnade.server.node.tls.CertificateWatch;
import dev.colonnade.server.node.tls.CertifiedNode;
import dev.colonnade.server.node.tls.NodeTls;
import dev.colonnade.server.node.tls.PeerTls;
import dev.colonnade.server.storage.manifest.NodeIdentity;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What a node needs before it may listen: certificates that can be used, and protection of every
 * port that other machines can reach.
 */
final class PortProtection {

  private static final Logger LOG = LoggerFactory.getLogger(PortProtection.class);

  private static final String ADVICE =
      " (docs/security.md shows how). Or listen on loopback, or say --insecure if the network"
          + " itself keeps strangers out.";

  /** A stolen key is used while it is still taken; to look at an unchanged file costs little. */
  private static final Duration REVOCATION_PERIOD = Duration.ofSeconds(5);

  private PortProtection() {}

  /** Reads the certificates and applies the rule of binding. Blocks. */
  static NodeTls open(NodeSettings settings, Clock clock) throws NodeStartException {
    NodeTls tls;
    try {
      tls = NodeTls.of(settings, clock);
    } catch (CertificateFileException e) {
      throw new NodeStartException(String.valueOf(e.getMessage()), e);
    }
    requireCertificatesToKnowCallersBy(settings);
    if (!settings.get(TlsSettings.INSECURE)) {
      requireProtected(settings, tls);
    }
    if (settings.get(AccessSettings.AUTHENTICATION).isRequired() && tls.peers().isEmpty()) {
      String peers = settings.get(AddressSettings.PEER_ADDRESS);
      if (isReachable(peers)) {
        // Also with --insecure: nodes take accounts from each other, so the one setting would undo
        // the other.
        throw new NodeStartException(
            "callers have to say who they are, and whoever reaches the port for other nodes at "
                + peers
                + " could make an administrator, since it has no certificates: give the node"
                + " certificates with --tls (docs/security.md shows how), let that port listen on"
                + " loopback, or leave --authentication out");
      }
      if (!settings.get(TlsSettings.INSECURE)) {
        requireAlone(settings);
        return tls;
      }
      LOG.warn(
          "callers have to say who they are, but the port for other nodes has no certificates:"
              + " every program of this machine can make an administrator over it. Give the node"
              + " certificates with --tls (docs/security.md)");
    }
    return tls;
  }

  /**
   * Why the node must not exchange messages with others; empty if it may. On the port for nodes,
   * without certificates, every program of the machine could make an administrator and read and
   * write all data, and so undo what authentication is for.
   */
  static Optional<String> closedToNodes(NodeSettings settings, NodeTls tls) {
    return settings.get(AccessSettings.AUTHENTICATION).isRequired()
            && tls.peers().isEmpty()
            && !settings.get(TlsSettings.INSECURE)
        ? Optional.of(
            "this node is alone: callers have to say who they are, and it has no certificates to"
                + " know other nodes by; give all nodes certificates with --tls, or say --insecure")
        : Optional.empty();
  }

  private static void requireAlone(NodeSettings settings) throws NodeStartException {
    List<String> seeds = settings.get(ClusterSettings.SEEDS);
    if (seeds.isEmpty()) {
      return;
    }
    String host = settings.get(AddressSettings.PEER_ADDRESS);
    int port = settings.get(AddressSettings.PEER_PORT);
    // On a free port, no seed that was named before is the node itself.
    boolean isAlone =
        port != 0
            && Seeds.parse(seeds, port).stream().allMatch(new PeerAddress(host, port)::equals);
    if (!isAlone) {
      throw new NodeStartException(
          "callers have to say who they are, and this node would take accounts from other nodes"
              + " without certificates, so that every program of this machine could make an"
              + " administrator: give all nodes certificates with --tls (docs/security.md shows"
              + " how), or say --insecure if all programs of this machine may do everything");
    }
  }

  /** Follows the files of certificates from now on, and shows when they expire. */
  static void watch(
      NodeTls tls,
      NodeSettings settings,
      Environment environment,
      Health health,
      PrometheusRegistry metrics) {
    if (tls.ports().isEmpty()) {
      return;
    }
    CertificateWatch certificates =
        new CertificateWatch(
            tls.ports(),
            settings.get(TlsSettings.EXPIRY_WARNING),
            environment.clock(),
            health,
            metrics);
    certificates.look();
    certificates.lookAtRevocations();
    Scheduler scheduler = environment.scheduler();
    scheduler.every(settings.get(TlsSettings.RELOAD_PERIOD), Stage.READ, certificates::look);
    scheduler.every(REVOCATION_PERIOD, Stage.READ, certificates::lookAtRevocations);
  }

  /** Refuses ports that other machines can reach without protection. */
  private static void requireProtected(NodeSettings settings, NodeTls tls)
      throws NodeStartException {
    String clients = settings.get(AddressSettings.CLIENT_ADDRESS);
    if (isReachable(clients) && tls.clients().isEmpty()) {
      throw unprotected("clients", clients, TlsSettings.CLIENT_CERTIFICATE);
    }
    if (isReachable(clients) && isForEveryone(settings)) {
      throw new NodeStartException(
          "the port for clients would be encrypted and open to everyone at "
              + clients
              + ", who could read and change everything: let callers say who they are with"
              + " --authentication, or show a certificate with --client-certificates required"
              + ADVICE);
    }
    String peers = settings.get(AddressSettings.PEER_ADDRESS);
    if (isReachable(peers) && tls.peers().isEmpty()) {
      throw unprotected("other nodes", peers, TlsSettings.PEER_CERTIFICATE);
    }
  }

  /** Whether callers neither say who they are nor need a certificate of the authority. */
  private static boolean isForEveryone(NodeSettings settings) {
    return !settings.get(AccessSettings.AUTHENTICATION).isRequired()
        && settings.get(TlsSettings.CLIENT_CERTIFICATES) != ClientCertificates.REQUIRED;
  }

  /** Otherwise no caller could be known by a certificate, and the setting would do nothing. */
  private static void requireCertificatesToKnowCallersBy(NodeSettings settings)
      throws NodeStartException {
    if (settings.get(AccessSettings.AUTHENTICATION).takesCertificates()
        && settings.get(TlsSettings.CLIENT_CERTIFICATES) == ClientCertificates.NONE) {
      throw new NodeStartException(
          "--authentication says that callers are known by their certificates, and none are asked"
              + " for one: add --client-certificates optional, or required");
    }
  }

  private static NodeStartException unprotected(
      String who, String address, Setting<String> certificate) {
    return new NodeStartException(
        "the port for "
            + who
            + " would be open to other machines at "
            + address
            + " without encryption, and everyone who reaches it could read and change everything:"
            + " give the node certificates with --tls, or "
            + certificate.option().name()
            + ADVICE);
  }

  /** Whether other machines may reach an address. One that is unknown cannot be listened on. */
  private static boolean isReachable(String address) {
    try {
      return !InetAddress.getByName(address).isLoopbackAddress();
    } catch (UnknownHostException e) {
      return false;
    }
  }

  /**
   * The identity of a node whose certificate for other nodes names it: that of its data, or at its
   * first start that of the certificate.
   *
   * @param wanted what it would be without certificates
   * @param owner whose data there is
   * @param isNamed whether the operator, or the data, gave the cluster's name
   */
  static NodeIdentity identity(
      NodeIdentity wanted, Optional<NodeIdentity> owner, boolean isNamed, NodeTls tls)
      throws NodeStartException {
    Optional<CertifiedNode> certified = tls.peers().map(PeerTls::self);
    if (certified.isEmpty()) {
      return wanted;
    }
    CertifiedNode named = certified.get();
    if (isNamed && !named.clusterName().equals(wanted.clusterName())) {
      throw new NodeStartException(
          "the certificate for other nodes is of cluster '"
              + named.clusterName()
              + "', and this node belongs to cluster '"
              + wanted.clusterName()
              + "': correct --cluster-name, or give the node its own certificate");
    }
    if (owner.isPresent() && !owner.get().id().equals(named.hostId())) {
      throw new NodeStartException(
          "the certificate for other nodes names node "
              + named.hostId()
              + ", and the data directory belongs to node "
              + owner.get().id()
              + ": give the node its own certificate (colonnade certs node --host-id "
              + owner.get().id()
              + ")");
    }
    return new NodeIdentity(
        HexFormat.fromHexDigitsToLong(named.hostId(), 0, 16),
        HexFormat.fromHexDigitsToLong(named.hostId(), 16, 32),
        named.clusterName(),
        wanted.partitioner());
  }
}
