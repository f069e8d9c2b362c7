package dev.colonnade.it.abuse;

import java.io.BufferedOutputStream;
import java.io.ByteArrayOutputStream;
import java.io.Closeable;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;

/**
 * As much of HTTP/2 (RFC 9113) as it takes to send half a gRPC request, which no ordinary client
 * can be made to do. Keeps to the windows that the server gives. For one sending thread.
 */
final class RawHttp2 implements Closeable {

  private static final int DATA = 0;
  private static final int HEADERS = 1;
  private static final int RST_STREAM = 3;
  private static final int SETTINGS = 4;
  private static final int PING = 6;
  private static final int GOAWAY = 7;
  private static final int WINDOW_UPDATE = 8;

  private static final int ACK = 1;
  private static final int END_STREAM = 1;
  private static final int END_HEADERS = 4;

  private static final int INITIAL_WINDOW_SIZE = 4;
  private static final int DEFAULT_WINDOW = 65_535;
  private static final int FRAME_BYTES = 16_384;

  private final Socket socket;
  private final DataOutputStream out;
  private final Thread reader;

  // Guarded by this.
  private final Map<Integer, Long> windows = new HashMap<>();
  private long connectionWindow = DEFAULT_WINDOW;
  private long initialWindow = DEFAULT_WINDOW;
  private boolean closed;
  private int nextStream = 1;

  private RawHttp2(Socket socket) throws IOException {
    this.socket = socket;
    this.out = new DataOutputStream(new BufferedOutputStream(socket.getOutputStream(), 1 << 16));
    this.reader = new Thread(this::read, "http2-reader");
    reader.setDaemon(true);
  }

  static RawHttp2 connect(int port) throws IOException {
    RawHttp2 connection = new RawHttp2(new Socket(InetAddress.getLoopbackAddress(), port));
    connection.out.write("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
    connection.frame(SETTINGS, 0, 0, new byte[0], 0, 0);
    connection.out.flush();
    connection.reader.start();
    return connection;
  }

  /** Begins a gRPC call; gives the stream's number. */
  synchronized int open(String path) throws IOException {
    requireOpen();
    int stream = nextStream;
    nextStream += 2;
    windows.put(stream, initialWindow);
    ByteArrayOutputStream block = new ByteArrayOutputStream();
    header(block, ":method", "POST");
    header(block, ":scheme", "http");
    header(block, ":path", path);
    header(block, ":authority", "localhost");
    header(block, "te", "trailers");
    header(block, "content-type", "application/grpc");
    byte[] bytes = block.toByteArray();
    frame(HEADERS, END_HEADERS, stream, bytes, 0, bytes.length);
    out.flush();
    return stream;
  }

  /** A literal that is not indexed, its name and value plain (RFC 7541, 6.2.2). */
  private static void header(ByteArrayOutputStream block, String name, String value) {
    block.write(0);
    text(block, name);
    text(block, value);
  }

  private static void text(ByteArrayOutputStream block, String text) {
    block.write(text.length());
    block.writeBytes(text.getBytes(StandardCharsets.US_ASCII));
  }

  /** The five bytes before a message: not compressed, and how long it is. */
  synchronized void sendMessageHead(int stream, int messageBytes) throws IOException {
    byte[] head = {
      0,
      (byte) (messageBytes >>> 24),
      (byte) (messageBytes >>> 16),
      (byte) (messageBytes >>> 8),
      (byte) messageBytes
    };
    data(stream, head, head.length);
  }

  /** Sends zeros, as many as the windows allow and a frame holds. */
  synchronized int sendSome(int stream, int most) throws IOException {
    requireOpen();
    long window = Math.min(windows.getOrDefault(stream, 0L), connectionWindow);
    int now = (int) Math.max(0, Math.min(Math.min(most, window), FRAME_BYTES));
    if (now > 0) {
      data(stream, new byte[now], now);
    }
    return now;
  }

  private void data(int stream, byte[] bytes, int length) throws IOException {
    requireOpen();
    connectionWindow -= length;
    windows.computeIfPresent(stream, (s, window) -> window - length);
    frame(DATA, 0, stream, bytes, 0, length);
    out.flush();
  }

  synchronized boolean isEnded(int stream) {
    return !windows.containsKey(stream);
  }

  private void requireOpen() throws IOException {
    if (closed) {
      throw new EOFException("the server closed the connection");
    }
  }

  private void frame(int type, int flags, int stream, byte[] bytes, int offset, int length)
      throws IOException {
    out.writeByte(length >>> 16);
    out.writeShort(length);
    out.writeByte(type);
    out.writeByte(flags);
    out.writeInt(stream);
    out.write(bytes, offset, length);
  }

  private void read() {
    try {
      DataInputStream in = new DataInputStream(socket.getInputStream());
      while (true) {
        int length = in.readUnsignedByte() << 16 | in.readUnsignedShort();
        int type = in.readUnsignedByte();
        int flags = in.readUnsignedByte();
        int stream = in.readInt();
        take(type, flags, stream, in.readNBytes(length));
      }
    } catch (IOException e) {
      synchronized (this) {
        closed = true;
      }
    }
  }

  private synchronized void take(int type, int flags, int stream, byte[] bytes) throws IOException {
    switch (type) {
      case HEADERS, DATA -> {
        if ((flags & END_STREAM) != 0) {
          windows.remove(stream);
        }
      }
      case RST_STREAM -> windows.remove(stream);
      case SETTINGS -> {
        if ((flags & ACK) == 0) {
          settings(bytes);
          frame(SETTINGS, ACK, 0, new byte[0], 0, 0);
          out.flush();
        }
      }
      case PING -> {
        if ((flags & ACK) == 0) {
          frame(PING, ACK, 0, bytes, 0, bytes.length);
          out.flush();
        }
      }
      case GOAWAY -> closed = true;
      case WINDOW_UPDATE -> {
        int more = number(bytes, 0);
        if (stream == 0) {
          connectionWindow += more;
        } else {
          windows.computeIfPresent(stream, (s, window) -> window + more);
        }
      }
      default -> {
        // Nothing that matters here.
      }
    }
  }

  private void settings(byte[] bytes) {
    for (int i = 0; i + 6 <= bytes.length; i += 6) {
      int id = (bytes[i] & 0xff) << 8 | (bytes[i + 1] & 0xff);
      if (id == INITIAL_WINDOW_SIZE) {
        long changed = number(bytes, i + 2);
        long difference = changed - initialWindow;
        windows.replaceAll((stream, window) -> window + difference);
        initialWindow = changed;
      }
    }
  }

  private static int number(byte[] bytes, int at) {
    return (bytes[at] & 0xff) << 24
        | (bytes[at + 1] & 0xff) << 16
        | (bytes[at + 2] & 0xff) << 8
        | (bytes[at + 3] & 0xff);
  }

  @Override
  public void close() throws IOException {
    socket.close();
  }
}
