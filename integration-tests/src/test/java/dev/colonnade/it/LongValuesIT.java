package dev.colonnade.it;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.ByteString;
import dev.colonnade.client.ClientOptions;
import dev.colonnade.client.Colonnade;
import dev.colonnade.client.Column;
import dev.colonnade.client.ColumnFamily;
import dev.colonnade.client.ColumnFamilyDefinition;
import dev.colonnade.client.Comparators;
import dev.colonnade.client.InvalidRequestException;
import dev.colonnade.client.KeyspaceDefinition;
import dev.colonnade.client.Serializers;
import dev.colonnade.client.Slice;
import dev.colonnade.server.base.config.RequestSettings;
import dev.colonnade.server.node.Node;
import dev.colonnade.server.node.NodeOptions;
import dev.colonnade.server.node.NodeStartException;
import dev.colonnade.v1.ColumnParent;
import dev.colonnade.v1.ColumnStoreServiceGrpc;
import dev.colonnade.v1.GetSliceRequest;
import dev.colonnade.v1.SlicePredicate;
import dev.colonnade.v1.SliceRange;
import io.grpc.ManagedChannel;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.netty.shaded.io.grpc.netty.NettyChannelBuilder;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The longest values that a node can be told to take, from a client to the disk and back. */
@Timeout(120)
final class LongValuesIT {

  private static final int LONGEST = 15 << 20;
  private static final String KEY = "film";

  private final NodeOptions options;

  LongValuesIT(@TempDir Path folder) {
    options =
        NodeOptions.defaults()
            .withDataDirectory(folder)
            .withFreePorts()
            .with(RequestSettings.MAX_VALUE_BYTES, (long) LONGEST);
  }

  private static byte[] bytes(int length, long seed) {
    byte[] bytes = new byte[length];
    new Random(seed).nextBytes(bytes);
    return bytes;
  }

  private static ColumnFamily<String, String, byte[]> films(Colonnade client) {
    return client
        .keyspace("Blog")
        .columnFamily("Films", Serializers.UTF8, Serializers.UTF8, Serializers.BYTES);
  }

  private static String target(Node node) {
    return node.clientAddress() + ":" + node.clientPort();
  }

  @Test
  void areReadFromMemoryTheLogAndFilesBySessionsAndUnaryCalls() throws NodeStartException {
    byte[] old = bytes(LONGEST, 1);
    byte[] replaced = bytes(LONGEST, 2);
    try (Node node = Node.start(options);
        Colonnade client = Colonnade.connect(target(node))) {
      client
          .schema()
          .create(
              KeyspaceDefinition.named("Blog")
                  .with(ColumnFamilyDefinition.standard("Films", Comparators.UTF8)));
      films(client).insert(KEY, "a", old);
      films(client).insert(KEY, "b", old);
      films(client).insert(KEY, "c", new byte[] {1});
      requireRead(node, old, old);
      InvalidRequestException refused =
          assertThrows(
              InvalidRequestException.class,
              () -> films(client).insert(KEY, "d", new byte[LONGEST + 1]));
      assertEquals("REQUEST_TOO_LARGE", refused.reason());
      // So that the next start finds them in the log alone.
      node.kill();
    }
    try (Node node = Node.start(options);
        Colonnade client = Colonnade.connect(target(node))) {
      requireRead(node, old, old);
      client.node().flush("Blog");
      requireRead(node, old, old);
      films(client).insert(KEY, "b", replaced);
      client.node().flush("Blog");
      client.node().compact("Blog", List.of(), progress -> {});
      requireRead(node, old, replaced);
    }
    // A node that takes less reads what is there.
    try (Node node = Node.start(options.with(RequestSettings.MAX_VALUE_BYTES, 1_024L));
        Colonnade client = Colonnade.connect(target(node))) {
      requireRead(node, old, replaced);
      assertThrows(
          InvalidRequestException.class, () -> films(client).insert(KEY, "d", new byte[1_025]));
      films(client).insert(KEY, "d", new byte[1_024]);
      aChannelWithTheDefaultsOfGrpcSaysWhatIsWrong(node);
    }
  }

  private static void requireRead(Node node, byte[] a, byte[] b) {
    for (boolean sessions : new boolean[] {true, false}) {
      try (Colonnade client =
          Colonnade.connect(target(node), ClientOptions.defaults().withSessions(sessions))) {
        assertArrayEquals(a, films(client).get(KEY, "a").orElseThrow());
        List<Column<String, byte[]>> slice = films(client).slice(KEY, Slice.all());
        assertEquals(List.of("a", "b", "c"), slice.stream().map(Column::name).toList());
        assertArrayEquals(a, slice.get(0).value());
        assertArrayEquals(b, slice.get(1).value());
        try (var rows = films(client).stream(KEY, Slice.all())) {
          assertArrayEquals(a, rows.next().value());
          assertArrayEquals(b, rows.next().value());
        }
      }
    }
  }

  private static void aChannelWithTheDefaultsOfGrpcSaysWhatIsWrong(Node node) {
    ManagedChannel channel =
        NettyChannelBuilder.forAddress(node.clientAddress(), node.clientPort())
            .usePlaintext()
            .build();
    try {
      StatusRuntimeException failure =
          assertThrows(
              StatusRuntimeException.class,
              () ->
                  ColumnStoreServiceGrpc.newBlockingStub(channel)
                      .getSlice(
                          GetSliceRequest.newBuilder()
                              .setKeyspace("Blog")
                              .setKey(ByteString.copyFromUtf8(KEY))
                              .setColumnParent(ColumnParent.newBuilder().setColumnFamily("Films"))
                              .setPredicate(
                                  SlicePredicate.newBuilder()
                                      .setSliceRange(SliceRange.getDefaultInstance()))
                              .build()));
      assertEquals(Status.Code.RESOURCE_EXHAUSTED, failure.getStatus().getCode());
      String said = String.valueOf(failure.getMessage());
      assertTrue(said.contains("maximum size 4194304"), said);
    } finally {
      channel.shutdownNow();
    }
  }
}
