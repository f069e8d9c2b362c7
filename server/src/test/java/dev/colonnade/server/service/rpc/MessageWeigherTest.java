package dev.colonnade.server.service.rpc;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.ByteString;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.Message;
import dev.colonnade.v1.BatchMutateRequest;
import dev.colonnade.v1.Column;
import dev.colonnade.v1.ColumnNames;
import dev.colonnade.v1.ColumnOrSuperColumn;
import dev.colonnade.v1.Deletion;
import dev.colonnade.v1.InsertRequest;
import dev.colonnade.v1.Mutation;
import dev.colonnade.v1.RowMutation;
import dev.colonnade.v1.SlicePredicate;
import dev.colonnade.v1.SuperColumn;
import java.util.Collection;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** The weight computed before a request is decoded matches the decoded message. */
final class MessageWeigherTest {

  private static final MessageWeigher BATCHES =
      MessageWeigher.of(BatchMutateRequest.getDescriptor());

  @Test
  void everyMessageAndEveryStringOfARequestCounts() {
    for (int seed = 0; seed < 200; seed++) {
      BatchMutateRequest request = batch(new Random(seed));
      assertEquals(objects(request), BATCHES.objects(request.toByteArray()), "seed " + seed);
    }
  }

  @Test
  void theLengthOfAValueDoesNot() {
    InsertRequest request =
        InsertRequest.newBuilder()
            .setColumn(Column.newBuilder().setValue(ByteString.copyFrom(new byte[100_000])))
            .build();
    assertEquals(
        2, MessageWeigher.of(InsertRequest.getDescriptor()).objects(request.toByteArray()));
  }

  @Test
  void emptyElementsCountOneByOne() {
    RowMutation.Builder row = RowMutation.newBuilder();
    for (int i = 0; i < 10_000; i++) {
      row.addMutations(Mutation.getDefaultInstance());
    }
    byte[] encoded = BatchMutateRequest.newBuilder().addRows(row).build().toByteArray();
    assertEquals(10_001, BATCHES.objects(encoded));
    assertTrue(encoded.length < 20_100);
  }

  @Test
  void damagedBytesAreCountedForAtLeastWhatTheyDecodeTo() {
    for (int seed = 0; seed < 5_000; seed++) {
      Random random = new Random(seed);
      byte[] encoded = batch(random).toByteArray();
      for (int i = random.nextInt(4); i >= 0 && encoded.length > 0; i--) {
        encoded[random.nextInt(encoded.length)] = (byte) random.nextInt(256);
      }
      long counted = BATCHES.objects(encoded);
      assertTrue(counted >= 0 && counted <= encoded.length, "seed " + seed + ": " + counted);
      BatchMutateRequest decoded;
      try {
        decoded = BatchMutateRequest.parseFrom(encoded);
      } catch (InvalidProtocolBufferException refused) {
        continue;
      }
      assertTrue(
          counted >= objects(decoded), "seed " + seed + ": " + counted + " of " + objects(decoded));
    }
  }

  /** Besides the message itself. */
  private static long objects(Message message) {
    long count = 0;
    for (var field : message.getAllFields().entrySet()) {
      Object value = field.getValue();
      for (Object one : value instanceof Collection<?> many ? many : java.util.List.of(value)) {
        if (one instanceof Message inner) {
          count += 1 + objects(inner);
        } else if (one instanceof String || one instanceof ByteString) {
          count++;
        }
      }
    }
    return count;
  }

  private static BatchMutateRequest batch(Random random) {
    BatchMutateRequest.Builder batch = BatchMutateRequest.newBuilder().setKeyspace("ks");
    for (int i = random.nextInt(4); i > 0; i--) {
      RowMutation.Builder row = RowMutation.newBuilder().setColumnFamily("f").setKey(noise(random));
      for (int j = random.nextInt(5); j > 0; j--) {
        row.addMutations(mutation(random));
      }
      batch.addRows(row);
    }
    return batch.build();
  }

  private static Mutation mutation(Random random) {
    if (random.nextInt(4) == 0) {
      return Mutation.newBuilder()
          .setDeletion(
              Deletion.newBuilder()
                  .setTimestamp(1 + random.nextInt(9))
                  .setPredicate(
                      SlicePredicate.newBuilder()
                          .setColumnNames(
                              ColumnNames.newBuilder()
                                  .addNames(noise(random))
                                  .addNames(noise(random)))))
          .build();
    }
    if (random.nextInt(4) == 0) {
      SuperColumn.Builder top = SuperColumn.newBuilder().setName(noise(random));
      for (int i = random.nextInt(4); i > 0; i--) {
        top.addColumns(column(random));
      }
      return Mutation.newBuilder()
          .setColumnOrSuperColumn(ColumnOrSuperColumn.newBuilder().setSuperColumn(top))
          .build();
    }
    return Mutation.newBuilder()
        .setColumnOrSuperColumn(ColumnOrSuperColumn.newBuilder().setColumn(column(random)))
        .build();
  }

  private static Column column(Random random) {
    return Column.newBuilder()
        .setName(noise(random))
        .setValue(noise(random))
        .setTimestamp(random.nextInt(100))
        .build();
  }

  /** Never empty: an empty field without presence is not on the wire. */
  private static ByteString noise(Random random) {
    byte[] noise = new byte[1 + random.nextInt(40)];
    random.nextBytes(noise);
    return ByteString.copyFrom(noise);
  }
}
