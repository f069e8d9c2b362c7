package dev.colonnade.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.ByteString;
import dev.colonnade.v1.ColumnOrSuperColumn;
import dev.colonnade.v1.ColumnStoreServiceGrpc;
import dev.colonnade.v1.KeySlice;
import dev.colonnade.v1.StreamRangeSlicesRequest;
import dev.colonnade.v1.StreamRangeSlicesResponse;
import io.grpc.Server;
import io.grpc.inprocess.InProcessChannelBuilder;
import io.grpc.inprocess.InProcessServerBuilder;
import io.grpc.stub.StreamObserver;
import java.io.IOException;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Rows that are records. */
@Timeout(30)
final class RecordFamilyTest {

  private record User(String name) {}

  /** A family with one user, and a row of which only deletions are left. */
  private static final class Rows extends ColumnStoreServiceGrpc.ColumnStoreServiceImplBase {
    @Override
    public void streamRangeSlices(
        StreamRangeSlicesRequest request, StreamObserver<StreamRangeSlicesResponse> answer) {
      StreamRangeSlicesResponse.Builder rows =
          StreamRangeSlicesResponse.newBuilder().addRows(row("ann").addColumns(column("Ann")));
      if (request.getIncludeEmptyRows()) {
        rows.addRows(row("gone"));
      }
      answer.onNext(rows.build());
      answer.onCompleted();
    }

    private static KeySlice.Builder row(String key) {
      return KeySlice.newBuilder().setKey(ByteString.copyFromUtf8(key));
    }

    private static ColumnOrSuperColumn column(String value) {
      return ColumnOrSuperColumn.newBuilder()
          .setColumn(
              dev.colonnade.v1.Column.newBuilder()
                  .setName(ByteString.copyFromUtf8("name"))
                  .setValue(ByteString.copyFromUtf8(value))
                  .setTimestamp(1))
          .build();
    }
  }

  @Test
  void rowsWithoutARecordAreLeftOutOfARange() throws IOException {
    String name = InProcessServerBuilder.generateName();
    Server server = InProcessServerBuilder.forName(name).addService(new Rows()).build().start();
    try (Colonnade client =
        new Colonnade(InProcessChannelBuilder.forName(name), ClientOptions.defaults())) {
      RecordFamily<String, User> users =
          client.keyspace("K").records("Users", Serializers.UTF8, RowMapper.of(User.class));
      try (Cursor<Map.Entry<String, User>> found =
          users.range(KeyRange.<String>all().withEmptyRows())) {
        assertTrue(found.hasNext());
        assertEquals(Map.entry("ann", new User("Ann")), found.next());
        assertFalse(found.hasNext());
      }
    } finally {
      server.shutdownNow();
    }
  }
}
