package dev.colonnade.cli.demo;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.ByteString;
import java.nio.ByteBuffer;
import java.util.UUID;
import org.junit.jupiter.api.Test;

final class TimeUuidsTest {

  @Test
  void nameIsUuidOfVersionOneWithTheMomentInIt() {
    UUID uuid = uuid(TimeUuids.at(1_250_558_004L, 7));

    assertEquals(1, uuid.version());
    assertEquals(2, uuid.variant());
    // 100-nanosecond steps since 15 October 1582.
    assertEquals((1_250_558_004L + 12_219_292_800L) * 10_000_000L, uuid.timestamp());
  }

  @Test
  void namesOfTheSameSecondDiffer() {
    assertNotEquals(TimeUuids.at(1_250_558_004L, 1), TimeUuids.at(1_250_558_004L, 2));
  }

  @Test
  void nameIsShownAsItsMoment() {
    assertEquals("2009-08-18 01:13:24", TimeUuids.shown(TimeUuids.at(1_250_558_004L, 0)));
  }

  @Test
  void bytesThatHoldNoTimeAreShownAsSuch() {
    assertEquals("(3 bytes, no UUID)", TimeUuids.shown(ByteString.copyFromUtf8("abc")));
    UUID random = new UUID(0x0011_2233_4455_4677L, 0x8899_aabb_ccdd_eeffL);
    ByteBuffer bytes = ByteBuffer.allocate(16);
    bytes.putLong(random.getMostSignificantBits()).putLong(random.getLeastSignificantBits()).flip();
    assertTrue(TimeUuids.shown(ByteString.copyFrom(bytes)).contains("holds no time"));
  }

  private static UUID uuid(ByteString name) {
    ByteBuffer bytes = name.asReadOnlyByteBuffer();
    return new UUID(bytes.getLong(), bytes.getLong());
  }
}
