package dev.colonnade.server.service.rpc;

import com.google.protobuf.MessageLite;
import dev.colonnade.server.base.model.Bound;
import dev.colonnade.server.base.model.ColumnComparator;
import dev.colonnade.server.base.model.DataLimits;
import dev.colonnade.server.base.model.FamilyId;
import dev.colonnade.server.base.model.InvalidNameException;
import dev.colonnade.server.base.model.PathOrder;
import dev.colonnade.server.base.model.SlicePosition;
import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Base64;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * Encodes positions as text that a client sends back. A token holds all that is needed to continue,
 * so that any node can serve the next page at any time. It also holds an identity of its request,
 * so that it is refused with any other request.
 *
 * <p>Layout before base64url, numbers big-endian: version (1 byte), identity of the request (8),
 * position, CRC-32C of all before it (4). A position is a sequence of the fields that {@link
 * Writer} writes: a name or key is its length (2) and its bytes.
 *
 * <p>The checksums guard against mistakes, not against forgery: a forged token is checked like any
 * other input, and a position grants no right that the request with it lacks.
 */
final class PageTokens {

  private static final byte VERSION = 1;
  private static final int IDENTITY_BYTES = 8;

  /** Added to a bound's weight, so that 0 can mean no position. */
  private static final int NO_WEIGHT = 3;

  private static final int HAS_SUB = 1;
  private static final int TOP_COUNTED = 2;
  private static final int FRAME_BYTES = 1 + IDENTITY_BYTES + 4;

  /**
   * The longest token: a key and two names at their longest, with their lengths and counters, in
   * base64.
   */
  private static final int MAX_CHARACTERS =
      (FRAME_BYTES + 3 * 2 + DataLimits.KEY_BYTES + 2 * DataLimits.NAME_BYTES + 64) / 3 * 4 + 4;

  private PageTokens() {}

  /**
   * Computes the identity that binds a token to its request.
   *
   * @param method so that tokens of different calls are not confused
   * @param family so that a token does not outlive its family if another takes the name
   * @param request without the fields that may differ from page to page
   */
  static long identity(String method, FamilyId family, MessageLite request) {
    MessageDigest digest;
    try {
      digest = MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java platform has SHA-256", e);
    }
    ByteBuffer head = ByteBuffer.allocate(2 * Long.BYTES + method.length() * 2);
    head.putLong(family.high()).putLong(family.low());
    method.chars().forEach(c -> head.putChar((char) c));
    digest.update(head.array());
    digest.update(request.toByteArray());
    return ByteBuffer.wrap(digest.digest()).getLong();
  }

  /**
   * The {@link #identity} of a request, computed when a token needs it: most reads have neither a
   * token nor a next page, and the hash takes longer than finding their columns. For one call.
   */
  static final class RequestIdentity {
    private final String method;
    private final FamilyId family;
    private final Supplier<MessageLite> request;
    private @Nullable Long computed;

    RequestIdentity(String method, FamilyId family, Supplier<MessageLite> request) {
      this.method = method;
      this.family = family;
      this.request = request;
    }

    long get() {
      Long known = computed;
      if (known == null) {
        known = identity(method, family, request.get());
        computed = known;
      }
      return known;
    }
  }

  /** Encodes a slice's position as a token. */
  static String ofSlice(long identity, SlicePosition position) {
    return new Writer(identity).slice(Optional.of(position)).finish();
  }

  /**
   * Decodes a token of {@link #ofSlice}.
   *
   * @param field the token's field in the request
   * @throws RequestRefusal if it is damaged, or comes from another request
   */
  static SlicePosition toSlice(String token, String field, long identity, PathOrder order) {
    return parse(token, field, identity, reader -> reader.slice(order))
        .orElseThrow(() -> damaged(field));
  }

  /** Decodes the position part of a token. */
  interface Parser<T> {
    T parse(TokenReader reader);
  }

  /** Checks a token's frame and decodes its position with {@code parser}. */
  static <T> T parse(String token, String field, long identity, Parser<T> parser) {
    if (token.length() > MAX_CHARACTERS) {
      throw damaged(field);
    }
    byte[] bytes;
    try {
      bytes = Base64.getUrlDecoder().decode(token);
    } catch (IllegalArgumentException e) {
      throw damaged(field);
    }
    if (bytes.length < FRAME_BYTES) {
      throw damaged(field);
    }
    ByteBuffer buffer = ByteBuffer.wrap(bytes);
    int crcAt = bytes.length - 4;
    if (buffer.getInt(crcAt) != crc(bytes, crcAt)) {
      throw damaged(field);
    }
    if (buffer.get() != VERSION) {
      throw RequestRefusal.invalid(
          ErrorReasons.INVALID_PAGE_TOKEN,
          field,
          "the token was made by another version of the server; start the listing again");
    }
    if (buffer.getLong() != identity) {
      throw RequestRefusal.invalid(
          ErrorReasons.INVALID_PAGE_TOKEN,
          field,
          "the token comes from another request; every field but options and sizes must be as in"
              + " the request that it came from");
    }
    buffer.limit(crcAt);
    try {
      T result = parser.parse(new TokenReader(buffer, field));
      if (buffer.hasRemaining()) {
        throw damaged(field);
      }
      return result;
    } catch (BufferUnderflowException e) {
      throw damaged(field);
    }
  }

  /** Refuses a token that this server cannot have made. */
  static RequestRefusal damaged(String field) {
    return RequestRefusal.invalid(
        ErrorReasons.INVALID_PAGE_TOKEN,
        field,
        "not a token of this server; pass the token of the previous page unchanged, or leave it"
            + " empty to start");
  }

  private static int crc(byte[] bytes, int length) {
    CRC32C crc = new CRC32C();
    crc.update(bytes, 0, length);
    return (int) crc.getValue();
  }

  /** Writes a token's position, field by field. */
  static final class Writer {
    private final ByteArrayOutputStream bytes = new ByteArrayOutputStream(64);
    private final DataOutputStream out = new DataOutputStream(bytes);

    Writer(long identity) {
      try {
        out.writeByte(VERSION);
        out.writeLong(identity);
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }

    Writer number(long value) {
      try {
        out.writeLong(value);
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
      return this;
    }

    Writer bytes(byte[] value) {
      try {
        out.writeShort(value.length);
        out.write(value);
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
      return this;
    }

    Writer slice(Optional<SlicePosition> position) {
      if (position.isEmpty()) {
        return number(0);
      }
      Bound at = position.get().at();
      byte[] sub = at.sub();
      number(at.weight() + NO_WEIGHT)
          .number((sub == null ? 0 : HAS_SUB) + (position.get().topCounted() ? TOP_COUNTED : 0));
      bytes(at.top());
      if (sub != null) {
        bytes(sub);
      }
      return number(position.get().counted());
    }

    String finish() {
      try {
        out.writeInt(crc(bytes.toByteArray(), bytes.size()));
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
      return Base64.getUrlEncoder().withoutPadding().encodeToString(bytes.toByteArray());
    }
  }

  /** Reads a token's position, field by field. */
  static final class TokenReader {
    private final ByteBuffer in;
    private final String field;

    private TokenReader(ByteBuffer in, String field) {
      this.in = in;
      this.field = field;
    }

    /** A number from 0 to {@code max}. */
    long number(long max) {
      long value = in.getLong();
      if (value < 0 || value > max) {
        throw damaged(field);
      }
      return value;
    }

    byte[] bytes() {
      int length = Short.toUnsignedInt(in.getShort());
      if (length > in.remaining()) {
        throw damaged(field);
      }
      byte[] value = new byte[length];
      in.get(value);
      return value;
    }

    Optional<SlicePosition> slice(PathOrder order) {
      long code = number(2 * NO_WEIGHT);
      if (code == 0) {
        return Optional.empty();
      }
      long flags = number(HAS_SUB + TOP_COUNTED);
      Bound at = bound((int) code - NO_WEIGHT, (flags & HAS_SUB) != 0, order);
      return Optional.of(new SlicePosition(at, (flags & TOP_COUNTED) != 0, number(Long.MAX_VALUE)));
    }

    private Bound bound(int weight, boolean hasSub, PathOrder order) {
      if (weight == Bound.START.weight() || weight == Bound.END.weight()) {
        if (bytes().length > 0 || hasSub) {
          throw damaged(field);
        }
        return weight < 0 ? Bound.START : Bound.END;
      }
      if (weight == 0 || (hasSub && !order.isSuper())) {
        throw damaged(field);
      }
      byte[] top = name(order.topType());
      byte[] sub = hasSub ? name(order.leafType()) : null;
      return weight < 0 ? Bound.before(top, sub) : Bound.after(top, sub);
    }

    private byte[] name(ColumnComparator comparator) {
      byte[] name = bytes();
      try {
        if (name.length == 0) {
          throw damaged(field);
        }
        comparator.validate(name);
      } catch (InvalidNameException e) {
        throw damaged(field);
      }
      return name;
    }
  }
}
