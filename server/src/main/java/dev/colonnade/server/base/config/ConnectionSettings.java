package dev.colonnade.server.base.config;

import java.time.Duration;

/** How many clients may be connected to a node, and how long it waits for them. */
public final class ConnectionSettings {

  static final SettingGroup GROUP = new SettingGroup("Connections of clients");

  private static final long HEAP_BYTES_PER_CLIENT = 256 << 10;
  private static final int CLIENTS_MIN = 1_024;
  private static final int CLIENTS_MAX = 1 << 20;

  /** Connections of clients at a time; 0 for a number that the heap allows. */
  public static final Setting<Integer> MAX_CLIENTS =
      GROUP
          .setting("max_clients", ValueForm.wholeNumber(0, CLIENTS_MAX), 0)
          .element("MaxClientConnections", ValueForm.wholeNumber(1, CLIENTS_MAX))
          .isNew()
          .defaultText("one for each 256 KiB of heap, 1,024 at least")
          .reason("A connection takes up to 100 KiB of heap.")
          .help("How many connections clients may have at a time.");

  /** An answer, or a stream, whose reader takes nothing for this long is ended. */
  public static final Setting<Duration> READER_TIMEOUT =
      GROUP
          .setting("reader_timeout", ValueForm.seconds(1, 86_400), Duration.ofMinutes(5))
          .element("ReaderTimeoutInSeconds")
          .isNew()
          .reason("A reader may pause while it works on what it has received.")
          .help("An answer, or a stream, is ended when its reader takes nothing for this long.");

  /** Whether callers may ask which services and messages there are. */
  public static final Setting<Boolean> REFLECTION =
      GROUP
          .setting("reflection", ValueForm.flag(), true)
          .element("Reflection")
          .isNew()
          .option("--reflection", "")
          .reason(
              "It shows the contract, which is public, and needs credentials where all calls do.")
          .help(
              "Whether the node describes its services to clients (gRPC server reflection), for"
                  + " generic clients that have no .proto files.");

  private ConnectionSettings() {}

  /** How many client connections a node with that heap accepts. */
  public static int maxClients(NodeSettings settings, long heapBytes) {
    int given = settings.get(MAX_CLIENTS);
    long byHeap = Math.max(CLIENTS_MIN, heapBytes / HEAP_BYTES_PER_CLIENT);
    return given == 0 ? (int) Math.min(CLIENTS_MAX, byHeap) : given;
  }
}
