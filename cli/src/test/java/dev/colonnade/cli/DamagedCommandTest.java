package dev.colonnade.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.ByteString;
import dev.colonnade.admin.v1.ColumnFamilyDef;
import dev.colonnade.admin.v1.CreateKeyspaceRequest;
import dev.colonnade.admin.v1.FlushRequest;
import dev.colonnade.admin.v1.KeyspaceDef;
import dev.colonnade.admin.v1.NodeServiceGrpc;
import dev.colonnade.admin.v1.SchemaServiceGrpc;
import dev.colonnade.server.node.Node;
import dev.colonnade.server.node.NodeOptions;
import dev.colonnade.v1.Column;
import dev.colonnade.v1.ColumnParent;
import dev.colonnade.v1.ColumnPath;
import dev.colonnade.v1.ColumnStoreServiceGrpc;
import dev.colonnade.v1.GetRequest;
import dev.colonnade.v1.InsertRequest;
import io.grpc.ManagedChannel;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.netty.shaded.io.grpc.netty.NettyChannelBuilder;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** The way of an operator through "A damaged file" in docs/operations.md, on a real disk. */
@Timeout(120)
final class DamagedCommandTest {

  private static final ByteString NAME = ByteString.copyFromUtf8("n");

  @TempDir private Path directory;

  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();

  @Test
  void aDamagedFileIsListedRestoredDamagedAgainAndGivenUp() throws Exception {
    try (Node node = start()) {
      write(node);
    }
    Path live = dataFile("Data.db");
    byte[] sound = Files.readAllBytes(live);
    byte[] damaged = sound.clone();
    damaged[damaged.length / 2] ^= 1;
    Files.write(live, damaged);
    try (Node node = start()) {
      assertEquals(Status.Code.DATA_LOSS, refusal(node));
      assertEquals(Status.Code.DATA_LOSS, refusal(node));
    }
    Path aside = dataFile("Data.db.quarantined");
    Files.write(aside, sound);
    try (Node node = start()) {
      assertEquals("v", read(node));
      assertEquals("no damaged files\n", run(node));
      assertEquals("{\"returned\":{\"files\":\"0\"}}\n", run(node, "-o", "json"));
    }
    damaged[damaged.length - 1] ^= 1;
    Files.write(live, damaged);
    try (Node node = start()) {
      String list = run(node);
      assertTrue(list.startsWith("K.F/1\n"), list);
      assertTrue(list.contains(aside.toString()), list);
      assertTrue(list.endsWith("files set aside: 1\n"), list);
      String json = run(node, "-o", "json");
      assertTrue(json.startsWith("{\"damaged_file\":{"), json);
      assertTrue(json.endsWith("}}\n{\"returned\":{\"files\":\"1\"}}\n"), json);
      assertTrue(json.contains("\"keyspace\":\"K\",\"family\":\"F\",\"number\":"), json);
      assertTrue(json.contains("\"contents\":\"ROWS\",\"offset\":"), json);
      assertTrue(json.contains(aside.toString()), json);
      assertEquals(1, execute(node, "--accept", "K.my tags.a/b/7"));
      assertTrue(err.toString().contains("my tags.a/b"), err.toString());
      assertEquals(Status.Code.DATA_LOSS, refusal(node));
      assertEquals("the loss of what K.F/1 held is accepted\n", run(node, "--accept", "K.F/1"));
      assertEquals(Status.Code.NOT_FOUND, refusal(node));
      assertEquals(1, execute(node, "--accept", "K.F/1"));
      assertTrue(err.toString().contains("not in quarantine"), err.toString());
    }
    assertTrue(Files.exists(aside));
  }

  private Node start() throws Exception {
    return Node.start(NodeOptions.defaults().withDataDirectory(directory).withFreePorts());
  }

  private String run(Node node, String... arguments) {
    out.getBuffer().setLength(0);
    assertEquals(0, execute(node, arguments), err::toString);
    return out.toString();
  }

  private int execute(Node node, String... arguments) {
    CommandLine command =
        Colonnade.commandLine().setOut(new PrintWriter(out)).setErr(new PrintWriter(err));
    return command.execute(
        Stream.concat(Stream.of("damaged", "--port", "" + node.clientPort()), Stream.of(arguments))
            .toArray(String[]::new));
  }

  private interface Calls<T> {
    T make(ManagedChannel channel);
  }

  private static <T> T on(Node node, Calls<T> calls) {
    ManagedChannel channel =
        NettyChannelBuilder.forAddress("127.0.0.1", node.clientPort()).usePlaintext().build();
    try {
      return calls.make(channel);
    } finally {
      channel.shutdownNow();
    }
  }

  private static void write(Node node) {
    var unused =
        on(
            node,
            channel -> {
              var unusedKeyspace =
                  SchemaServiceGrpc.newBlockingStub(channel)
                      .createKeyspace(
                          CreateKeyspaceRequest.newBuilder()
                              .setKeyspace(
                                  KeyspaceDef.newBuilder()
                                      .setName("K")
                                      .addColumnFamilies(ColumnFamilyDef.newBuilder().setName("F")))
                              .build());
              var unusedWrite =
                  ColumnStoreServiceGrpc.newBlockingStub(channel)
                      .insert(
                          InsertRequest.newBuilder()
                              .setKeyspace("K")
                              .setKey(ByteString.copyFromUtf8("row"))
                              .setColumnParent(ColumnParent.newBuilder().setColumnFamily("F"))
                              .setColumn(
                                  Column.newBuilder()
                                      .setName(NAME)
                                      .setValue(ByteString.copyFromUtf8("v")))
                              .build());
              return NodeServiceGrpc.newBlockingStub(channel)
                  .flush(FlushRequest.newBuilder().setKeyspace("K").build());
            });
  }

  private static String read(Node node) {
    return on(
        node,
        channel ->
            ColumnStoreServiceGrpc.newBlockingStub(channel)
                .get(
                    GetRequest.newBuilder()
                        .setKeyspace("K")
                        .setKey(ByteString.copyFromUtf8("row"))
                        .setColumnPath(ColumnPath.newBuilder().setColumnFamily("F").setColumn(NAME))
                        .build())
                .getColumnOrSuperColumn()
                .getColumn()
                .getValue()
                .toStringUtf8());
  }

  private static Status.Code refusal(Node node) {
    return assertThrows(StatusRuntimeException.class, () -> read(node)).getStatus().getCode();
  }

  private Path dataFile(String suffix) throws IOException {
    try (Stream<Path> files = Files.walk(directory.resolve("data/keyspaces/K"))) {
      return files
          .filter(file -> file.toString().endsWith("-" + suffix))
          .findFirst()
          .orElseThrow(() -> new UncheckedIOException(new IOException("no " + suffix)));
    }
  }
}
