package dev.colonnade.server.base.config;

import java.util.List;

/** The addresses that a node listens on. */
public final class AddressSettings {

  static final SettingGroup GROUP = new SettingGroup("Addresses and ports");

  private static final ValueForm<Integer> PORT = ValueForm.wholeNumber(1, 65_535);
  private static final ValueForm<Integer> PORT_OR_ANY = ValueForm.wholeNumber(0, 65_535);

  /** For clients and HTTP. */
  public static final Setting<String> CLIENT_ADDRESS =
      GROUP
          .setting("client_address", ValueForm.text("an address", text -> true), "127.0.0.1")
          .element("ThriftAddress")
          .reason("Loopback, because beyond it a node needs encryption.")
          .help(
              "The address for clients and HTTP; 0.0.0.0 means every interface. Without an element"
                  + " of its own it is that for other nodes.");

  /** For other nodes, which also use it to reach this one. */
  public static final Setting<String> PEER_ADDRESS =
      GROUP
          .setting(
              "peer_address",
              ValueForm.text(
                  "an address that other nodes can reach, not a wildcard",
                  text -> !text.isEmpty() && !text.equals("0.0.0.0") && !text.equals("::")),
              "127.0.0.1")
          .element("ListenAddress")
          .option("--listen", "ADDRESS")
          .alsoSets(CLIENT_ADDRESS)
          .help(
              "The address to listen on. Beyond loopback the node needs encryption (--tls) and"
                  + " callers that say who they are (--authentication, or --client-certificates"
                  + " required), or --insecure: anyone who reaches this address can read and write"
                  + " everything then.");

  /** For gRPC; 0 means any free port. */
  public static final Setting<Integer> CLIENT_PORT =
      GROUP
          .setting("client_port", PORT_OR_ANY, 9160)
          .element("ThriftPort", PORT)
          .option("--client-port", "N")
          .reason("The port that Cassandra's clients knew.")
          .help("The port for gRPC clients; 0 is any free one.");

  /** For other nodes; 0 means any free port. */
  public static final Setting<Integer> PEER_PORT =
      GROUP
          .setting("peer_port", PORT_OR_ANY, 7000)
          .element("StoragePort", PORT)
          .option("--peer-port", "N")
          .help(
              "The port for other nodes; 0 is any free one. Nodes of a cluster that run on separate"
                  + " machines all use the same one.");

  /** For metrics, probes and the status page, at the clients' address; 0 means any free port. */
  public static final Setting<Integer> HTTP_PORT =
      GROUP
          .setting("http_port", PORT_OR_ANY, 8080)
          .option("--http-port", "N")
          .help("The port for /healthz, /readyz and /metrics over HTTP; 0 is any free one.");

  /** Further names of the node in requests to the HTTP port. */
  public static final Setting<List<String>> HTTP_HOST_NAMES =
      GROUP
          .setting("http_host_names", ValueForm.list(), List.of())
          .element("HttpHostNames")
          .isNew()
          .option("--http-host-names", "NAME,NAME")
          .help(
              "Names besides localhost, the machine's and the node's addresses under which browsers"
                  + " and monitors ask for the status page and /metrics, where HTTP is not"
                  + " encrypted; * allows any. Other names are refused (421), because a web site"
                  + " that gives its own name the node's address could read the pages otherwise.");

  private AddressSettings() {}
}
