package dev.colonnade.server.service.rpc;

import static dev.colonnade.server.service.rpc.Service.KS;
import static dev.colonnade.server.service.rpc.Service.bytes;
import static dev.colonnade.server.service.rpc.Service.parent;
import static dev.colonnade.server.service.rpc.Service.show;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.ByteString;
import dev.colonnade.server.cluster.ring.Partitioners;
import dev.colonnade.server.sim.NaiveRowStore;
import dev.colonnade.server.sim.SimClock;
import dev.colonnade.v1.ColumnOrSuperColumn;
import dev.colonnade.v1.ColumnParent;
import dev.colonnade.v1.GetRangeSlicesRequest;
import dev.colonnade.v1.GetRangeSlicesResponse;
import dev.colonnade.v1.GetSliceRequest;
import dev.colonnade.v1.GetSliceResponse;
import dev.colonnade.v1.KeyBounds;
import dev.colonnade.v1.KeyRange;
import dev.colonnade.v1.KeySlice;
import dev.colonnade.v1.MultigetSliceRequest;
import dev.colonnade.v1.MultigetSliceResponse;
import dev.colonnade.v1.SlicePredicate;
import dev.colonnade.v1.SliceRange;
import dev.colonnade.v1.StreamRangeSlicesRequest;
import dev.colonnade.v1.StreamRangeSlicesResponse;
import dev.colonnade.v1.StreamSliceRequest;
import dev.colonnade.v1.StreamSliceResponse;
import io.grpc.StatusRuntimeException;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;

/** However an answer is cut, and wherever a reader continues, the parts together are the whole. */
final class PagingPropertyTest {

  private static final int ROUNDS = 120;

  /** Its pages are more awkward than those of any real store. */
  private final NaiveRowStore model = new NaiveRowStore(new SimClock());

  private final Service overModel = Service.start(RpcSettings.defaults(), own -> model);
  private final Service overEngine = Service.start(Partitioners.BYTE_ORDERED);
  private Service service = overModel;

  @AfterEach
  void stop() {
    overModel.close();
    overEngine.close();
  }

  private void forEachSeed(String what, java.util.function.Consumer<Random> property) {
    for (long seed = 1; seed <= ROUNDS; seed++) {
      long thisSeed = seed;
      service = seed % 2 == 0 ? overModel : overEngine;
      // The whole is read in one answer, so the store is not awkward yet.
      model.awkward(null);
      Executable round = () -> property.accept(new Random(thisSeed));
      try {
        round.execute();
      } catch (Throwable e) {
        throw new AssertionError(what + " fails with seed " + seed + ": " + e.getMessage(), e);
      }
    }
  }

  /** A key that no other round uses, with a few columns or super columns. */
  private String fill(Random random, String family) {
    String key = "k" + random.nextLong();
    int count = random.nextInt(12);
    for (int i = 0; i < count; i++) {
      String value = "v".repeat(random.nextInt(60));
      if (family.equals("Standard1")) {
        service.insert(key, family, "c" + random.nextInt(20), value, 1);
      } else {
        service.insertSuper(
            key, family, "s" + random.nextInt(4), bytes("c" + random.nextInt(9)), value);
      }
    }
    return key;
  }

  private static SlicePredicate predicate(Random random) {
    SliceRange.Builder range = SliceRange.newBuilder().setReversed(random.nextBoolean());
    if (random.nextBoolean()) {
      range.setCount(random.nextInt(6));
    }
    return Service.range(range);
  }

  private static ColumnParent parentFor(Random random) {
    return switch (random.nextInt(3)) {
      case 0 -> parent("Standard1");
      case 1 -> parent("Super2");
      default -> parent("Super2", "s1");
    };
  }

  /** Joins parts the way a client does: a part that continues repeats the super column's name. */
  private static void join(
      List<ColumnOrSuperColumn> whole, List<ColumnOrSuperColumn> part, boolean continues) {
    int from = 0;
    if (continues && !part.isEmpty()) {
      int last = whole.size() - 1;
      assertEquals(
          whole.get(last).getSuperColumn().getName(), part.get(0).getSuperColumn().getName());
      ColumnOrSuperColumn.Builder joined = whole.get(last).toBuilder();
      joined.getSuperColumnBuilder().addAllColumns(part.get(0).getSuperColumn().getColumnsList());
      whole.set(last, joined.build());
      from = 1;
    }
    whole.addAll(part.subList(from, part.size()));
  }

  @Test
  void pagesOfASliceAreTheSlice() {
    forEachSeed(
        "GetSlice",
        random -> {
          ColumnParent parent = parentFor(random);
          GetSliceRequest request =
              GetSliceRequest.newBuilder()
                  .setKeyspace(KS)
                  .setKey(bytes(fill(random, parent.getColumnFamily())))
                  .setColumnParent(parent)
                  .setPredicate(predicate(random))
                  .build();
          String expected = show(service.stub().getSlice(request).getColumnsList());
          model.awkward(random);
          List<ColumnOrSuperColumn> whole = new ArrayList<>();
          String token = "";
          boolean continues = false;
          do {
            GetSliceResponse page =
                service
                    .stub()
                    .getSlice(
                        request.toBuilder()
                            .setPageBytes(1 + random.nextInt(300))
                            .setPageToken(token)
                            .build());
            join(whole, page.getColumnsList(), continues);
            continues = page.getSuperColumnContinues();
            token = page.getNextPageToken();
          } while (!token.isEmpty());
          assertEquals(expected, show(whole));
        });
  }

  @Test
  void aStreamResumesFromEveryToken() {
    forEachSeed(
        "StreamSlice",
        random -> {
          ColumnParent parent = parentFor(random);
          StreamSliceRequest request =
              StreamSliceRequest.newBuilder()
                  .setKeyspace(KS)
                  .setKey(bytes(fill(random, parent.getColumnFamily())))
                  .setColumnParent(parent)
                  .setPredicate(predicate(random))
                  .setMaxChunkBytes(1 + random.nextInt(200))
                  .build();
          List<StreamSliceResponse> parts = stream(request);
          String expected = joined(parts, false);
          model.awkward(random);
          for (int i = 0; i < parts.size(); i++) {
            List<StreamSliceResponse> resumed = new ArrayList<>(parts.subList(0, i + 1));
            resumed.addAll(
                stream(request.toBuilder().setResumeToken(parts.get(i).getResumeToken()).build()));
            assertEquals(expected, joined(resumed, true));
          }
        });
  }

  private List<StreamSliceResponse> stream(StreamSliceRequest request) {
    List<StreamSliceResponse> parts = new ArrayList<>();
    Iterator<StreamSliceResponse> stream = service.stub().streamSlice(request);
    stream.forEachRemaining(parts::add);
    return parts;
  }

  private static String joined(List<StreamSliceResponse> parts, boolean mayRepeat) {
    List<ColumnOrSuperColumn> whole = new ArrayList<>();
    boolean continues = false;
    for (StreamSliceResponse part : parts) {
      assertTrue(mayRepeat || part.getColumnsCount() > 0, "a message without columns");
      join(whole, part.getColumnsList(), continues);
      continues = part.getSuperColumnContinues();
    }
    return show(whole);
  }

  /** Rows joined the way a client does. */
  private static final class Rows {
    private final List<ByteString> keys = new ArrayList<>();
    private final List<List<ColumnOrSuperColumn>> columns = new ArrayList<>();
    private boolean rowContinues;
    private boolean superColumnContinues;

    void add(List<KeySlice> part, boolean rowContinuesNow, boolean superColumnContinuesNow) {
      for (int i = 0; i < part.size(); i++) {
        KeySlice row = part.get(i);
        int last = keys.size() - 1;
        if (i == 0 && rowContinues && last >= 0 && keys.get(last).equals(row.getKey())) {
          join(columns.get(last), row.getColumnsList(), superColumnContinues);
        } else {
          keys.add(row.getKey());
          columns.add(new ArrayList<>(row.getColumnsList()));
        }
      }
      if (!part.isEmpty()) {
        rowContinues = rowContinuesNow;
        superColumnContinues = superColumnContinuesNow;
      }
    }

    @Override
    public String toString() {
      StringBuilder text = new StringBuilder();
      for (int i = 0; i < keys.size(); i++) {
        text.append(keys.get(i).toStringUtf8())
            .append('[')
            .append(show(columns.get(i)))
            .append(']');
      }
      return text.toString();
    }
  }

  @Test
  void pagesOfAMultigetAreTheMultiget() {
    forEachSeed(
        "MultigetSlice",
        random -> {
          ColumnParent parent = parentFor(random);
          MultigetSliceRequest.Builder builder =
              MultigetSliceRequest.newBuilder()
                  .setKeyspace(KS)
                  .setColumnParent(parent)
                  .setPredicate(predicate(random));
          int count = random.nextInt(25);
          for (int i = 0; i < count; i++) {
            builder.addKeys(bytes(fill(random, parent.getColumnFamily())));
          }
          MultigetSliceRequest request = builder.build();
          Rows expected = new Rows();
          expected.add(service.stub().multigetSlice(request).getRowsList(), false, false);
          assertEquals(count, expected.keys.size());
          model.awkward(random);
          Rows whole = new Rows();
          String token = "";
          do {
            MultigetSliceResponse page =
                service
                    .stub()
                    .multigetSlice(
                        request.toBuilder()
                            .setPageBytes(1 + random.nextInt(600))
                            .setPageToken(token)
                            .build());
            whole.add(page.getRowsList(), page.getRowContinues(), page.getSuperColumnContinues());
            token = page.getNextPageToken();
          } while (!token.isEmpty());
          assertEquals(expected.toString(), whole.toString());
        });
  }

  @Test
  void pagesAndStreamsOfAScanAreTheScan() {
    forEachSeed(
        "GetRangeSlices",
        random -> {
          service.truncate("Super2");
          service.truncate("Standard1");
          ColumnParent parent = parentFor(random);
          int count = random.nextInt(8);
          for (int i = 0; i < count; i++) {
            fill(random, parent.getColumnFamily());
          }
          KeyRange.Builder range = KeyRange.newBuilder().setKeys(KeyBounds.getDefaultInstance());
          if (random.nextBoolean()) {
            range.setCount(1 + random.nextInt(5));
          }
          GetRangeSlicesRequest request =
              GetRangeSlicesRequest.newBuilder()
                  .setKeyspace(KS)
                  .setColumnParent(parent)
                  .setPredicate(predicate(random))
                  .setRange(range)
                  .setIncludeEmptyRows(random.nextBoolean())
                  .setKeysOnly(random.nextInt(5) == 0)
                  .build();
          Rows expected = new Rows();
          expected.add(service.stub().getRangeSlices(request).getRowsList(), false, false);
          model.awkward(random);
          Rows whole = new Rows();
          String token = "";
          do {
            GetRangeSlicesResponse page =
                service
                    .stub()
                    .getRangeSlices(
                        request.toBuilder()
                            .setPageBytes(1 + random.nextInt(400))
                            .setPageToken(token)
                            .build());
            whole.add(page.getRowsList(), page.getRowContinues(), page.getSuperColumnContinues());
            token = page.getNextPageToken();
          } while (!token.isEmpty());
          assertEquals(expected.toString(), whole.toString());
          checkStream(request, expected.toString(), random);
        });
  }

  private void checkStream(GetRangeSlicesRequest request, String expected, Random random) {
    StreamRangeSlicesRequest stream =
        StreamRangeSlicesRequest.newBuilder()
            .setKeyspace(request.getKeyspace())
            .setColumnParent(request.getColumnParent())
            .setPredicate(request.getPredicate())
            .setRange(request.getRange())
            .setKeysOnly(request.getKeysOnly())
            .setIncludeEmptyRows(request.getIncludeEmptyRows())
            .setMaxChunkBytes(1 + random.nextInt(200))
            .build();
    List<StreamRangeSlicesResponse> parts = streamRows(stream);
    for (int i = 0; i < parts.size(); i++) {
      Rows whole = new Rows();
      parts.subList(0, i + 1).forEach(part -> add(whole, part));
      streamRows(stream.toBuilder().setResumeToken(parts.get(i).getResumeToken()).build())
          .forEach(part -> add(whole, part));
      assertEquals(expected, whole.toString());
    }
  }

  private static void add(Rows rows, StreamRangeSlicesResponse part) {
    rows.add(part.getRowsList(), part.getRowContinues(), part.getSuperColumnContinues());
  }

  private List<StreamRangeSlicesResponse> streamRows(StreamRangeSlicesRequest request) {
    List<StreamRangeSlicesResponse> parts = new ArrayList<>();
    service.stub().streamRangeSlices(request).forEachRemaining(parts::add);
    return parts;
  }

  @Test
  void aTokenIsRefusedBesideAnotherRequestAndWhenAnyBitIsFlipped() {
    for (String name : List.of("a", "b", "c")) {
      service.insert("k", "Standard1", name, "v", 1);
    }
    GetSliceRequest request =
        GetSliceRequest.newBuilder()
            .setKeyspace(KS)
            .setKey(bytes("k"))
            .setColumnParent(parent("Standard1"))
            .setPredicate(Service.all())
            .setPageBytes(1)
            .build();
    String token = service.stub().getSlice(request).getNextPageToken();
    GetSliceRequest other = request.toBuilder().setKey(bytes("l")).setPageToken(token).build();
    assertRefused(other);
    byte[] bytes = java.util.Base64.getUrlDecoder().decode(token);
    for (int bit = 0; bit < bytes.length * 8; bit++) {
      bytes[bit / 8] ^= (byte) (1 << (bit % 8));
      String flipped = java.util.Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
      assertRefused(request.toBuilder().setPageToken(flipped).build());
      bytes[bit / 8] ^= (byte) (1 << (bit % 8));
    }
  }

  private void assertRefused(GetSliceRequest request) {
    StatusRuntimeException error =
        assertThrows(StatusRuntimeException.class, () -> service.stub().getSlice(request));
    assertEquals("INVALID_PAGE_TOKEN", Service.reason(error));
  }
}
