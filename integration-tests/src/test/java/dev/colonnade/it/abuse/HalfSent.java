package dev.colonnade.it.abuse;

import dev.colonnade.v1.ColumnStoreServiceGrpc;
import java.io.IOException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * Requests of 15 MiB that lack their last byte, over 8 connections: each stream is filled, kept,
 * and begun again when the node ends it.
 */
final class HalfSent {

  private static final int CONNECTIONS = 8;
  private static final int STREAMS = 8;
  private static final int MESSAGE_BYTES = 15 << 20;

  private HalfSent() {}

  static void begin(Target target, Tally tally) {
    for (int i = 0; i < CONNECTIONS; i++) {
      Thread thread = new Thread(() -> keepAtIt(target, tally), "half-sent");
      thread.setDaemon(true);
      thread.start();
    }
  }

  private static void keepAtIt(Target target, Tally tally) {
    while (true) {
      try (RawHttp2 connection = RawHttp2.connect(target.clientPort())) {
        tally.ok();
        send(connection, tally);
      } catch (IOException e) {
        tally.failed("BROKEN");
        LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(100));
      }
    }
  }

  private static void send(RawHttp2 connection, Tally tally) throws IOException {
    String path = "/" + ColumnStoreServiceGrpc.getBatchMutateMethod().getFullMethodName();
    int[] streams = new int[STREAMS];
    int[] sent = new int[STREAMS];
    while (true) {
      boolean moved = false;
      for (int i = 0; i < STREAMS; i++) {
        if (streams[i] == 0 || connection.isEnded(streams[i])) {
          if (streams[i] != 0) {
            tally.refused();
          }
          streams[i] = connection.open(path);
          connection.sendMessageHead(streams[i], MESSAGE_BYTES);
          sent[i] = 0;
        }
        int left = MESSAGE_BYTES - 1 - sent[i];
        int now = connection.sendSome(streams[i], left);
        sent[i] += now;
        moved |= now > 0;
      }
      if (!moved) {
        LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(1));
      }
    }
  }
}
